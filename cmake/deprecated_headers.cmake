# Headers by their old names: each includes the one of today and says so when it is compiled. They are written into the
# build tree and installed, so that include/grbda/ has each header once. They leave with 2.0 (docs/stability.md).

set(GRBDA_DEPRECATED_HEADERS ${PROJECT_BINARY_DIR}/deprecated)

# new=old,old…
set(renamed
    # before 0.3
    model/arguments=algorithms/arguments
    derivatives/dynamics_derivatives=algorithms/derivatives
    search/workspace=algorithms/sweep
    contact/contact=algorithms/contact
    # merged in 0.3
    io/urdf=io/write_urdf
    io/mjcf=io/write_mjcf
    io/sdf=io/write_sdf
    io/side_files=io/extended_urdf,io/srdf,io/xrdf
    io/file=io/format
    edit/edit=edit/freeze,edit/mount,edit/close_joints
    compile/build=compile/adjust,compile/closed_states
    collision/collide=collision/touch,collision/convex
    constraints/closure=constraints/residuals,constraints/change_points,algorithms/residuals,algorithms/change_points
    search/search=search/projection,search/inverse_kinematics,algorithms/projection,algorithms/inverse_kinematics
    dynamics/energy=dynamics/momentum,algorithms/momentum
    kinematics/kinematics=kinematics/self_distances,algorithms/self_distances
    batch/batch_data=batch/kinematics
    model/model=model/missing_mass
    model/catalogue=model/named
    model/constants=model/passive_forces
    joint_types=loop_row
    mechanism=mechanism/inertial
    table=range)
# before 0.3: the same names in algorithms/
foreach(name IN ITEMS
        dynamics/aba dynamics/crba dynamics/energy dynamics/factor dynamics/joint_forces dynamics/regressor dynamics/rnea
        kinematics/configuration kinematics/kinematics
        constraints/actuation constraints/closure constraints/constraint_forces constraints/coordinates constraints/embedding
        derivatives/constraint_force_derivatives derivatives/kinematics_derivatives derivatives/second_derivatives
        derivatives/step_derivatives search/search)
    string(REGEX REPLACE ".*/" "algorithms/" old ${name})
    list(APPEND renamed ${name}=${old})
endforeach()

foreach(pair IN LISTS renamed)
    string(REGEX REPLACE "=.*" "" new ${pair})
    string(REGEX REPLACE ".*=" "" olds ${pair})
    string(REPLACE "," ";" olds ${olds})
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/include/grbda/${new}.hpp)
        message(FATAL_ERROR "cmake/deprecated_headers.cmake: include/grbda/${new}.hpp does not exist")
    endif()
    foreach(old IN LISTS olds)
        set(also "")
        if(old MATCHES "^io/write_")
            set(also "#include \"grbda/mechanism.hpp\"\n")  # the new one declares Mechanism only
        endif()
        file(CONFIGURE OUTPUT ${GRBDA_DEPRECATED_HEADERS}/grbda/${old}.hpp @ONLY CONTENT
"#pragma once
#pragma message(\"grbda/${old}.hpp is deprecated: include grbda/${new}.hpp\")
${also}#include \"grbda/${new}.hpp\"
")
    endforeach()
endforeach()
