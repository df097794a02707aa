#include "sparse_rows.hpp"

#include <Eigen/Geometry>

namespace grbda::baselines {
namespace {

/// Joints from `body` up to `stop`, excluding `stop`.
std::vector<Interval> joints_between(const Model& model, const Branches& branches, int body, int stop) {
    std::vector<char> is_member(static_cast<std::size_t>(branches.size()), 0);
    for (int at = body; at != stop; at = model.bodies[at].parent)
        for (int j = 0; j < velocity_size(model.bodies[at].joint); ++j)
            is_member[static_cast<std::size_t>(branches.first_of_body(at) + j)] = 1;
    return intervals(is_member);
}

Tie loop_tie(const Model& model, const Branches& branches, int index) {
    const Loop& loop = model.loops[index];
    const int P = loop.predecessor.body, Q = loop.successor.body;
    const int above = common_ancestor(model, P, Q);
    return {loop.row,
            loop.rows,
            index,
            true,
            joints_between(model, branches, Q, above),
            joints_between(model, branches, P, above),
            branches.paths({branches.last_of_body(P), branches.last_of_body(Q)})};
}

Tie coupling_tie(const Model& model, const Branches& branches, int index) {
    const Coupling& coupling = model.couplings[index];
    std::vector<char> is_member(static_cast<std::size_t>(branches.size()), 0);
    std::vector<int> places;
    for (int t = 0; t < coupling.terms.size(); ++t) {
        places.push_back(branches.place_of_v(column_of(model, coupling, t)));
        is_member[static_cast<std::size_t>(places.back())] = 1;
    }
    return {coupling.row, 1, index, false, intervals(is_member), {}, branches.paths(places)};
}

EndState end_in_world(const WorldTree& tree, const LoopEnd& end) {
    EndState placed;
    placed.axes = to_eigen(end.rotation);
    placed.position = to_eigen(end.position);
    if (end.body == world) {
        placed.position -= tree.origin;
        return placed;
    }
    const WorldBody& carrier = tree.bodies[static_cast<std::size_t>(end.body)];
    placed.axes = carrier.orientation * placed.axes;
    placed.position = carrier.position + carrier.orientation * placed.position;
    return placed;
}

void move_end(const WorldTree& tree, int body, EndState& end) {
    if (body == world) return;
    const WorldBody& carrier = tree.bodies[static_cast<std::size_t>(body)];
    end.omega = carrier.v.angular;
    end.alpha = carrier.a.angular;
    end.velocity = carrier.v.linear + end.omega.cross(end.position);
    // of the material point: the spatial acceleration is that of the flow past the origin
    end.acceleration = carrier.a.linear + end.alpha.cross(end.position) + end.omega.cross(end.velocity);
}

void fill(const WorldTree& tree, const std::vector<Interval>& joints, const Eigen::Vector3d& moment,
          const Eigen::Vector3d& force, double* row) {
    for (const Interval& joint : joints) {
        const auto part = [&](int k) { return tree.S.row(k).segment(joint.first, joint.size); };
        Eigen::Map<Eigen::RowVectorXd>(row + joint.first, joint.size) =
            moment[0] * part(0) + moment[1] * part(1) + moment[2] * part(2) + force[0] * part(3) +
            force[1] * part(4) + force[2] * part(5);
    }
}

}  // namespace

std::vector<Tie> make_ties(const Model& model, const Branches& branches) {
    std::vector<Tie> ties;
    for (int l = 0; l < static_cast<int>(model.loops.size()); ++l)
        ties.push_back(loop_tie(model, branches, l));
    for (int l = 0; l < static_cast<int>(model.couplings.size()); ++l)
        ties.push_back(coupling_tie(model, branches, l));
    return ties;
}

void fill_constant_rows(const Model& model, const Branches& branches, RowMatrix& K) {
    for (const Coupling& coupling : model.couplings)
        for (int t = 0; t < coupling.terms.size() && coupling.linear(); ++t)
            K(coupling.row, branches.place_of_v(column_of(model, coupling, t))) +=
                model.coupling_terms[coupling.terms.first + t].coefficient;
}

void fill_rows(const Model& model, const Branches& branches, const std::vector<Tie>& ties,
               const WorldTree& tree, const Eigen::VectorXd& q, std::vector<EndState>& ends,
               std::vector<Spatial>& wrenches, RowMatrix& K) {
    for (std::size_t t = 0; t < ties.size(); ++t) {
        const Tie& tie = ties[t];
        if (!tie.is_loop) {
            const Coupling& coupling = model.couplings[tie.source];
            if (coupling.linear()) continue;
            K(tie.first, branches.place_of_v(column_of(model, coupling, 0))) = 1;
            K(tie.first, branches.place_of_v(column_of(model, coupling, 1))) =
                -derivative(model, coupling, q, 1);
            continue;
        }
        const Loop& loop = model.loops[tie.source];
        EndState &P = ends[2 * t], &Q = ends[2 * t + 1];
        P = end_in_world(tree, loop.predecessor);
        Q = end_in_world(tree, loop.successor);
        std::array<Row, 6> rows;
        loop_rows(rows_of(model, loop), loop, P, Q, rows);
        for (int r = 0; r < tie.rows; ++r) {
            const Row& row = rows[static_cast<std::size_t>(r)];
            Spatial& wrench = wrenches[static_cast<std::size_t>(tie.first + r)];
            wrench = {row.couple + Q.position.cross(row.force), row.force};
            double* entries = K.row(tie.first + r).data();
            fill(tree, tie.plus, wrench.angular, wrench.linear, entries);
            fill(tree, tie.minus, -wrench.angular, -wrench.linear, entries);
        }
    }
}

void fill_bias(const Model& model, const Branches& branches, const std::vector<Tie>& ties,
               const WorldTree& tree, const Eigen::VectorXd& q, std::vector<EndState>& ends,
               Eigen::VectorXd& k) {
    for (std::size_t t = 0; t < ties.size(); ++t) {
        const Tie& tie = ties[t];
        if (tie.is_loop) {
            const Loop& loop = model.loops[tie.source];
            EndState &P = ends[2 * t], &Q = ends[2 * t + 1];
            move_end(tree, loop.predecessor.body, P);
            move_end(tree, loop.successor.body, Q);
            row_accelerations(rows_of(model, loop), loop, P, Q, k.data() + tie.first);
            continue;
        }
        const Coupling& coupling = model.couplings[tie.source];
        if (coupling.linear()) continue;
        const double rate = tree.qd[branches.place_of_v(column_of(model, coupling, 1))];
        k[tie.first] = derivative(model, coupling, q, 2) * rate * rate;
    }
}

}  // namespace grbda::baselines
