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
    }
    return recorder.take();
}

}  // namespace grbda::generated
