#include "tasks.hpp"

#include <stdexcept>

#include "grbda/batch/batch_data.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/io/load.hpp"
#include "grbda/kinematics/configuration.hpp"

namespace tasks {

void require(const grbda::Result& result) {
    if (!result) throw std::runtime_error(to_string(result.status));
}

grbda::Model load_floating(const std::string& file) {
    grbda::LoadOptions options;
    options.floating_base = true;       // a file with a floating joint of its own needs no options
    return grbda::load(file, options);  // throws LoadError with all errors
}

Vector moved(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd, double h) {
    Vector out(model.nq);
    require(grbda::integrate(model, data, q, h * yd, out));  // on SE(3), loops closed
    return out;
}

Vector inverse_dynamics(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd,
                        const Vector& ydd) {
    require(grbda::rnea(model, data, q, yd, ydd));
    return data.tau;
}

Vector pushed(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd, const Vector& tau,
              int body, const Eigen::Vector3d& force) {
    require(grbda::forward_kinematics(model, data, q));
    const Eigen::Matrix3d R = grbda::body_pose(model, data, body).linear();
    grbda::Matrix6X<double> wrenches = grbda::Matrix6X<double>::Zero(6, model.body_count());
    wrenches.col(body).head<3>() = R.transpose() * force;  // [force; moment] in the body's own axes
    require(grbda::aba(model, data, q, yd, tau, wrenches));
    return data.ydd;
}

Matrix mass_matrix(const grbda::Model& model, Data& data, const Vector& q) {
    require(grbda::crba(model, data, q));  // both triangles
    return data.M;
}

FrameMotion frame_motion(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd,
                         const std::string& frame) {
    constexpr auto axes = grbda::ReferenceFrame::world_aligned;
    const int index = model.frame(frame).index;  // every link is a frame, with its own name
    FrameMotion out;
    out.J.resize(6, model.nv);
    require(grbda::forward_kinematics(model, data, q, yd));
    out.position = grbda::frame_position(model, data, index);
    out.orientation = grbda::frame_orientation(model, data, index);
    out.velocity = grbda::frame_velocity(model, data, index, axes);
    grbda::frame_jacobian(model, data, index, axes, out.J);
    return out;
}

Loops close_loops(const grbda::Model& model, Data& data, const std::string& joint, double position) {
    Loops out;
    out.q = grbda::neutral_configuration(model);
    out.q[model.joint(joint).q.first] = position;     // an independent joint
    require(grbda::close_loops(model, data, out.q));  // the others follow
    require(grbda::constraint_embedding(model, data, out.q, Vector::Zero(model.nv)));
    out.G = data.G;
    out.K = data.K;
    return out;
}

Derivatives forward_derivatives(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd,
                                const Vector& tau) {
    require(grbda::aba_derivatives(model, data, q, yd, tau));
    return {data.dydd_dy, data.dydd_dyd, data.M_inverse};
}

Landing drop(const grbda::Model& model, const Vector& q, double seconds) {
    Landing out;
    grbda::SimulatorOptions options;
    options.step = 1e-3;
    grbda::Simulator simulator(model, options, grbda::Plane{});  // the plane z = 0
    require(simulator.set_state(q, Vector::Zero(model.nv_tree)));
    while (simulator.time() < seconds) {
        require(simulator.step().result);  // no forces of motors
        for (const grbda::ContactState& contact : simulator.contacts()) out.impulse += contact.impulse.z();
    }
    out.q = simulator.q();
    out.qd = simulator.velocity();
    return out;
}

Matrix many_accelerations(const grbda::Model& model, int threads, const Matrix& q, const Matrix& yd,
                          const Matrix& tau) {
    grbda::BatchData batch(model, threads);  // workspaces, to be kept for the next states
    Matrix ydd(model.nv, q.cols());
    if (!grbda::aba(model, batch, q, yd, tau, ydd)) throw std::runtime_error("a state is singular");
    return ydd;
}

}  // namespace tasks
