# Rules of `cmake --install`: headers, library, CMake package, pkg-config file, robots, the Python package.
# No installed file names the place of installation, so the tree can be moved. Components are those of packages: runtime,
# dev, tools (tools/CMakeLists.txt), python.

include(CMakePackageConfigHelpers)

set(GRBDA_INSTALL_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/grbda)
set(GRBDA_INSTALL_ROBOTS ${CMAKE_INSTALL_DATADIR}/grbda/robots)
set(GRBDA_INSTALL_PYTHON lib/python3/dist-packages CACHE STRING "Where Python finds packages")

list(TRANSFORM GRBDA_COMPONENTS PREPEND grbda_ OUTPUT_VARIABLE libraries)
install(TARGETS grbda ${libraries} EXPORT grbdaTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(EXPORT grbdaTargets NAMESPACE grbda:: DESTINATION ${GRBDA_INSTALL_CMAKE} COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/grbda DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.hpp" PATTERN c.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/robots/ DESTINATION ${GRBDA_INSTALL_ROBOTS} COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/grbda COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/grbda COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/build/view/template.html DESTINATION ${CMAKE_INSTALL_DATADIR}/grbda/view
        COMPONENT tools OPTIONAL)  # as far as scripts/view.sh has built it
if(TARGET grbda_python AND NOT GRBDA_WHEEL)
    file(RELATIVE_PATH libraries_from_python /${GRBDA_INSTALL_PYTHON}/grbda /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(grbda_python PROPERTIES INSTALL_RPATH $ORIGIN/${libraries_from_python})
    install(TARGETS grbda_python LIBRARY DESTINATION ${GRBDA_INSTALL_PYTHON}/grbda COMPONENT python)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/grbda DESTINATION ${GRBDA_INSTALL_PYTHON} COMPONENT python
            FILES_MATCHING PATTERN "*.py" PATTERN py.typed)
    install(FILES ${GRBDA_PYTHON_PATH}/grbda/_grbda.pyi DESTINATION ${GRBDA_INSTALL_PYTHON}/grbda COMPONENT python OPTIONAL)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/grbdaConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/grbdaConfig.cmake
    INSTALL_DESTINATION ${GRBDA_INSTALL_CMAKE} PATH_VARS GRBDA_INSTALL_ROBOTS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/grbdaConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/grbdaConfig.cmake
              ${PROJECT_BINARY_DIR}/package/grbdaConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/grbda_generate.cmake
        DESTINATION ${GRBDA_INSTALL_CMAKE} COMPONENT dev)

# A static library passes its own libraries on to the program; a shared one has them itself.
set(GRBDA_PC_REQUIRES "grbda-core = ${PROJECT_VERSION}")
set(GRBDA_PC_URDF_REQUIRES "grbda-core = ${PROJECT_VERSION}")
set(GRBDA_PC_C_REQUIRES)
get_target_property(grbda_type grbda_core TYPE)
if(grbda_type STREQUAL "STATIC_LIBRARY")
    string(APPEND GRBDA_PC_REQUIRES ", pugixml, qhull_r, yaml-cpp, tbb")
    string(APPEND GRBDA_PC_URDF_REQUIRES ", pugixml")
    set(GRBDA_PC_C_REQUIRES "grbda = ${PROJECT_VERSION}")
    if(GRBDA_HTTPLIB_FOUND)
        string(APPEND GRBDA_PC_REQUIRES ", cpp-httplib")
    endif()
endif()
# static: a library stands before those that it needs
function(grbda_pc_libraries variable)
    set(libraries ${ARGN})
    list(REVERSE libraries)
    list(TRANSFORM libraries PREPEND -lgrbda_)
    list(JOIN libraries " " libraries)
    set(${variable} ${libraries} PARENT_SCOPE)
endfunction()
set(core core constraints collision design derivatives)  # as with GRBDA_CORE_ONLY
grbda_pc_libraries(GRBDA_PC_CORE ${core})
set(rest ${GRBDA_COMPONENTS})
list(REMOVE_ITEM rest ${core})
grbda_pc_libraries(GRBDA_PC_LIBS ${rest})
get_target_property(GRBDA_PC_DEFINITIONS grbda_core INTERFACE_COMPILE_DEFINITIONS)
if(GRBDA_PC_DEFINITIONS)
    list(TRANSFORM GRBDA_PC_DEFINITIONS PREPEND " -D")
    list(JOIN GRBDA_PC_DEFINITIONS "" GRBDA_PC_DEFINITIONS)
else()
    set(GRBDA_PC_DEFINITIONS "")
endif()
set(GRBDA_INSTALL_PKGCONFIG ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(GRBDA_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
    set(GRBDA_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
    set(GRBDA_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
    file(RELATIVE_PATH to_prefix /${GRBDA_INSTALL_PKGCONFIG} /)
    string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
    set(GRBDA_PC_PREFIX "\${pcfiledir}/${to_prefix}")
    set(GRBDA_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(GRBDA_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(GRBDA_PC_PACKAGES grbda-core)
if(NOT GRBDA_CORE_ONLY)
    list(APPEND GRBDA_PC_PACKAGES grbda-c grbda-urdf grbda)
endif()
foreach(package IN LISTS GRBDA_PC_PACKAGES)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${package}.pc.in ${PROJECT_BINARY_DIR}/package/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/package/${package}.pc DESTINATION ${GRBDA_INSTALL_PKGCONFIG} COMPONENT dev)
endforeach()
