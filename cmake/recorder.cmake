# The recorder is loaded into every compiler: it names no library, and no flag of the build may add a call
# that libc would have to answer.

if(recorder_sources)
    add_library(ccwrap-recorder MODULE ${recorder_sources})
    set_target_properties(ccwrap-recorder PROPERTIES PREFIX "" OUTPUT_NAME ccwrap-recorder SUFFIX ".so"
                          C_VISIBILITY_PRESET hidden)
    target_include_directories(ccwrap-recorder PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(ccwrap-recorder PRIVATE ${ccwrap_defines})
    target_compile_options(ccwrap-recorder PRIVATE ${ccwrap_warnings}
        -O2 -fno-stack-protector -fno-builtin -fno-sanitize=all -U_FORTIFY_SOURCE)
    target_link_options(ccwrap-recorder PRIVATE -nostdlib -Wl,-z,now -Wl,--as-needed -Wl,-z,noseparate-code -Wl,--hash-style=gnu)
    install(TARGETS ccwrap-recorder LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ccwrap)
endif()
