#include "grbda/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Geometry>

#include "steps.hpp"

namespace grbda {

namespace {

/// Tolerance for symmetry: numbers that agree in all printed digits.
constexpr double symmetry_tolerance = 1e-9;

mechanism::Context make_context(const RobotDescription& description, const LoadOptions& options,
                                Diagnostics& diagnostics) {
    mechanism::Context context{description, options, diagnostics, {}, {}};
    for (const LinkDescription& link : description.links) context.links.add(link.name);
    for (const JointDescription& joint : description.joints) context.joints.add(joint.name);
    return context;
}

void add_parts(const mechanism::Context& context, const mechanism::SpanningTree& tree, Mechanism& mechanism) {
    mechanism::report_loop_joints(context, tree);
    const mechanism::Fusion fusion = mechanism::add_bodies(context, tree, mechanism);
    mechanism::add_roles(context, fusion, mechanism);
    mechanism::add_loops(context, tree, fusion, mechanism);
    mechanism::add_couplings(context, fusion, mechanism);
    mechanism::add_combined(context, fusion, mechanism);
    mechanism::add_tendons(context, fusion, mechanism);
    mechanism::report_passive_forces(context, mechanism);
    mechanism::warn_about_closing_frames(context, mechanism);
}

}  // namespace

const char* to_string(Form form) {
    switch (form) {
        case Form::jacobians: return "jacobians";
        case Form::tree: return "tree";
        case Form::rows: break;
    }
    return "rows";
}

Mechanism make_mechanism(const RobotDescription& given, const LoadOptions& options,
                         Diagnostics& diagnostics) {
    std::optional<RobotDescription> merged;
    if (options.spherical_joints) merged = mechanism::with_spherical_joints(given, diagnostics);
    if (options.strict) apply_strictness(diagnostics);
    const RobotDescription& description = merged ? *merged : given;
    Mechanism mechanism;
    mechanism.name = description.name;
    const mechanism::Context context = make_context(description, options, diagnostics);
    if (!mechanism::check_description(context)) return mechanism;
    const std::optional<mechanism::SpanningTree> tree = mechanism::span_tree(context);
    if (!tree) return mechanism;
    const std::optional<RobotDescription> cut = mechanism::with_cut_links(context, *tree);
    if (!cut) {
        add_parts(context, *tree, mechanism);
        return mechanism;
    }
    const mechanism::Context of_cut = make_context(*cut, options, diagnostics);
    add_parts(of_cut, mechanism::span_tree(of_cut).value(), mechanism);
    return mechanism;
}

bool is_axisymmetric(const Inertial& inertia, const Eigen::Vector3d& axis) {
    const double length = axis.norm();
    if (!(length > 0)) return false;
    const Eigen::Vector3d a = axis / length;
    const Eigen::Vector3d u = a.unitOrthogonal();
    const Eigen::Vector3d v = a.cross(u);
    const double scale = inertia.inertia.cwiseAbs().maxCoeff();
    if (inertia.mass > 0) {
        // Lengths are relative to the body's own size: distance and radius of gyration.
        const double size = std::max(inertia.com.norm(), std::sqrt(scale / inertia.mass));
        if (!(a.cross(inertia.com).norm() <= symmetry_tolerance * size)) return false;
    }
    // In the axes (u, v, a) a symmetric top is diag(t, t, J).
    const Eigen::Vector3d Iu = inertia.inertia * u;
    const Eigen::Vector3d Iv = inertia.inertia * v;
    const double worst = std::max(
        {std::abs(Iu.dot(a)), std::abs(Iv.dot(a)), std::abs(Iu.dot(v)), std::abs(Iu.dot(u) - Iv.dot(v))});
    return worst <= symmetry_tolerance * scale;
}

}  // namespace grbda
