#include <algorithm>
#include <functional>

#include "grbda/compose.hpp"
#include "grbda/io/load.hpp"
#include "grbda/compile/build.hpp"
#include "groups.hpp"
#include "methods.hpp"

// robots/ROBOT/METHOD: every robot of robots/, and two legs of one of them.

namespace grbda::benchmarks {
namespace {

bool has_loops(const Model& model) {
    return std::any_of(model.clusters.begin(), model.clusters.end(),
                       [](const Cluster& cluster) { return cluster.embedding == Embedding::implicit; });
}

/// Two digit_leg side by side on the world: 54 joint velocities and 36 rows with their rods as bodies.
Model two_digit_legs(const LoadOptions& options) {
    Diagnostics findings;
    RobotPart left, right;
    left.robot = right.robot = read_description(robot_files("digit_leg"), findings);
    left.prefix = "left_";
    right.prefix = "right_";
    const RobotDescription legs = compose("two_digit_legs", {left, right}, findings);
    if (has_errors(findings)) throw LoadError(findings);
    return build_model(legs, options);
}

/// Baselines that do not allow rods get the same robot with its rods as bodies.
void register_robot(const std::string& name, const std::function<Model(const LoadOptions&)>& load) {
    const Model model = load({});
    const auto add = [&](const char* which, bool bodies = false) {
        LoadOptions options;
        options.rod_reduction = !bodies;
        const std::string kept = "robots/" + name + (bodies ? "/bodies" : "");
        add_benchmark("robots/" + name + "/" + which, method(which),
                      [=]() -> const Subject& { return subject(kept, [=] { return load(options); }); });
    };
    for (const char* which : recursions) add(which);
    for (const char* which : derivative_names) add(which);
    add("constraint_forces");
    add("kinematics");
    if (has_loops(model))
        for (const char* which : {"closure", "warm_closure", "choice", "tangent"}) add(which);
    if (name == "digit_leg")
        for (const char* which : {"inverse_kinematics", "project_configuration"}) add(which);
    for (const char* which : baseline_names) add(which, !model.rods.empty() && !allows_rods(baseline(which)));
    add("spanning_inverse");
}

}  // namespace

void register_robots() {
    for (const std::string& name : robot_names())
        register_robot(name, [=](const LoadOptions& options) { return load_robot(name, options); });
    register_robot("two_digit_legs", two_digit_legs);
}

}  // namespace grbda::benchmarks
