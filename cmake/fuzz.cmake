# Fuzz targets, which `cmake --build . --target fuzz` makes: fuzz/fuzz_NAME replays the inputs of
# tests/fuzz/corpus/NAME; with CCWRAP_FUZZ (clang) it is libFuzzer's program instead. See tests/fuzz/run.
option(CCWRAP_FUZZ "fuzz targets for libFuzzer (needs clang)" OFF)

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
add_custom_target(fuzz)
foreach(source ${fuzz_sources})
    get_filename_component(target ${source} NAME_WE)
    add_executable(${target} EXCLUDE_FROM_ALL ${source})
    ccwrap_flags(${target})
    target_link_libraries(${target} PRIVATE ccwrap-parts)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    if(CCWRAP_FUZZ)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    else()
        target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
    endif()
    add_dependencies(fuzz ${target})
endforeach()

# The parts must be instrumented, too: coverage is what guides the fuzzer.
if(CCWRAP_FUZZ)
    target_compile_options(ccwrap-parts PRIVATE -fsanitize=fuzzer-no-link)
endif()
add_test(NAME fuzz_replay COMMAND ${PROJECT_SOURCE_DIR}/tests/fuzz/run --replay ${CMAKE_BINARY_DIR}/fuzz-replay)
set_tests_properties(fuzz_replay PROPERTIES LABELS fuzz TIMEOUT 300 SKIP_RETURN_CODE 77)
