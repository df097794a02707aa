#include <cmath>

#include <Eigen/Geometry>

#include "draft.hpp"
#include "model/inertias.hpp"

// Linkages: loops whose joints move in one plane.

namespace grbda::compile {
namespace {

constexpr double parallel = 1e-14;  ///< tolerance on axes: rounding of a few rotations

/// Returns three perpendicular axes, the last one given.
Matrix3<double> axes_with_normal(const Vector3<double>& n) {
    const Vector3<double> from = std::abs(n.x) < 0.5 ? Vector3<double>{1, 0, 0} : Vector3<double>{0, 1, 0};
    const Vector3<double> y = cross(n, from);
    const Vector3<double> unit = y * (1 / std::sqrt(dot(y, y)));
    return {cross(unit, n), unit, n};
}

/// Returns 1 or −1 for an axis along n or opposite, given in the plane's axes; otherwise 0.
double sign_of(const Vector3<double>& axis) {
    const double tilt = std::abs(axis.x) + std::abs(axis.y);
    return tilt > parallel ? 0 : axis.z > 0 ? 1 : -1;
}

/// Checks the conditions that need no numbers.
bool may_be_linkage(const Structure& model, const Cluster& c) {
    if (c.embedding != Embedding::implicit || c.loops.size() != 1 || !c.couplings.empty()) return false;
    if (!c.rotors.empty() || c.m < 1 || c.dofs > largest_linkage || c.dependents() != 2 || c.rows != 2)
        return false;
    if (c.bodies.size() != c.dofs || c.angles.size() != c.dofs) return false;
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        const int place = i - c.bodies.first;
        if (body.joint != JointType::revolute || body.dof != c.dof_begin + place ||
            body.angle != c.angles.first + place)
            return false;
    }
    return true;
}

/// Index in Linkage::links.
int place_of(const Cluster& c, int body) { return body == c.parent_body ? 0 : body - c.bodies.first + 1; }

/// Adds body i at its index; false if it does not move in the plane.
bool add_link(const Structure& model, const Cluster& c, int i, Linkage& linkage) {
    const Body& body = model.bodies[i];
    Link& link = linkage.links[place_of(c, i)];
    link.parent = place_of(c, body.parent);
    const Link& parent = linkage.links[at(link.parent)];
    link.sign = sign_of(parent.rotation * body.axis);
    if (link.sign == 0) return false;
    const Vector3<double> from =
        parent.rotation * (link.parent == 0 ? body.position - linkage.origin : body.position);
    link.rotation = parent.rotation * body.rotation;
    link.x = from.x;
    link.y = from.y;
    link.height = parent.height + from.z;
    model::set_inertial(body, link);
    return true;
}

/// Adds the loop that closes it; false if its rows are not two in the plane.
bool add_loop(const Structure& model, const Cluster& c, Linkage& linkage) {
    const Loop& loop = model.loops[c.loops.first];
    const LoopEnd &P = loop.predecessor, &Q = loop.successor;
    linkage.predecessor = place_of(c, P.body);
    linkage.successor = place_of(c, Q.body);
    for (const LoopRow& row : rows_of(model, loop)) {
        if (row.kind != RowKind::along) return false;
        const Matrix3<double>& axes = P.rotation;
        const Vector3<double>& axis = row.axis == 0 ? axes.x : row.axis == 1 ? axes.y : axes.z;
        if (std::abs((linkage.links[at(linkage.predecessor)].rotation * axis).z) > parallel) return false;
    }
    const Vector3<double> r = linkage.links[at(linkage.successor)].rotation *
                              (linkage.successor == 0 ? Q.position - linkage.origin : Q.position);
    linkage.x = r.x;
    linkage.y = r.y;
    for (const int t : loop.terms) {
        const LoopTerm& term = model.loop_terms[t];
        Link& link = linkage.links[at(term.dof - c.dof_begin + 1)];
        link.loop_sign = term.sign * link.sign;
    }
    return true;
}

}  // namespace

bool find_linkage(Cluster& c, Structure& model) {
    if (!may_be_linkage(model, c)) return false;
    const Body& first = model.bodies[c.bodies.first];
    Linkage linkage;
    linkage.axes = axes_with_normal(first.axis);
    linkage.origin = first.position;
    linkage.links[0].rotation = transpose(linkage.axes);
    linkage.planar_dynamics = c.parent_body == world;
    for (const int i : c.bodies) {
        if (!add_link(model, c, i, linkage)) return false;
        linkage.planar_dynamics = linkage.planar_dynamics && !model.bodies[i].carries_cluster;
    }
    if (!add_loop(model, c, linkage)) return false;
    c.linkage = static_cast<int>(model.linkages.size());
    model.linkages.push_back(linkage);
    return true;
}

}  // namespace grbda::compile
