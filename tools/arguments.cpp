#include "arguments.hpp"

#include "grbda/io/load.hpp"

namespace grbda::tool {

LoadOptions load_options(const ModelArguments& arguments) {
    LoadOptions options;
    if (arguments.coupling_ratio == "predecessor/successor")
        options.coupling_ratio = CouplingRatio::predecessor_over_successor;
    if (arguments.coupling_ratio == "successor/predecessor")
        options.coupling_ratio = CouplingRatio::successor_over_predecessor;
    for (const Form form : all_forms)
        if (arguments.form == to_string(form)) options.form = form;
    options.density = arguments.density;
    options.adjust = arguments.adjust;
    options.floating_base = arguments.floating_base;
    options.paths = arguments.paths;
    options.rotor_reduction = !arguments.no_rotor_reduction;
    options.rod_reduction = !arguments.no_rod_reduction;
    options.spherical_joints = arguments.spherical_joints;
    options.ignore_mocap = arguments.ignore_mocap;
    options.strict = arguments.strict;
    return options;
}

Model load_model(const ModelArguments& arguments) { return load(arguments.files, load_options(arguments)); }

}  // namespace grbda::tool
