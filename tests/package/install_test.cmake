# Installs the built library, moves the tree, and builds programs against it: with find_package, and by hand
# with pkg-config. Library and program may have different instruction sets (tests/install/boundary.cpp).
#   cmake -D BUILD_DIR=… -D SOURCE_DIR=… -D WORK_DIR=… -D CXX=… -D GENERATOR=… -D PKG_CONFIG=… -D LIBDIR=…
#         -D ANY_MARCH=… -D VERSION=… -D BUILD_SHARED=… -P install_test.cmake

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    if(NOT result EQUAL 0)
        string(REPLACE ";" " " command "${ARGN}")
        message(FATAL_ERROR "${command}\nended with ${result}\n${output}\n${errors}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/staged)
set(prefix ${WORK_DIR}/moved)
file(RENAME ${WORK_DIR}/staged ${prefix})

# The package says nothing of where it was built or first installed.
file(GLOB package_files ${prefix}/${LIBDIR}/cmake/grbda/*.cmake ${prefix}/${LIBDIR}/pkgconfig/*.pc)
list(LENGTH package_files package_file_count)
if(package_file_count LESS 8)
    message(FATAL_ERROR "the package is incomplete: ${package_files}")
endif()
foreach(file IN LISTS package_files)
    file(READ ${file} text)
    foreach(place IN ITEMS ${BUILD_DIR} ${SOURCE_DIR} ${WORK_DIR})
        string(FIND "${text}" "${place}" position)
        if(NOT position EQUAL -1)
            message(FATAL_ERROR "${file} names ${place}")
        endif()
    endforeach()
endforeach()

# Components are parts of the whole: each file of it is of one of them.
file(GLOB_RECURSE whole RELATIVE ${prefix} ${prefix}/*)
set(parts)
foreach(component IN ITEMS runtime dev tools python)
    run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/${component} --component ${component})
    file(GLOB_RECURSE part RELATIVE ${WORK_DIR}/${component} ${WORK_DIR}/${component}/*)
    list(FILTER part EXCLUDE REGEX "^share/doc/[^/]*/copyright$")  # for packages alone
    list(APPEND parts ${part})
endforeach()
list(SORT whole)
list(SORT parts)
if(NOT whole STREQUAL parts)
    message(FATAL_ERROR "all that is installed:\n${whole}\nand that of components:\n${parts}")
endif()

# Shared libraries of another minor version can be installed beside these.
string(REGEX REPLACE "[.][0-9]+$" "" soversion ${VERSION})
file(GLOB namelinks ${prefix}/${LIBDIR}/libgrbda_*.so)
foreach(link IN LISTS namelinks)
    foreach(pair IN ITEMS "${link} ${link}.${soversion}" "${link}.${soversion} ${link}.${VERSION}")
        separate_arguments(pair)
        list(POP_FRONT pair from to)
        file(READ_SYMLINK ${from} target)
        get_filename_component(to ${to} NAME)
        if(NOT target STREQUAL to)
            message(FATAL_ERROR "${from} leads to ${target}, expected ${to}")
        endif()
    endforeach()
endforeach()

# find_package
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/consumer -B ${WORK_DIR}/consumer -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/consumer)
run(${WORK_DIR}/consumer/consumer)
string(FIND "${output}" "ydd = " position)
if(position EQUAL -1)
    message(FATAL_ERROR "the consumer printed:\n${output}")
endif()

# The C interface, from a C project.
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/c -B ${WORK_DIR}/c -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/c)
run(${WORK_DIR}/c/fall ${SOURCE_DIR}/robots/slider_crank/slider_crank.urdf)
if(NOT output MATCHES "1.00 s  slider at")
    message(FATAL_ERROR "the program in C printed:\n${output}")
endif()

# A robot's own code, from a C project that has no C++.
if(EXISTS ${prefix}/bin/grbda)
    run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/generated -B ${WORK_DIR}/generated -G ${GENERATOR}
        -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${prefix})
    run(${CMAKE_COMMAND} --build ${WORK_DIR}/generated)
    run(${WORK_DIR}/generated/controller)
    string(FIND "${output}" "ydd = " position)
    if(position EQUAL -1)
        message(FATAL_ERROR "the controller printed:\n${output}")
    endif()
endif()

# The commands of a page, where a solver is installed.
execute_process(COMMAND ${PKG_CONFIG} --exists ipopt RESULT_VARIABLE result)
if(EXISTS ${prefix}/bin/grbda AND result EQUAL 0)
    run(${SOURCE_DIR}/tests/package/page_commands_test.sh ${SOURCE_DIR} ${prefix} ${WORK_DIR}/page)
endif()

# pkg-config
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
run(${PKG_CONFIG} --cflags --libs grbda)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${PKG_CONFIG} --variable=robotsdir grbda)
string(STRIP "${output}" robots)
run(${CXX} -std=c++20 ${SOURCE_DIR}/tests/install/components/main.cpp -o ${WORK_DIR}/by_hand
    -DROBOT="${robots}/slider_crank/slider_crank.urdf" ${flags})
run(${WORK_DIR}/by_hand)

if(BUILD_SHARED)  # of which a compiler of C links nothing else
    run(${PKG_CONFIG} --cflags --libs grbda-c)
    separate_arguments(c_flags UNIX_COMMAND "${output}")
    run(cc -std=c99 ${SOURCE_DIR}/examples/c/main.c -o ${WORK_DIR}/c_by_hand ${c_flags})
    run(${WORK_DIR}/c_by_hand ${robots}/slider_crank/slider_crank.urdf)
endif()

# All components by name; an unknown component is an error.
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/install/components -B ${WORK_DIR}/components -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/components)
run(${WORK_DIR}/components/components)
foreach(kind IN ITEMS COMPONENTS OPTIONAL_COMPONENTS)
    file(WRITE ${WORK_DIR}/unknown_${kind}/CMakeLists.txt "cmake_minimum_required(VERSION 3.20)\nproject(unknown LANGUAGES CXX)\n"
        "find_package(grbda REQUIRED COMPONENTS core ${kind} walking)\nmessage(STATUS \"walking: '\${grbda_walking_FOUND}'\")\n")
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK_DIR}/unknown_${kind} -B ${WORK_DIR}/unknown_${kind}/build -G ${GENERATOR}
        -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix}
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
    if(kind STREQUAL "COMPONENTS" AND
       (result EQUAL 0 OR NOT errors MATCHES "grbda has no component 'walking'; there are core, constraints, collision, design, derivatives, urdf, solids, mjcf, sdf, side_files, write, io, batch, dense_baselines, baselines, generate, simulation"))
        message(FATAL_ERROR "a component that there is not:\n${result}\n${output}\n${errors}")
    endif()
    if(kind STREQUAL "OPTIONAL_COMPONENTS" AND (NOT result EQUAL 0 OR NOT output MATCHES "walking: ''"))
        message(FATAL_ERROR "an optional component that there is not:\n${result}\n${output}\n${errors}")
    endif()
endforeach()

# The core alone: find_package requires only Eigen, and no library is linked that needs more.
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/install/core -B ${WORK_DIR}/core -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix}
    -D CMAKE_DISABLE_FIND_PACKAGE_pugixml=ON -D CMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON
    -D CMAKE_DISABLE_FIND_PACKAGE_TBB=ON -D CMAKE_DISABLE_FIND_PACKAGE_Qhull=ON)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/core)
run(${WORK_DIR}/core/core)
run(${PKG_CONFIG} --cflags --libs grbda-core)
separate_arguments(core_flags UNIX_COMMAND "${output}")
run(${CXX} -std=c++20 ${SOURCE_DIR}/tests/install/core/main.cpp -o ${WORK_DIR}/core_by_hand ${core_flags})
run(${WORK_DIR}/core_by_hand)

# URDF alone: find_package requires Eigen and pugixml.
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/install/urdf -B ${WORK_DIR}/urdf -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix}
    -D CMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON -D CMAKE_DISABLE_FIND_PACKAGE_TBB=ON -D CMAKE_DISABLE_FIND_PACKAGE_Qhull=ON)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/urdf)
run(${WORK_DIR}/urdf/urdf ${robots}/four_bar/four_bar.urdf)
run(${PKG_CONFIG} --cflags --libs grbda-urdf)
separate_arguments(urdf_flags UNIX_COMMAND "${output}")
run(${CXX} -std=c++20 ${SOURCE_DIR}/tests/install/urdf/main.cpp -o ${WORK_DIR}/urdf_by_hand ${urdf_flags})
run(${WORK_DIR}/urdf_by_hand ${robots}/four_bar/four_bar.urdf)
execute_process(COMMAND ${WORK_DIR}/urdf_by_hand ${WORK_DIR}/none.urdf RESULT_VARIABLE result ERROR_VARIABLE errors)
if(NOT result EQUAL 1 OR NOT errors MATCHES "none.urdf: .*a readable file")
    message(FATAL_ERROR "a file that there is not ended with ${result}:\n${errors}")
endif()

# The program in README.md, built by its lines for CMake, in a folder that has nothing to do with it: it works, and without a
# file it says so.
file(READ ${SOURCE_DIR}/README.md readme)
string(REGEX MATCH "\n```cmake\n([^`]*)```\n" lines "${readme}")
file(WRITE ${WORK_DIR}/readme/CMakeLists.txt "${CMAKE_MATCH_1}")
configure_file(${SOURCE_DIR}/examples/readme_snippet.cpp ${WORK_DIR}/readme/my_program.cpp COPYONLY)
run(${CMAKE_COMMAND} -S ${WORK_DIR}/readme -B ${WORK_DIR}/readme/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
    -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/readme/build)
set(program ${WORK_DIR}/readme/build/my_program)
run(${CMAKE_COMMAND} -E chdir / ${program} ${robots}/g1_like_ankle/g1_like_ankle.urdf)
if(NOT output MATCHES "τ comes back to")
    message(FATAL_ERROR "the program in README.md printed:\n${output}")
endif()
execute_process(COMMAND ${program} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT result EQUAL 1 OR NOT errors MATCHES "expected at least one file, found none")
    message(FATAL_ERROR "the program in README.md without a file ended with ${result}:\n${output}\n${errors}")
endif()

# The page of the first robot, its program included.
if(EXISTS ${prefix}/bin/grbda)
    run(${SOURCE_DIR}/tests/package/first_robot_test.sh ${SOURCE_DIR} ${prefix}/bin/grbda ${WORK_DIR}/first_robot ${prefix})
endif()

# Programs for the baseline instruction set and for this machine's: one of them differs from the library's.
set(targets baseline)
if(ANY_MARCH)
    list(APPEND targets native)
endif()
foreach(target IN LISTS targets)
    set(march)
    if(target STREQUAL "native")
        set(march -march=native)
    endif()
    run(${CXX} -std=c++20 -O1 ${march} ${SOURCE_DIR}/tests/install/boundary.cpp -o ${WORK_DIR}/${target} ${flags})
endforeach()
foreach(robot IN ITEMS four_bar mit_humanoid)
    set(model ${robots}/${robot}/${robot}.urdf)
    run(${WORK_DIR}/baseline write ${WORK_DIR}/${robot}.txt ${model})
    foreach(target IN LISTS targets)
        run(${WORK_DIR}/${target} compare ${WORK_DIR}/${robot}.txt ${model})
    endforeach()
endforeach()

# The tool, if it was built, finds its library where it has been moved to.
if(EXISTS ${prefix}/bin/grbda)
    unset(ENV{LD_LIBRARY_PATH})
    run(${prefix}/bin/grbda info ${robots}/four_bar/four_bar.urdf)
endif()
