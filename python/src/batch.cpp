#include "grbda/batch/batch_data.hpp"

#include <pybind11/stl.h>

#include "arguments.hpp"
#include "rooms.hpp"

namespace grbda::python {
namespace {

using namespace arguments;  // NOLINT

/// The batch's data, and room for the status of each state.
template <class F>
auto with_statuses(F compute) {
    return [compute](const Model& model, BatchWorkspace& batch, const MatrixView& first, auto&&... rest) {
        batch.statuses.resize(static_cast<std::size_t>(first.cols()));
        return compute(model, batch.value, first, rest..., std::span<Status>(batch.statuses));
    };
}

#define GRBDA_CALL_STATES(name) with_statuses([](auto&&... a) { return grbda::name(a...); })

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
        .def(py::init([](const std::shared_ptr<Robot>& model, int threads, std::optional<Simd> simd) {
                 return std::make_shared<BatchWorkspace>(model, threads, simd.value_or(widest_simd()));
             }),
             py::arg("model"), py::arg("threads") = 1, py::arg("simd") = py::none(),
             "__init__(self, model: Model, threads: int = 1, simd: Simd | None = None) -> None\n\n"
             "simd: None is the widest that runs here.")
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
            "statuses", [](const BatchWorkspace& b) { return b.statuses; },
            "list[Status]: of each state of the last call");
}

}  // namespace

void bind_batch(py::module_& m) {
    bind_data(m);
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
