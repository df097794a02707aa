# Headers by their names before 0.3: each includes the one of today and says so when it is compiled. They are written into the
# build tree and installed, so that include/grbda/ has each header once. They leave with 2.0 (docs/stability.md).

set(GRBDA_DEPRECATED_HEADERS ${PROJECT_BINARY_DIR}/deprecated)
set(renamed
    arguments=model/arguments derivatives=derivatives/dynamics_derivatives sweep=search/workspace contact=contact/contact)
foreach(group IN ITEMS
        dynamics:aba,crba,energy,factor,joint_forces,momentum,regressor,rnea
        kinematics:configuration,kinematics,self_distances
        constraints:actuation,change_points,closure,constraint_forces,coordinates,embedding,residuals
        derivatives:constraint_force_derivatives,kinematics_derivatives,second_derivatives,step_derivatives
        search:inverse_kinematics,projection,search)
    string(REGEX REPLACE ":.*" "" folder ${group})
    string(REGEX REPLACE ".*:" "" names ${group})
    string(REPLACE "," ";" names ${names})
    foreach(name IN LISTS names)
        list(APPEND renamed ${name}=${folder}/${name})
    endforeach()
endforeach()
foreach(pair IN LISTS renamed)
    string(REGEX REPLACE "=.*" "" old ${pair})
    string(REGEX REPLACE ".*=" "" new ${pair})
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/include/grbda/${new}.hpp)
        message(FATAL_ERROR "cmake/deprecated_headers.cmake: include/grbda/${new}.hpp does not exist")
    endif()
    file(CONFIGURE OUTPUT ${GRBDA_DEPRECATED_HEADERS}/grbda/algorithms/${old}.hpp @ONLY CONTENT
"#pragma once
#pragma message(\"grbda/algorithms/${old}.hpp is deprecated: include grbda/${new}.hpp\")
#include \"grbda/${new}.hpp\"
")
endforeach()
