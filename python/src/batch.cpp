#include <algorithm>

#include "grbda/batch/batch_data.hpp"

#include <pybind11/stl.h>

#include "arguments.hpp"
#include "components.hpp"

namespace grbda::python {
namespace {

using namespace arguments;  // NOLINT

/// Columns [begin, begin + count) of states. Arguments without states, such as absent wrenches and indices,
/// are returned unchanged.
template <class T>
auto states_of(T& argument, Eigen::Index all, Eigen::Index begin, Eigen::Index count) {
    if constexpr (requires { argument.middleCols(begin, count); })
        return argument.cols() == all ? argument.middleCols(begin, count) : argument.leftCols(0);
    else
        return argument;
}

/// The results of states before those of `next`, which begin at `begin`.
void join(BatchResult& all, const BatchResult& next, std::ptrdiff_t begin) {
    const std::ptrdiff_t failures = all.failures + next.failures;
    if (all.ok() && !next.ok()) {
        all = next;
        all.state += begin;
    }
    all.failures = failures;
}

/// The call of C++ for blocks of states, with the batch's data and the status of each state.
template <class F>
auto with_statuses(F compute) {
    return [compute](const Model& model, BatchWorkspace& batch, auto& first, auto&... rest) {
        const Eigen::Index all = first.cols();
        batch.statuses.resize(static_cast<std::size_t>(all));
        BatchResult result;
        in_blocks(*batch.unlocked, all, 64 * batch.value.threads(),
                  [&](std::ptrdiff_t begin, std::ptrdiff_t count) {
                      const std::span statuses =
                          std::span(batch.statuses)
                              .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
                      join(result,
                           compute(model, batch.value, states_of(first, all, begin, count),
                                   states_of(rest, all, begin, count)..., statuses),
                           begin);
                  });
        return result;
    };
}

#define GRBDA_CALL_STATES(name) with_statuses([](auto&&... a) { return grbda::name(a...); })

/// A workspace like another, without its results.
std::shared_ptr<BatchWorkspace> copy_of_batch(const BatchWorkspace& b) {
    return std::make_shared<BatchWorkspace>(b.robot, b.value.threads(), b.value.simd());
}

void bind_data(py::module_& m) {
    py::enum_<Simd>(m, "Simd", "Instruction sets that the kernels of batches are compiled for.")
        .value("scalar", Simd::scalar)
        .value("portable", Simd::portable)
        .value("avx2", Simd::avx2)
        .value("avx512", Simd::avx512);
    py::class_<BatchWorkspace, std::shared_ptr<BatchWorkspace>>(
        m, "BatchData",
        "Workspaces for many states of one model at a time, one for each thread. Arrays of states have them "
        "along "
        "their first axis; a row of [states, nq] is a state.")
        .def(py::init([](const std::shared_ptr<Robot>& model, const py::object& threads,
                         std::optional<Simd> simd) {
                 return std::make_shared<BatchWorkspace>(
                     model, whole_number({"BatchData", "threads"}, threads), simd.value_or(widest_simd()));
             }),
             model_argument(), py::arg("threads") = 1, py::arg("simd") = py::none(),
             "__init__(self, model: Model, threads: int = 1, simd: Simd | None = None) -> None\n\n"
             "simd: the default is the widest that runs here.")
        .def_property_readonly(
            "model", [](const BatchWorkspace& b) { return std::const_pointer_cast<Robot>(b.robot); },
            "Model: that it was made for")
        .def_property_readonly(
            "threads", [](const BatchWorkspace& b) { return b.value.threads(); }, "int: of a call")
        .def_property_readonly(
            "simd", [](const BatchWorkspace& b) { return b.value.simd(); }, "Simd: of its kernels")
        .def_property_readonly(
            "result", [](const BatchWorkspace& b) { return b.result; },
            "Result: of the first state that failed in the last call, or ok")
        .def_property_readonly(
            "statuses",
            guarded<BatchWorkspace>("BatchData.statuses", [](const BatchWorkspace& b) { return b.statuses; }),
            "list[Status]: of each state of the last call")
        .def("__copy__", &copy_of_batch)
        .def("__deepcopy__", [](const BatchWorkspace& b, const py::dict&) { return copy_of_batch(b); })
        .def(py::pickle(
            [](const BatchWorkspace& b) {
                return py::make_tuple(std::const_pointer_cast<Robot>(b.robot), b.value.threads(),
                                      b.value.simd());
            },
            [](const py::tuple& state) {
                if (state.size() != 3) throw py::value_error("this is not the pickle of a BatchData");
                // the instructions may be wider than those of this machine
                return std::make_shared<BatchWorkspace>(state[0].cast<std::shared_ptr<Robot>>(),
                                                        state[1].cast<int>(),
                                                        std::min(state[2].cast<Simd>(), widest_simd()));
            }));
}

void bind_kinematics_of_states(py::module_& m) {
    const auto each_q = of_states(q), each_yd = of_states(yd);
    algorithm<BatchWorkspace>(m, "integrate", "Each q moved by its delta.", GRBDA_CALL_STATES(integrate),
                              each_q, of_states(delta), vector_out_of_states("q", nq));
    algorithm<BatchWorkspace>(m, "difference", "delta with q1 = integrate(q0, delta) of each.",
                              GRBDA_CALL_STATES(difference), of_states(vector("q0", nq, "closes the loops")),
                              of_states(vector("q1", nq, "in the same assembly mode")),
                              vector_out_of_states("delta", nv));
    algorithm<BatchWorkspace>(m, "close_loops", "Closes the loops of each q from its own guess.",
                              GRBDA_CALL_STATES(close_loops),
                              InOutOfStates{"q", nq, "independents are kept, dependents are the guess"});
    algorithm<BatchWorkspace>(
        m, "frame_poses",
        "Position [3], m, and axes [3, 3] of one frame in the world for each configuration.",
        GRBDA_CALL_STATES(frame_poses), each_q, frame, vector_out_of_states("positions", three),
        matrix_out("orientations", three, three));
    algorithm<BatchWorkspace>(m, "frame_velocities",
                              "Twist of one frame for each state, linear first, m/s and rad/s.",
                              GRBDA_CALL_STATES(frame_velocities), each_q, each_yd, frame, axes,
                              vector_out_of_states("twists", six));
    algorithm<BatchWorkspace>(
        m, "frame_jacobians", "Jacobian of one frame's twist with yd for each configuration, linear first.",
        GRBDA_CALL_STATES(frame_jacobians), each_q, frame, axes, twists_out_of_states("J"));
}

}  // namespace

void bind_batch(py::module_& m) {
    bind_data(m);
    bind_kinematics_of_states(m);
    const auto each_q = of_states(q), each_yd = of_states(yd), each_ydd = of_states(ydd),
               each_tau = of_states(tau), each_wrenches = of_states(wrenches);
    algorithm<BatchWorkspace>(m, "aba", "Forward dynamics of each.", GRBDA_CALL_STATES(aba), each_q, each_yd,
                              each_tau, each_wrenches, vector_out_of_states("ydd", nv));
    algorithm<BatchWorkspace>(m, "rnea", "Inverse dynamics of each.", GRBDA_CALL_STATES(rnea), each_q,
                              each_yd, each_ydd, each_wrenches, vector_out_of_states("tau", nv));
    algorithm<BatchWorkspace>(m, "crba", "Mass matrix of each.", GRBDA_CALL_STATES(crba), each_q,
                              square_out("M"));
    algorithm<BatchWorkspace>(m, "rnea_derivatives", "Derivatives of inverse dynamics of each.",
                              GRBDA_CALL_STATES(rnea_derivatives), each_q, each_yd, each_ydd, each_wrenches,
                              square_out("dtau_dy"), square_out("dtau_dyd"), square_out("M"));
    algorithm<BatchWorkspace>(m, "aba_derivatives", "Derivatives of forward dynamics of each.",
                              GRBDA_CALL_STATES(aba_derivatives), each_q, each_yd, each_tau, each_wrenches,
                              square_out("dydd_dy"), square_out("dydd_dyd"), square_out("dydd_dtau"),
                              vector_out_of_states("ydd", nv));
}

}  // namespace grbda::python
