# The client is what each compile pays for: a static program by musl starts in a tenth of glibc's time. Built
# by one command of its own, as it has another compiler than the rest; where musl-gcc is missing, statically
# by the usual one. Never with sanitizers.

set(client_sources)
file(GLOB own CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/client/*.c)
file(GLOB shared CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/common/*.c)
list(APPEND client_sources ${own} ${shared})
foreach(name launch trampoline server_start)
    if(EXISTS ${PROJECT_SOURCE_DIR}/spawn/${name}.c)
        list(APPEND client_sources ${PROJECT_SOURCE_DIR}/spawn/${name}.c)
    endif()
endforeach()

if(EXISTS ${PROJECT_SOURCE_DIR}/client/main.c)
    find_program(MUSL_GCC musl-gcc)
    if(MUSL_GCC)
        set(client_compiler ${MUSL_GCC})
    else()
        set(client_compiler ${CMAKE_C_COMPILER})
        message(STATUS "musl-gcc is missing: the client is linked with the usual libc, and starts more slowly")
    endif()
    set(client_defines ${ccwrap_defines})
    list(TRANSFORM client_defines PREPEND -D)
    set(client ${CMAKE_BINARY_DIR}/ccwrap)
    # Unused functions and data fall away, so that a start maps and touches few pages.
    add_custom_command(OUTPUT ${client}
        COMMAND ${client_compiler} -std=c11 -O2 -static ${client_defines} ${ccwrap_warnings}
                -I${PROJECT_SOURCE_DIR} -include ${ccwrap_build_id_header}
                -ffunction-sections -fdata-sections -Wl,--gc-sections,-z,noseparate-code,-z,norelro -s
                -o ${client} ${client_sources}
        DEPENDS ${client_sources} ${headers} ${ccwrap_build_id_header} ccwrap-build-id
        VERBATIM)
    add_custom_target(ccwrap-client ALL DEPENDS ${client})
    install(PROGRAMS ${client} DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
