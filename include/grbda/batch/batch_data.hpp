#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "grbda/export.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/model/model.hpp"
#include "grbda/status.hpp"

// Dynamics of many states of one robot: the lanes of SIMD registers hold different states, and threads share
// the work. All use the same kernels. States are columns: q [nq × N], yd, ydd, tau [nv × N], wrenches
// [6 · bodies × N]; N is any number. Blocks of larger matrices are used without a copy, with any distance
// between columns. Eigen evaluates expressions into a temporary first.

namespace grbda {

/// Instruction sets for which the batch algorithms are compiled. `scalar` computes one state at a time.
enum class Simd { scalar, portable, avx2, avx512 };

GRBDA_EXPORT const char* to_string(Simd simd);

/// Number of states in one register.
GRBDA_EXPORT int width(Simd simd);

/// Returns whether the library contains code for this instruction set and this machine can run it.
GRBDA_EXPORT bool runs_here(Simd simd);

/// Returns the widest instruction set that is available.
GRBDA_EXPORT Simd widest_simd();

/// Workspaces for many states of one model, one for each thread. Each contains three matrices [nv × nv]
/// for each state in a register. Only one call at a time may use it.
class GRBDA_EXPORT BatchData {
public:
    /// Creates a workspace for each thread. At most one thread per core runs at a time.
    static constexpr int most_threads = 1024;

    /// errors  std::invalid_argument if threads < 1 or > most_threads, if the instruction set does not run
    ///         here, or if the model was moved from
    explicit BatchData(const Model& model, int threads = 1, Simd simd = widest_simd());
    BatchData(BatchData&&) noexcept;
    BatchData& operator=(BatchData&&) noexcept;
    ~BatchData();

    Simd simd() const;
    int threads() const;

    struct Workspaces;
    /// errors  std::invalid_argument if this was moved from
    Workspaces& workspaces() const;

private:
    std::unique_ptr<Workspaces> workspaces_;
};

/// Summary of the outcomes of all states.
struct [[nodiscard]] BatchResult {
    std::ptrdiff_t failures = 0;  ///< number of states whose status is not ok
    std::ptrdiff_t state = -1;    ///< index of the first of them; −1 without failures
    Status status = Status::ok;   ///< its status
    int cluster = -1;             ///< the first cluster affected in that state

    bool ok() const { return failures == 0; }
    explicit operator bool() const { return ok(); }
};

using ConstStates = const Eigen::Ref<const Eigen::MatrixXd>&;

/// Computes the forward dynamics of N states, each as aba().
/// in      q [nq × N], yd, tau [nv × N]; wrenches [6 · bodies × N]: a column has those of one state,
///         body by body in the order of Model::bodies; a matrix without columns means no wrenches
/// out     ydd [nv × N], NaN for a state that is not ok; statuses [N], or empty. Results equal those of aba()
///         up to rounding; their bits do not depend on N, the index of a state and the number of threads
/// errors  std::invalid_argument on a wrong size; statuses as aba()
/// cost    O(bodies · N); no allocation with one thread
GRBDA_EXPORT BatchResult aba(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                             ConstStates tau, MatrixRef ydd, std::span<Status> statuses = {});
GRBDA_EXPORT BatchResult aba(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                             ConstStates tau, ConstStates wrenches, MatrixRef ydd,
                             std::span<Status> statuses = {});

/// Computes the inverse dynamics of N states, each as rnea(): q, yd, ydd → tau. Otherwise as aba() above.
GRBDA_EXPORT BatchResult rnea(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                              ConstStates ydd, MatrixRef tau, std::span<Status> statuses = {});
GRBDA_EXPORT BatchResult rnea(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                              ConstStates ydd, ConstStates wrenches, MatrixRef tau,
                              std::span<Status> statuses = {});

/// Computes the mass matrices of N states, each as crba(): M [nv · nv × N]. Each column is one matrix in
/// column-major order. Otherwise as aba() above.
/// cost    O(bodies · depth · N)
GRBDA_EXPORT BatchResult crba(const Model& model, BatchData& batch, ConstStates q, MatrixRef M,
                              std::span<Status> statuses = {});

/// Computes the derivatives of inverse dynamics of N states, each as rnea_derivatives(): q, yd, ydd →
/// dtau_dy, dtau_dyd and, if given, M [nv · nv × N]. Each column is one matrix in column-major order.
/// Otherwise as aba() above.
/// cost    O(bodies · depth · N)
GRBDA_EXPORT BatchResult rnea_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                                          ConstStates ydd, MatrixRef dtau_dy, MatrixRef dtau_dyd,
                                          std::span<Status> statuses = {});
GRBDA_EXPORT BatchResult rnea_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                                          ConstStates ydd, MatrixRef dtau_dy, MatrixRef dtau_dyd, MatrixRef M,
                                          std::span<Status> statuses = {});
GRBDA_EXPORT BatchResult rnea_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                                          ConstStates ydd, ConstStates wrenches, MatrixRef dtau_dy,
                                          MatrixRef dtau_dyd, MatrixRef M, std::span<Status> statuses = {});

/// Computes the derivatives of forward dynamics of N states, each as aba_derivatives(): q, yd, tau → dydd_dy,
/// dydd_dyd and dydd_dtau [nv · nv × N], matrices as above, and ydd [nv × N]. Otherwise as aba() above.
/// cost    O((bodies + nv²) · depth · N)
GRBDA_EXPORT BatchResult aba_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                                         ConstStates tau, MatrixRef dydd_dy, MatrixRef dydd_dyd,
                                         MatrixRef dydd_dtau, MatrixRef ydd, std::span<Status> statuses = {});
GRBDA_EXPORT BatchResult aba_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                                         ConstStates tau, ConstStates wrenches, MatrixRef dydd_dy,
                                         MatrixRef dydd_dyd, MatrixRef dydd_dtau, MatrixRef ydd,
                                         std::span<Status> statuses = {});

// Configurations and frames of many states of one robot. Each thread calls the function of the same name
// for one state after the other, because states need different numbers of iterations. Results equal those
// of the single call bit by bit, for any N and number of threads. States are columns, as in batch_data.hpp.
// The first call allocates a workspace for each thread.

/// Moves each q by its delta, as integrate().
/// in      q [nq × N] closing the loops; delta [nv × N], rad and m
/// out     out [nq × N], which may be q; if a state is not ok, as after integrate(). statuses [N], or empty
/// errors  std::invalid_argument on a wrong size; statuses as integrate()
GRBDA_EXPORT BatchResult integrate(const Model& model, BatchData& batch, ConstStates q, ConstStates delta,
                                   MatrixRef out, std::span<Status> statuses = {});

/// Computes the delta with q1 = integrate(q0, delta) for each pair, as difference().
/// in      q0, q1 [nq × N] closing the loops
/// out     delta [nv × N]
GRBDA_EXPORT BatchResult difference(const Model& model, BatchData& batch, ConstStates q0, ConstStates q1,
                                    MatrixRef delta, std::span<Status> statuses = {});

/// Closes the loops of each q from its own guess, as close_loops().
/// in/out  q [nq × N]; if a state is not ok, as after close_loops()
GRBDA_EXPORT BatchResult close_loops(const Model& model, BatchData& batch, MatrixRef q,
                                     std::span<Status> statuses = {});

/// Computes the pose of one frame in the world for each q, as frame_position() and frame_orientation().
/// in      q [nq × N] closing the loops; frame: an index of model.frames
/// out     positions [3 × N], m; orientations [9 × N], each a matrix [3 × 3], column by column. Both are
///         NaN for a state that is not ok
/// errors  std::invalid_argument on a wrong size or index; statuses as forward_kinematics()
/// cost    O(bodies · N)
GRBDA_EXPORT BatchResult frame_poses(const Model& model, BatchData& batch, ConstStates q, int frame,
                                     MatrixRef positions, MatrixRef orientations,
                                     std::span<Status> statuses = {});

/// Computes the twist of one frame for each state, as frame_velocity().
/// in      q [nq × N]; yd [nv × N]
/// out     twists [6 × N], linear first; NaN for a state that is not ok
GRBDA_EXPORT BatchResult frame_velocities(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                                          int frame, ReferenceFrame axes, MatrixRef twists,
                                          std::span<Status> statuses = {});

/// Computes the Jacobian of one frame for each q, as frame_jacobian().
/// out     jacobians [6 · nv × N], each a matrix [6 × nv], column by column; NaN for a state that is not ok
GRBDA_EXPORT BatchResult frame_jacobians(const Model& model, BatchData& batch, ConstStates q, int frame,
                                         ReferenceFrame axes, MatrixRef jacobians,
                                         std::span<Status> statuses = {});

}  // namespace grbda
