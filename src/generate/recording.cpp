#include "algorithms.hpp"

namespace grbda::generated {

Recording record(const Canonical& robot, const Request& request) {
    Recorder recorder(robot, request);
    switch (request.algorithm) {
        case GeneratedAlgorithm::aba: record_aba(recorder); break;
        case GeneratedAlgorithm::rnea: record_rnea(recorder, true); break;
        case GeneratedAlgorithm::bias: record_rnea(recorder, false); break;
        case GeneratedAlgorithm::crba: record_crba(recorder); break;
        case GeneratedAlgorithm::poses: record_poses(recorder); break;
        case GeneratedAlgorithm::twists: record_twists(recorder); break;
        case GeneratedAlgorithm::jacobians: record_jacobians(recorder); break;
        case GeneratedAlgorithm::close: record_closing(recorder); break;
        case GeneratedAlgorithm::rnea_derivatives: record_inverse_derivatives(recorder); break;
        case GeneratedAlgorithm::aba_derivatives: record_forward_derivatives(recorder); break;
        case GeneratedAlgorithm::forces: record_forces_of_inputs(recorder); break;
        case GeneratedAlgorithm::forces_derivatives: record_derivatives_of_inputs(recorder); break;
        case GeneratedAlgorithm::tangent: record_tangent(recorder); break;
        case GeneratedAlgorithm::motors: record_motors(recorder); break;
        case GeneratedAlgorithm::rnea_hessian: record_inverse_hessian(recorder); break;
        case GeneratedAlgorithm::forces_hessian: record_hessian_of_inputs(recorder); break;
        case GeneratedAlgorithm::tangent_hessian: record_tangent_hessian(recorder); break;
        case GeneratedAlgorithm::frames_derivatives: record_frame_derivatives(recorder); break;
        case GeneratedAlgorithm::frames_hessian: record_frame_hessian(recorder); break;
    }
    return recorder.take();
}

}  // namespace grbda::generated
