# Components, and libraries made of them.
#
# A component is a folder of src/ together with the folder of include/grbda/ of that name. grbda_component() compiles it and names the
# components whose headers it may include. With GRBDA_CHECK_COMPONENTS=ON it finds no other headers: a folder of links
# takes the place of include/ and src/, so that the compiler refuses an include in the wrong direction. Headers directly
# in include/grbda/ are for all, except those of description, mechanism and compose.
#
# A PRODUCT uses the library as any program does. It always finds only include/, and files of its own folder by their name.

option(GRBDA_CHECK_COMPONENTS "Let each component find only the headers that it may include" OFF)

# Links headers of a component below these roots into a folder that takes the place of include/ and src/.
function(grbda_link_headers component place)
    string(REPLACE "." "/" folder ${component})  # io.mjcf is src/io/mjcf
    foreach(root IN LISTS ARGN)
        set(from ${PROJECT_SOURCE_DIR}/${root})
        set(to ${place})
        if(root STREQUAL "include/grbda")
            set(to ${place}/grbda)
        endif()
        if(component STREQUAL "io")  # its folders are components
            file(GLOB headers RELATIVE ${from} CONFIGURE_DEPENDS ${from}/io/*.hpp)
        else()
            file(GLOB_RECURSE headers RELATIVE ${from} CONFIGURE_DEPENDS ${from}/${folder}/*.hpp ${from}/${folder}.hpp)
        endif()
        foreach(header IN LISTS headers)
            get_filename_component(within ${to}/${header} DIRECTORY)
            file(MAKE_DIRECTORY ${within})
            file(CREATE_LINK ${from}/${header} ${to}/${header} SYMBOLIC)
        endforeach()
    endforeach()
endfunction()

# Sets where the files of a component find headers: below `roots`, include/grbda alone or also src.
function(grbda_find_headers target component roots)
    if(NOT GRBDA_CHECK_COMPONENTS)
        list(TRANSFORM roots REPLACE "/grbda" "")
        list(TRANSFORM roots PREPEND ${PROJECT_SOURCE_DIR}/)
        target_include_directories(${target} PRIVATE ${roots})
        return()
    endif()
    set(place ${PROJECT_BINARY_DIR}/components/${component})
    file(REMOVE_RECURSE ${place})
    file(MAKE_DIRECTORY ${place}/grbda)
    foreach(used IN ITEMS ${component} ${ARGN})
        grbda_link_headers(${used} ${place} ${roots})
    endforeach()
    file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR}/include/grbda ${PROJECT_SOURCE_DIR}/include/grbda/*.hpp
         ${PROJECT_SOURCE_DIR}/include/grbda/c.h)
    list(REMOVE_ITEM headers description.hpp mechanism.hpp compose.hpp)
    foreach(header IN LISTS headers)
        file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/grbda/${header} ${place}/grbda/${header} SYMBOLIC)
    endforeach()
    target_include_directories(${target} PRIVATE ${place})
endfunction()

# Compile settings of all components. They share two sets of precompiled headers, those that nearly every file includes:
# parsing that anew takes two thirds of the time of most files.
function(grbda_compile target headers)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:grbda_options> Eigen3::Eigen)
    target_compile_definitions(${target} PRIVATE ${GRBDA_EIGEN_DEFINITIONS})
    if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
        # newer versions of CMake warn of each use
    elseif(target STREQUAL headers)
        target_precompile_headers(${target} PRIVATE ${GRBDA_COMMON_HEADERS})
    else()
        target_precompile_headers(${target} REUSE_FROM ${headers})
    endif()
    # With CMAKE_UNITY_BUILD the files of a folder are compiled as one: most of the time of a file is
    # reading what all of them include.
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        get_filename_component(folder ${source} DIRECTORY)
        string(MAKE_C_IDENTIFIER "${target}/${folder}" group)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD_MODE GROUP
        DEFINE_SYMBOL ""  # a macro for each component would be another set of precompiled headers
        CXX_EXTENSIONS OFF
        POSITION_INDEPENDENT_CODE ON)  # a static library can go into a plugin or a Python module
    # All but GRBDA_EXPORT. A static library is part of its program, and is inlined into it as the compiler likes.
    # Components that run once for a robot export all functions, because other libraries use them.
    if(BUILD_SHARED_LIBS AND NOT headers STREQUAL grbda_basics_objects)
        set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    endif()
endfunction()

# The code from a description to a model is as fast at -O1, and compiled in half the time; so are kernels on numbers
# with derivatives, which inline to much code. It has its own precompiled headers, as GCC compiles all at the level of
# those. GCC 12 then warns falsely of AVX-512 packets.
set(GRBDA_SETUP_OPTIONS $<$<CONFIG:Release>:-O1> $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
# Coverage instrumentation for fuzzers slows the kernels most, and is least useful there.
if(GRBDA_BUILD_FUZZERS)
    list(APPEND GRBDA_SETUP_OPTIONS -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp)
endif()

# grbda_component(NAME [SETUP] [PRODUCT] [USES component…] [LINK library…] SOURCES file…): objects grbda_NAME_objects.
# SETUP: code that runs once for a robot. PRODUCT: code on the public interface alone.
function(grbda_component component)
    cmake_parse_arguments(arg "SETUP;PRODUCT" "" "USES;LINK;SOURCES" ${ARGN})
    string(REPLACE "." "_" target grbda_${component}_objects)
    add_library(${target} OBJECT ${arg_SOURCES})
    set(headers grbda_model_objects)
    if(arg_SETUP)
        set(headers grbda_basics_objects)
        target_compile_options(${target} PRIVATE ${GRBDA_SETUP_OPTIONS})
    endif()
    target_link_libraries(${target} PRIVATE ${arg_LINK})
    set(roots include/grbda src)
    if(arg_PRODUCT)
        set(roots include/grbda)
    endif()
    grbda_find_headers(${target} ${component} "${roots}" ${arg_USES})
    grbda_compile(${target} ${headers})
endfunction()

# grbda_library(NAME COMPONENTS component… LINK …): a library of components, grbda::NAME for users.
function(grbda_library name)
    cmake_parse_arguments(arg "" "" "COMPONENTS;LINK" ${ARGN})
    set(target grbda_${name})
    list(TRANSFORM arg_COMPONENTS REPLACE "[.]" "_")
    list(TRANSFORM arg_COMPONENTS REPLACE "(.+)" "$<TARGET_OBJECTS:grbda_\\1_objects>" OUTPUT_VARIABLE objects)
    add_library(${target} ${objects})
    add_library(grbda::${name} ALIAS ${target})
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} ${arg_LINK})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME ${name})
    if(NOT GRBDA_WHEEL)  # which cannot hold links from one name to another
        set_target_properties(${target} PROPERTIES
            VERSION ${PROJECT_VERSION}
            SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    endif()
endfunction()
