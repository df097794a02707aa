# Debian packages of the components of cmake/install.cmake: cpack -G DEB, or scripts/package.sh. Their dependencies at run
# time are computed from what is linked; they require one another in the very same version.

file(STRINGS ${PROJECT_SOURCE_DIR}/LICENSE copyright REGEX "^Copyright")
string(REGEX REPLACE "^Copyright \\(c\\) ([0-9]+) (.*)$" "\\2" holder ${copyright})
set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME grbda)
set(CPACK_PACKAGE_VENDOR ${holder})
set(CPACK_PACKAGE_CONTACT ${holder})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS)  # where libraries of ours lie before they are installed

# A component as a package; lines of its description after the first.
macro(grbda_package component name section)
    cmake_parse_arguments(package "" "SUMMARY;DESCRIPTION;DEPENDS" "" ${ARGN})
    string(TOUPPER ${component} upper)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS ${package_DEPENDS})
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${package_SUMMARY}\n${package_DESCRIPTION}")
    install(FILES ${PROJECT_BINARY_DIR}/package/copyright DESTINATION share/doc/${name} COMPONENT ${component}
            EXCLUDE_FROM_ALL)  # with its component alone, for a package
endmacro()

file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
string(REGEX REPLACE "^MIT License\n\nCopyright[^\n]*\n\n" "" license "${license}")
string(REGEX REPLACE "\n$" "" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
string(REPLACE "\n \n" "\n .\n" license "${license}")
string(REPLACE "Copyright (c) " "" copyright ${copyright})
configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/copyright.in ${PROJECT_BINARY_DIR}/package/copyright @ONLY)

set(CPACK_COMPONENTS_ALL)
set(same_version "(= ${PROJECT_VERSION})")
set(runtime libgrbda${soversion})
get_target_property(grbda_type grbda_core TYPE)
if(grbda_type STREQUAL "SHARED_LIBRARY")
    grbda_package(runtime ${runtime} libs SUMMARY "rigid-body dynamics of robots with kinematic loops, libraries"
        DESCRIPTION "The shared libraries. Engines for many states at a time take the widest\ninstructions of the machine.")
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)
    set(on_runtime "${runtime} ${same_version}")
    set(dev_needs "${on_runtime}, libeigen3-dev (>= 3.4)")
else()
    set(on_runtime)
    set(dev_needs "libeigen3-dev (>= 3.4)")
    if(NOT GRBDA_CORE_ONLY)
        string(APPEND dev_needs ", libpugixml-dev, libqhull-dev, libyaml-cpp-dev, libtbb-dev")
        if(GRBDA_HTTPLIB_FOUND)
            string(APPEND dev_needs ", libcpp-httplib-dev")
        endif()
    endif()
endif()
grbda_package(dev libgrbda-dev libdevel SUMMARY "rigid-body dynamics of robots with kinematic loops, for programs"
    DESCRIPTION "Headers, files for CMake and pkg-config, and robots to try it on." DEPENDS "${dev_needs}")
if(TARGET grbda_tool)
    grbda_package(tools grbda-tools science SUMMARY "rigid-body dynamics of robots with kinematic loops, command line"
        DESCRIPTION "The program grbda: shows, checks, converts, computes and simulates robots in\nURDF, URDF+, MJCF and SDF."
        DEPENDS "${on_runtime}")
    set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
endif()
if(TARGET grbda_python)
    find_package(Python REQUIRED COMPONENTS Interpreter)
    math(EXPR next "${Python_VERSION_MINOR} + 1")
    set(needs "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy")
    if(on_runtime)
        string(APPEND needs ", ${on_runtime}")
    endif()
    grbda_package(python python3-grbda python SUMMARY "rigid-body dynamics of robots with kinematic loops, for Python"
        DESCRIPTION "The Python package grbda." DEPENDS "${needs}")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
endif()
foreach(component IN LISTS GRBDA_COMPONENTS)
    get_target_property(folder grbda_${component} BINARY_DIR)
    list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${folder})
endforeach()

include(CPack)
