# The port for vcpkg does with its helpers what CMakeLists.txt knows: every option that it sets is one of ours, the file
# that it names is there. The helpers are played here; nothing is built.
#   cmake -D SOURCE_DIR=… -D WORK_DIR=… -P portfile_test.cmake

cmake_minimum_required(VERSION 3.20)
set(called)
foreach(helper IN ITEMS vcpkg_check_features vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup
                        vcpkg_fixup_pkgconfig vcpkg_copy_tools vcpkg_install_copyright)
    cmake_language(EVAL CODE "
        macro(${helper})
            list(APPEND called ${helper})
            list(APPEND ${helper}_arguments \${ARGN})
        endmacro()")
endforeach()

set(CURRENT_PACKAGES_DIR ${WORK_DIR})
set(FEATURES core tools)
include(${SOURCE_DIR}/packaging/vcpkg/portfile.cmake)

foreach(helper IN ITEMS vcpkg_check_features vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup
                        vcpkg_fixup_pkgconfig vcpkg_copy_tools vcpkg_install_copyright)
    if(NOT helper IN_LIST called)
        message(FATAL_ERROR "the port does not call ${helper}()")
    endif()
endforeach()
file(READ ${SOURCE_DIR}/CMakeLists.txt lists)
set(options ${vcpkg_cmake_configure_arguments} ${vcpkg_check_features_arguments})
list(FILTER options INCLUDE REGEX "GRBDA_")
list(LENGTH options count)
if(count LESS 2)
    message(FATAL_ERROR "the port sets no options: ${vcpkg_cmake_configure_arguments}")
endif()
foreach(option IN LISTS options)
    string(REGEX REPLACE "^-D|=.*$" "" option ${option})
    if(NOT lists MATCHES "option\\(${option} ")
        message(FATAL_ERROR "the port sets ${option}, which is no option of CMakeLists.txt")
    endif()
endforeach()
list(FIND vcpkg_cmake_configure_arguments SOURCE_PATH at)
math(EXPR at "${at} + 1")
list(GET vcpkg_cmake_configure_arguments ${at} path)
foreach(file IN ITEMS ${path}/CMakeLists.txt ${path}/LICENSE)
    if(NOT EXISTS ${file})
        message(FATAL_ERROR "the port takes ${file}, which is not there")
    endif()
endforeach()
