# Fuzz targets: fuzz/fuzz_NAME replays the inputs of tests/fuzz/corpus/NAME. With CCWRAP_FUZZ (clang) it is
# libFuzzer's program instead, see tests/fuzz/run.
option(CCWRAP_FUZZ "build fuzz targets for libFuzzer (needs clang)" OFF)

file(GLOB fuzz_targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source ${fuzz_targets})
    get_filename_component(target ${source} NAME_WE)
    string(REPLACE "fuzz_" "" name ${target})
    if(CCWRAP_FUZZ)
        add_executable(${target} ${source})
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    else()
        add_executable(${target} ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
        add_test(NAME ${target} COMMAND ${target} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
        set_tests_properties(${target} PROPERTIES LABELS fuzz TIMEOUT 60)
    endif()
    ccwrap_flags(${target})
    target_link_libraries(${target} PRIVATE ccwrap-parts)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    list(APPEND fuzz_programs ${target})
endforeach()
add_custom_target(fuzz DEPENDS ${fuzz_programs})

# The parts must be instrumented, too: coverage is what guides the fuzzer.
if(CCWRAP_FUZZ)
    target_compile_options(ccwrap-parts PRIVATE -fsanitize=fuzzer-no-link)
endif()
