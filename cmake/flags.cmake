# Flags of everything that the usual compiler builds (client and recorder have their own).

set(ccwrap_warnings -Wall -Wextra -Wshadow -Wmissing-prototypes -Wswitch-enum -Wformat=2 -Wstrict-prototypes)
if(CCWRAP_WERROR)
    list(APPEND ccwrap_warnings -Werror)
endif()
set(ccwrap_defines _GNU_SOURCE "CCWRAP_VERSION=\"${PROJECT_VERSION}\"")

set(ccwrap_sanitizers)
if(CCWRAP_SANITIZE STREQUAL "address")
    set(ccwrap_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(CCWRAP_SANITIZE STREQUAL "thread")
    set(ccwrap_sanitizers -fsanitize=thread -fno-omit-frame-pointer)
elseif(CCWRAP_SANITIZE)
    message(FATAL_ERROR "CCWRAP_SANITIZE is address, thread or empty, not '${CCWRAP_SANITIZE}'")
endif()

function(ccwrap_flags target)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${target} PRIVATE ${ccwrap_defines})
    target_compile_options(${target} PRIVATE ${ccwrap_warnings} ${ccwrap_sanitizers})
    target_link_options(${target} PRIVATE ${ccwrap_sanitizers})
endfunction()
