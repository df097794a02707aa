#include "grbda/batch/batch_data.hpp"

#include <limits>
#include <utility>

#include "constraints/closure.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "workspaces.hpp"

namespace grbda {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Names of the two extents, in messages.
struct Extents {
    const char* rows;
    const char* columns;
};

template <class Matrix>
void require_states(const Extents& names, const Matrix& matrix, long rows, long states) {
    require_size(names.rows, matrix.rows(), rows);
    require_size(names.columns, matrix.cols(), states);
}

/// Calls compute(data, state) for each state, with the workspace of its thread.
template <class Compute>
BatchResult one_by_one(const Model& model, BatchData& data, std::ptrdiff_t states, std::span<Status> statuses,
                       const Compute& compute) {
    BatchData::Workspaces& workspaces = data.workspaces();
    batch::require_batch(model, workspaces, states, statuses);
    workspaces.make_single(model);
    return workspaces.run(states, [&](std::size_t slot, std::ptrdiff_t begin, std::ptrdiff_t end) {
        BatchResult sum;
        for (std::ptrdiff_t state = begin; state < end; ++state) {
            const Result result = compute(workspaces.single[slot], state);
            if (!statuses.empty()) statuses[static_cast<std::size_t>(state)] = result.status;
            if (!result.ok()) batch::add(sum, {1, state, result.status, result.cluster});
        }
        return sum;
    });
}

}  // namespace

BatchResult integrate(const Model& model, BatchData& batch, ConstStates q, ConstStates delta,
                      MatrixOut<double> out, std::span<Status> statuses) {
    require_states({"q (rows)", "q (columns)"}, q, model.nq, q.cols());
    require_states({"delta (rows)", "delta (columns)"}, delta, model.nv, q.cols());
    require_states({"out (rows)", "out (columns)"}, out, model.nq, q.cols());
    return one_by_one(model, batch, q.cols(), statuses, [&](Workspace<double>& data, std::ptrdiff_t i) {
        return integrate<double>(model, data, q.col(i), delta.col(i), out.col(i));
    });
}

BatchResult difference(const Model& model, BatchData& batch, ConstStates q0, ConstStates q1,
                       MatrixOut<double> delta, std::span<Status> statuses) {
    require_states({"q0 (rows)", "q0 (columns)"}, q0, model.nq, q0.cols());
    require_states({"q1 (rows)", "q1 (columns)"}, q1, model.nq, q0.cols());
    require_states({"delta (rows)", "delta (columns)"}, delta, model.nv, q0.cols());
    return one_by_one(model, batch, q0.cols(), statuses, [&](Workspace<double>& data, std::ptrdiff_t i) {
        return difference<double>(model, data, q0.col(i), q1.col(i), delta.col(i));
    });
}

BatchResult close_loops(const Model& model, BatchData& batch, MatrixOut<double> q,
                        std::span<Status> statuses) {
    require_states({"q (rows)", "q (columns)"}, q, model.nq, q.cols());
    return one_by_one(model, batch, q.cols(), statuses, [&](Workspace<double>& data, std::ptrdiff_t i) {
        return close_loops<double>(model, data, q.col(i));
    });
}

BatchResult frame_poses(const Model& model, BatchData& batch, ConstStates q, int frame,
                        MatrixOut<double> positions, MatrixOut<double> orientations,
                        std::span<Status> statuses) {
    require_frame(model, frame);
    require_states({"q (rows)", "q (columns)"}, q, model.nq, q.cols());
    require_states({"positions (rows)", "positions (columns)"}, positions, 3, q.cols());
    require_states({"orientations (rows)", "orientations (columns)"}, orientations, 9, q.cols());
    return one_by_one(model, batch, q.cols(), statuses, [&](Workspace<double>& data, std::ptrdiff_t i) {
        const Result result = forward_kinematics<double>(model, data, q.col(i));
        positions.col(i).setConstant(not_a_number);
        orientations.col(i).setConstant(not_a_number);
        if (!result.ok()) return result;
        positions.col(i) = frame_position<double>(model, data, frame);
        orientations.col(i) = frame_orientation<double>(model, data, frame).reshaped();
        return result;
    });
}

BatchResult frame_velocities(const Model& model, BatchData& batch, ConstStates q, ConstStates yd, int frame,
                             ReferenceFrame axes, MatrixOut<double> twists, std::span<Status> statuses) {
    require_frame(model, frame);
    require_states({"q (rows)", "q (columns)"}, q, model.nq, q.cols());
    require_states({"yd (rows)", "yd (columns)"}, yd, model.nv, q.cols());
    require_states({"twists (rows)", "twists (columns)"}, twists, 6, q.cols());
    return one_by_one(model, batch, q.cols(), statuses, [&](Workspace<double>& data, std::ptrdiff_t i) {
        const Result result = forward_kinematics<double>(model, data, q.col(i), yd.col(i));
        twists.col(i).setConstant(not_a_number);
        if (result.ok()) twists.col(i) = frame_velocity<double>(model, data, frame, axes);
        return result;
    });
}

BatchResult frame_jacobians(const Model& model, BatchData& batch, ConstStates q, int frame,
                            ReferenceFrame axes, MatrixOut<double> jacobians, std::span<Status> statuses) {
    require_frame(model, frame);
    require_states({"q (rows)", "q (columns)"}, q, model.nq, q.cols());
    require_states({"jacobians (rows)", "jacobians (columns)"}, jacobians, 6 * model.nv, q.cols());
    return one_by_one(model, batch, q.cols(), statuses, [&](Workspace<double>& data, std::ptrdiff_t i) {
        const Result result = forward_kinematics<double>(model, data, q.col(i));
        jacobians.col(i).setConstant(not_a_number);
        if (result.ok())
            frame_jacobian<double>(model, data, frame, axes,
                                   Eigen::Map<Matrix6X<double>>(jacobians.col(i).data(), 6, model.nv));
        return result;
    });
}

}  // namespace grbda
