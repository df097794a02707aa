# Packages of the libraries beside the core. Defines the targets pugixml and yaml-cpp, which some versions call pugixml::pugixml and
# yaml-cpp::yaml-cpp.

set(GRBDA_PUGIXML_SOURCES "" CACHE PATH "Folder of pugixml.cpp, if no package of pugixml is installed (only for GRBDA_WHEEL)")
if(GRBDA_PUGIXML_SOURCES)
    add_library(pugixml STATIC EXCLUDE_FROM_ALL ${GRBDA_PUGIXML_SOURCES}/pugixml.cpp)
    target_include_directories(pugixml SYSTEM INTERFACE ${GRBDA_PUGIXML_SOURCES})
    set_target_properties(pugixml PROPERTIES POSITION_INDEPENDENT_CODE ON)
else()
    find_package(pugixml REQUIRED)
endif()
find_package(yaml-cpp REQUIRED)
find_package(Qhull REQUIRED)
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)

foreach(name IN ITEMS pugixml yaml-cpp)
    if(NOT TARGET ${name})
        add_library(${name} INTERFACE IMPORTED)
        target_link_libraries(${name} INTERFACE ${name}::${name})
    endif()
endforeach()
