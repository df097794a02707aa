#include <Eigen/Geometry>

#include "constraints/constraint_forces.hpp"
#include "constraints/embedding.hpp"
#include "support/body_poses.hpp"
#include "support/dense.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"
#include "support/sample_size.hpp"

// The components that static_determinacy() calls unique follow from the equilibrium of the separate bodies.

namespace {

using namespace test_robots;
using body_poses::about;
using body_poses::eigen;
using body_poses::Wrench;
using grbda::Model;
using grbda::Pose;

/// Columns: wrenches that a loop as written bears, on its successor about the world's origin.
grbda::Matrix6X<double> borne(const Model& model, const grbda::Workspace<double>& data,
                              const grbda::Loop& loop) {
    const Pose P = body_poses::of_end(model, data, loop.predecessor),
               Q = body_poses::of_end(model, data, loop.successor);
    const auto rows = loop.written_rows();
    grbda::Matrix6X<double> result = grbda::Matrix6X<double>::Zero(6, rows.size());
    for (int r = 0; r < rows.size(); ++r) {
        Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = force;
        switch (rows[r].kind) {
            case grbda::RowKind::along: force = P.rotation.col(rows[r].axis); break;
            case grbda::RowKind::distance:
            case grbda::RowKind::length: force = (Q.translation - P.translation).normalized(); break;
            case grbda::RowKind::screw:
                force = P.rotation.col(0);
                moment = -loop.constant * force;
                break;
            case grbda::RowKind::turn:
            case grbda::RowKind::tilt: moment = P.rotation.col(rows[r].axis); break;
            case grbda::RowKind::angle:
                moment = Q.rotation.col(0).cross(P.rotation.col(0)).normalized();
                break;
        }
        result.col(r) << force, Q.translation.cross(force) + moment;
    }
    return result;
}

/// Loads that no body and no motor feels, all bodies apart: wrenches of all joints about the world's origin,
/// then magnitudes of rows of loops, then multipliers of couplings; a column each, of unit length.
Eigen::MatrixXd hidden_loads(const Model& model, const grbda::Workspace<double>& data,
                             const Eigen::MatrixXd& K, std::vector<grbda::Matrix6X<double>>& loops) {
    Eigen::Index unknowns = 6 * model.body_count();
    for (const grbda::Loop& loop : model.loops) {
        loops.push_back(borne(model, data, loop));
        unknowns += loops.back().cols();
    }
    const Eigen::Index couplings = unknowns;
    unknowns += static_cast<Eigen::Index>(model.couplings.size());
    Eigen::MatrixXd E = Eigen::MatrixXd::Zero(6 * model.body_count() + model.nv_tree, unknowns);
    for (int i = 0; i < model.body_count(); ++i) {
        const grbda::Body& body = model.bodies[i];
        E.block<6, 6>(6 * i, 6 * i).setIdentity();
        if (body.parent != grbda::world)
            E.block<6, 6>(6 * body.parent, 6 * i) -= Eigen::MatrixXd::Identity(6, 6);
        const grbda::Cluster& c = model.clusters[body.cluster];
        for (int j = 0; j < grbda::velocity_size(body.joint); ++j) {
            const grbda::Motion<double>& s = data.s[body.dof + j];
            const Eigen::Vector3d turn = eigen(s.angular),
                                  slide = eigen(s.linear) - turn.cross(eigen(data.origin[c.branch]));
            E.block<1, 6>(6 * model.body_count() + body.v + j, 6 * i) << slide.transpose(), turn.transpose();
        }
    }
    Eigen::Index column = 6 * model.body_count();
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const grbda::Loop& loop = model.loops[l];
        const auto size = loops[l].cols();
        if (loop.successor.body != grbda::world)
            E.block(6 * loop.successor.body, column, 6, size) += loops[l];
        if (loop.predecessor.body != grbda::world)
            E.block(6 * loop.predecessor.body, column, 6, size) -= loops[l];
        if (loop.slide >= 0)  // its length row comes first
            E(6 * model.body_count() + model.v_index[grbda::at(loop.slide)], column) = loop.slide_sign;
        column += size;
    }
    for (std::size_t k = 0; k < model.couplings.size(); ++k)
        E.block(6 * model.body_count(), couplings + static_cast<Eigen::Index>(k), model.nv_tree, 1) =
            -K.row(model.couplings[k].row).transpose();
    return dense::null_space(E, 1e-9);
}

/// True for each component that no load has.
Eigen::Array<bool, 6, 1> without(const Eigen::MatrixXd& loads, const Eigen::MatrixXd& wrenches,
                                 const Pose& pose) {
    Eigen::Array<bool, 6, 1> unique = Eigen::Array<bool, 6, 1>::Constant(true);
    for (Eigen::Index n = 0; n < loads.cols(); ++n) {
        const Wrench wrench = wrenches * loads.col(n);
        const Wrench local =
            body_poses::turned(about(wrench, Eigen::Vector3d::Zero(), pose.translation), pose.rotation);
        unique = unique && local.array().abs() < 1e-6;
    }
    return unique;
}

}  // namespace

TEST_CASE("unique components are those that the equilibrium of the separate bodies determines") {
    int determinate = 0, indeterminate = 0;
    at_random_states(all(), 1, 307, [&](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        for (const grbda::ClusterReport& report : model.reports)
            if (report.misfit_rows > 0) return;  // of rounded figures rows do not quite repeat each other
        grbda::Workspace<double> data(model);
        grbda::Determinacy found;
        must(grbda::constraint_embedding<double>(model, data, state.q, state.yd));
        const Eigen::MatrixXd K = grbda::implicit_jacobian(model, data);
        must(grbda::static_determinacy<double>(model, data, state.q, found));
        must(grbda::forward_kinematics<double>(model, data, state.q));
        std::vector<grbda::Matrix6X<double>> borne_by;
        Eigen::MatrixXd loads = hidden_loads(model, data, K, borne_by);
        int redundancy = 0;
        for (const int each : found.redundancy) redundancy += each;
        CHECK(redundancy == loads.cols());
        if (redundancy == 0) loads.setZero(loads.rows(), 1);  // no redundancy: a zero column
        for (int i = 0; i < model.body_count(); ++i) {
            INFO("joint " << model.names.joints[i]);
            const auto expected = without(loads.middleRows(6 * i, 6), Eigen::MatrixXd::Identity(6, 6),
                                          body_poses::of_body(model, data, i));
            CHECK((found.joints.col(i) == expected).all());
        }
        Eigen::Index place = 6 * model.body_count();
        for (std::size_t l = 0; l < model.loops.size(); ++l) {
            const grbda::Loop& loop = model.loops[l];
            INFO("loop " << model.names.loops[loop.source]);
            const Pose P = body_poses::of_end(model, data, loop.predecessor);
            const auto expected =
                without(loads.middleRows(place, borne_by[l].cols()), borne_by[l],
                        {P.rotation, body_poses::of_end(model, data, loop.successor).translation});
            place += borne_by[l].cols();
            CHECK((found.loops.col(static_cast<Eigen::Index>(l)) == expected).all());
            (expected.all() ? determinate : indeterminate) += 1;
        }
        for (std::size_t k = 0; k < model.couplings.size(); ++k) {
            const auto row = loads.row(place + static_cast<Eigen::Index>(k));
            const bool unique = row.size() == 0 || row.cwiseAbs().maxCoeff() < 1e-6;
            CHECK((found.multipliers[model.couplings[k].row] != 0) == unique);
        }
    });
    CHECK(determinate > sample_size::least(50));
    CHECK(indeterminate > sample_size::least(50));
}
