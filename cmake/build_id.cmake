# CCWRAP_BUILD_ID: client and server of two different builds must never talk to each other, so the id is made
# of the content of every source and of the flags. It lies in a header that is written anew, on each build,
# only when it changed; common/places.c is the one file that sees it.
#
# This file is two things: included by CMakeLists.txt it declares the target; run as a script (-P) it makes
# the header.

if(CMAKE_SCRIPT_MODE_FILE)
    file(GLOB_RECURSE sources LIST_DIRECTORIES false
         ${SOURCE}/common/*.[ch] ${SOURCE}/cache/*.[ch] ${SOURCE}/jobserver/*.[ch] ${SOURCE}/spawn/*.[ch]
         ${SOURCE}/server/*.[ch] ${SOURCE}/client/*.[ch] ${SOURCE}/cmake/*.cmake)
    list(APPEND sources ${SOURCE}/CMakeLists.txt)
    list(SORT sources)
    set(all "${FLAGS}")
    foreach(source ${sources})
        file(SHA256 ${source} digest)
        file(RELATIVE_PATH name ${SOURCE} ${source})
        string(APPEND all "\n${name} ${digest}")
    endforeach()
    string(SHA256 id "${all}")
    string(SUBSTRING ${id} 0 20 id)
    file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define CCWRAP_BUILD_ID \"${id}\"\n")
    return()
endif()

set(ccwrap_build_id_header ${CMAKE_BINARY_DIR}/build_id.h)
set(ccwrap_build_id_flags
    "${CMAKE_C_COMPILER} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_C_FLAGS} ${CCWRAP_SANITIZE}")
add_custom_target(ccwrap-build-id
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${ccwrap_build_id_header}
            "-DFLAGS=${ccwrap_build_id_flags}" -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${ccwrap_build_id_header}
    VERBATIM)
set_source_files_properties(${PROJECT_SOURCE_DIR}/common/places.c PROPERTIES
    COMPILE_OPTIONS "-include;${ccwrap_build_id_header}" OBJECT_DEPENDS ${ccwrap_build_id_header})
