#pragma once

#include <pybind11/pybind11.h>

#include "grbda/mechanism.hpp"

// Options of loading as keywords.

namespace grbda::python {

namespace py = pybind11;

LoadOptions options_from(const py::kwargs& given);

#define GRBDA_OPTIONS                                                                                     \
    "coupling_ratio: CouplingRatio | None = None, spherical_joints: bool = False, floating_base: bool = " \
    "False, rotor_reduction: bool = True, rod_reduction: bool = True, form: Form | None = None, adjust: " \
    "bool = False, strict: bool = False, ignore_mocap: bool = False, hulls: bool = False, "               \
    "paths: Sequence[str] = ()"

}  // namespace grbda::python
