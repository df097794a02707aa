#include <limits>
#include <stdexcept>
#include <vector>

#include "batch/batch_states.hpp"
#include "grbda/batch/batch_data.hpp"
#include "constraints/closure.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"

// Configurations and frames of many states are those of single calls, to the bit, also where states among
// them are bad.

namespace {

using namespace batch_states;
using grbda::ReferenceFrame;
using grbda::Status;
using grbda::VectorX;

/// Outputs and statuses of one function for all states.
struct Moved {
    MatrixXd first, second;
    std::vector<Status> statuses;

    Moved(Eigen::Index rows, Eigen::Index more)
        : first(rows, kStates), second(more, kStates), statuses(kStates) {
        first.setConstant(7);
        second.setConstant(7);
    }
};

/// The rows of the outputs of each function, and the two ways to compute them.
struct Subject {
    const grbda::Model& model;
    const Columns& x;
    MatrixXd open;  ///< guesses for closing
    int frame;

    Moved make(int function) const {
        const int nq = model.nq, nv = model.nv;
        const int rows[] = {nq, nv, nq, 3, 6, 6 * nv};
        return {rows[function], function == 3 ? 9 : 0};
    }

    Moved single(int function) const {
        Moved out = make(function);
        grbda::Workspace<double> data(model);
        for (Eigen::Index i = 0; i < kStates; ++i)
            out.statuses[static_cast<std::size_t>(i)] = single(function, data, i, out).status;
        return out;
    }

    grbda::Result single(int function, grbda::Workspace<double>& data, Eigen::Index i, Moved& out) const {
        const VectorX<double> q = x.q.col(i), delta = 0.1 * x.yd.col(i), q1 = x.q.col((i + 4) % kStates);
        if (function == 0) return grbda::integrate<double>(model, data, q, delta, out.first.col(i));
        if (function == 1) return grbda::difference<double>(model, data, q, q1, out.first.col(i));
        if (function == 2) {
            out.first.col(i) = open.col(i);
            return grbda::close_loops<double>(model, data, out.first.col(i));
        }
        const grbda::Result result = grbda::forward_kinematics<double>(model, data, q, x.yd.col(i));
        out.first.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
        out.second.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
        if (!result.ok()) return result;
        if (function == 3) {
            out.first.col(i) = grbda::frame_position<double>(model, data, frame);
            out.second.col(i) = grbda::frame_orientation<double>(model, data, frame).reshaped();
        } else if (function == 4) {
            out.first.col(i) = grbda::frame_velocity<double>(model, data, frame, ReferenceFrame::local);
        } else {
            grbda::Matrix6X<double> J(6, model.nv);
            grbda::frame_jacobian<double>(model, data, frame, ReferenceFrame::world_aligned, J);
            out.first.col(i) = J.reshaped();
        }
        return result;
    }

    Moved many(int function, grbda::BatchData& batch, grbda::BatchResult& result) const {
        Moved out = make(function);
        const MatrixXd delta = 0.1 * x.yd;
        MatrixXd q1(model.nq, kStates);
        for (Eigen::Index i = 0; i < kStates; ++i) q1.col(i) = x.q.col((i + 4) % kStates);
        if (function == 0) result = grbda::integrate(model, batch, x.q, delta, out.first, out.statuses);
        if (function == 1) result = grbda::difference(model, batch, x.q, q1, out.first, out.statuses);
        if (function == 2) {
            out.first = open;
            result = grbda::close_loops(model, batch, out.first, out.statuses);
        }
        if (function == 3)
            result = grbda::frame_poses(model, batch, x.q, frame, out.first, out.second, out.statuses);
        if (function == 4)
            result = grbda::frame_velocities(model, batch, x.q, x.yd, frame, ReferenceFrame::local, out.first,
                                             out.statuses);
        if (function == 5)
            result = grbda::frame_jacobians(model, batch, x.q, frame, ReferenceFrame::world_aligned,
                                            out.first, out.statuses);
        return out;
    }
};

void check_functions(const grbda::Model& model, const Columns& x) {
    const grbda::VectorX<double> neutral = grbda::neutral_configuration(model);
    const Subject subject{model, x, 0.9 * x.q + 0.1 * neutral.replicate(1, kStates),
                          static_cast<int>(model.frames.size()) - 1};
    for (const int threads : {1, 3}) {
        grbda::BatchData batch(model, threads);
        for (int function = 0; function < 6; ++function) {
            INFO("function " << function << ", " << threads << " threads");
            const Moved expected = subject.single(function);
            grbda::BatchResult result;
            const Moved found = subject.many(function, batch, result);
            CHECK(found.statuses == expected.statuses);
            CHECK(batch_states::same_bits(found.first, expected.first));
            CHECK(batch_states::same_bits(found.second, expected.second));
            std::ptrdiff_t failures = 0, first = -1;
            for (std::size_t i = expected.statuses.size(); i-- > 0;) {
                if (expected.statuses[i] == Status::ok) continue;
                ++failures;
                first = static_cast<std::ptrdiff_t>(i);
            }
            CHECK(result.failures == failures);
            CHECK(result.state == first);
            CHECK((first < 0 || result.status == expected.statuses[static_cast<std::size_t>(first)]));
        }
    }
}

}  // namespace

TEST_CASE("batch configurations and frames are those of single states") {
    on_every_robot(98, [](const grbda::Model& model, const Columns& columns, Random&) {
        check_functions(model, columns);
        check_functions(model, spoilt(model, columns));
    });
}

TEST_CASE("batch kinematics refuses wrong sizes and frames") {
    const grbda::Model& model = all().front()->model;
    grbda::BatchData batch(model);
    MatrixXd q = grbda::neutral_configuration(model).replicate(1, 3), few(model.nq, 2);
    MatrixXd positions(3, 3), orientations(9, 3);
    CHECK_THROWS_AS(grbda::integrate(model, batch, q, MatrixXd::Zero(model.nv, 3), few),
                    std::invalid_argument);
    CHECK_THROWS_AS(
        grbda::frame_poses(model, batch, q, static_cast<int>(model.frames.size()), positions, orientations),
        std::invalid_argument);
    CHECK_THROWS_AS(grbda::frame_poses(model, batch, q, -1, positions, orientations), std::invalid_argument);
}
