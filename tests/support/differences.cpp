#include "support/differences.hpp"

namespace differences {

bool moved(const Model& model, Workspace<double>& data, const VectorXd& q, const VectorXd& delta,
           VectorXd& out) {
    out.resize(model.nq);
    return grbda::integrate<double>(model, data, q, delta, out).ok();
}

VectorXd moved(const Model& model, Workspace<double>& data, const VectorXd& q, const VectorXd& delta) {
    VectorXd out;
    REQUIRE(moved(model, data, q, delta, out));
    return out;
}

VectorXd between(const Model& model, Workspace<double>& data, const VectorXd& q0, const VectorXd& q1) {
    VectorXd delta(model.nv);
    REQUIRE(grbda::difference<double>(model, data, q0, q1, delta).ok());
    return delta;
}

bool is_looped(const Model& model) {
    return std::any_of(model.bodies.begin(), model.bodies.end(), [&](const grbda::Body& body) {
        return grbda::has_quaternion(body.joint) &&
               model.clusters[body.cluster].embedding == grbda::Embedding::implicit;
    });
}

}  // namespace differences
