#include <algorithm>
#include <numeric>

#include <Eigen/Geometry>

#include "compile.hpp"
#include "grbda/mechanism.hpp"

// Rods: parts of their masses go to the bodies at their ends, what is left is a number for each pair of ends.
//   T = ½ m (1 − ξ) |v_A|² + ½ m ξ |v_B|² − ½ m_AB |v_B − v_A|²,   m_AB = m ξ (1 − ξ) − I/L²
// with the centre of mass at ξ L from A and the moment of inertia I about it, across the line.

namespace grbda::compile {
namespace {

Matrix3<double> columns(const Eigen::Matrix3d& A) {
    return {vector(A.col(0)), vector(A.col(1)), vector(A.col(2))};
}

/// The body of the cluster that a rod is in: the later one of its ends.
int later_end(const Draft& draft, const MechanismRod& rod) {
    const MechanismLoop& loop = draft.mechanism.loops[rod.loop];
    return std::max(draft.body(loop.predecessor), draft.body(loop.successor));
}

Rod compile_rod(const Draft& draft, int source) {
    const MechanismRod& from = draft.mechanism.rods[source];
    Rod rod;
    rod.source = source;
    rod.cluster = draft.structure.bodies[later_end(draft, from)].cluster;
    rod.mass = from.mass;
    rod.length = draft.mechanism.loops[from.loop].length;
    rod.center = from.center;
    rod.transverse = from.transverse;
    rod.axial = from.axial;
    rod.coupling = rod.mass * rod.center * (1 - rod.center) - rod.transverse / (rod.length * rod.length);
    rod.line = vector(from.placement.rotation * from.direction);
    rod.rotation = columns(from.placement.rotation);
    rod.joint = from.joint;
    rod.axis = vector(from.axis);
    return rod;
}

/// Numbers of a strut, and what is left of its rod's.
Strut compile_strut(const Draft& draft, int source, Rod& rod) {
    const MechanismRod& from = draft.mechanism.rods[source];
    const MechanismStrut& links = *from.strut;
    Strut strut;
    strut.rod = draft.rod_of[source];
    const Eigen::Vector3d n = from.placement.rotation * from.direction,
                          across = n.cross(from.axis).normalized();
    Eigen::Matrix3d line;
    line << n, across, n.cross(across);
    Eigen::Matrix3d theta = Eigen::Matrix3d::Zero();
    const Eigen::Matrix3d in_line = line.transpose() * from.placement.rotation;
    const auto add = [&](const Inertial& link) {
        const Eigen::Vector3d c = in_line * link.com;
        theta += in_line * link.inertia * in_line.transpose() +
                 link.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
        return vector(link.mass * c);
    };
    strut.h_a = add(links.cylinder);
    strut.h_b = add(links.piston);
    strut.theta = {theta(0, 0), theta(1, 1), theta(2, 2), theta(0, 1), theta(0, 2), theta(1, 2)};
    strut.misfit = links.misfit;
    strut.symmetric = strut.misfit == 0;
    rod.coupling = 0;
    rod.axial = theta(0, 0);
    return strut;
}

/// Merges a point mass at the end of a loop into its body.
void merge_point(const Draft& draft, double mass, int body, const Pose& placement,
                 Table<Inertial>& inertias) {
    if (body == world) return;
    Inertial& whole = inertias[draft.body(body)];
    whole = merged(whole, {mass, placement.translation, Eigen::Matrix3d::Zero()});
}

/// Velocities of a cluster that move a body of it.
Table<char> moving_dofs(const Structure& model, const Cluster& c, int body) {
    Table<char> moves(at(c.dofs), 0);
    for (; body != c.parent_body && body != world; body = model.bodies[body].parent)
        for (int j = 0; j < velocity_size(model.bodies[body].joint); ++j)
            moves[model.bodies[body].dof + j - c.dof_begin] = 1;
    return moves;
}

}  // namespace

void number_rods(Draft& draft) {
    const Table<MechanismRod>& rods = draft.mechanism.rods;
    Table<int> order(rods.size());
    std::iota(order.begin(), order.end(), 0);
    // clusters are contiguous
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return later_end(draft, rods[a]) < later_end(draft, rods[b]); });
    draft.rod_of.resize(rods.size());
    for (std::size_t i = 0; i < order.size(); ++i) draft.rod_of[order[i]] = static_cast<int>(i);
}

void add_rods(Table<Inertial>& inertias, Draft& draft) {
    Structure& model = draft.structure;
    model.rods.resize(draft.rod_of.size());
    draft.catalogue.names.rods.resize(draft.rod_of.size());
    for (int source = 0; source < static_cast<int>(draft.rod_of.size()); ++source) {
        const MechanismRod& from = draft.mechanism.rods[source];
        const MechanismLoop& loop = draft.mechanism.loops[from.loop];
        Rod rod = compile_rod(draft, source);
        if (from.strut) {
            rod.strut = static_cast<int>(model.struts.size());
            model.struts.push_back(compile_strut(draft, source, rod));
            draft.constants.strut_inertials.push_back(from.strut->cylinder);
            draft.constants.strut_inertials.push_back(from.strut->piston);
        }
        merge_point(draft, rod.mass * (1 - rod.center), loop.predecessor, loop.predecessor_placement,
                    inertias);
        merge_point(draft, rod.mass * rod.center, loop.successor, loop.successor_placement, inertias);
        model.rods[draft.rod_of[source]] = rod;
        draft.catalogue.names.rods[draft.rod_of[source]] = {from.name, from.joints, from.links,
                                                            from.strut ? from.strut->piston_link : "",
                                                            from.strut ? from.strut->slide : ""};
    }
    draft.catalogue.near_rods = draft.mechanism.near_rods;
    for (int r = 0; r < static_cast<int>(model.rods.size()); ++r) {
        Range& rods = model.clusters[model.rods[r].cluster].rods;
        rods = {rods.empty() ? r : rods.first, r + 1};
    }
}

void tie_rods(Draft& draft) {
    Structure& model = draft.structure;
    for (Rod& rod : model.rods) {
        const Cluster& c = model.clusters[rod.cluster];
        for (int l = c.loops.first; l < c.loops.last; ++l)
            if (model.loops[l].source == draft.mechanism.rods[rod.source].loop) rod.loop = l;
        const Table<char> a = moving_dofs(model, c, model.loops[rod.loop].predecessor.body),
                          b = moving_dofs(model, c, model.loops[rod.loop].successor.body);
        rod.terms.first = static_cast<int>(model.rod_terms.size());
        for (int j = 0; j < c.dofs; ++j)
            if (a[j] || b[j]) model.rod_terms.push_back({c.dof_begin + j, a[j] != 0, b[j] != 0});
        rod.terms.last = static_cast<int>(model.rod_terms.size());
    }
}

}  // namespace grbda::compile
