#include "laws/workspace_calls.hpp"

#include "constraints/actuation.hpp"
#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/contact_inertia.hpp"
#include "derivatives/kinematics_derivatives.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/factor.hpp"
#include "support/require_ok.hpp"

namespace workspace_calls {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd flat(const MatrixXd& x) { return Eigen::Map<const VectorXd>(x.data(), x.size()); }

grbda::ContactSpace contact_space(const grbda::Model& model) { return {model, 0, 1}; }

}  // namespace

std::map<std::string, std::pair<std::string, Reading>> readings() {
    const std::string poses = "forward_kinematics", changes = "forward_kinematics_derivatives",
                      embedding = "constraint_embedding";
    const auto jacobian = [](auto& m, auto& d, int f) {
        grbda::Matrix6X<double> J(6, m.nv);
        grbda::frame_jacobian<double>(m, d, f, kWorld, J);
        return flat(J);
    };
    return {
        {"frame_orientation",
         {poses, [](auto& m, auto& d, int f) { return flat(grbda::frame_orientation(m, d, f)); }}},
        {"frame_position",
         {poses, [](auto& m, auto& d, int f) { return flat(grbda::frame_position(m, d, f)); }}},
        {"frame_velocity",
         {poses, [](auto& m, auto& d, int f) { return flat(grbda::frame_velocity(m, d, f, kWorld)); }}},
        {"frame_acceleration",
         {poses, [](auto& m, auto& d, int f) { return flat(grbda::frame_acceleration(m, d, f, kWorld)); }}},
        {"frame_jacobian", {poses, jacobian}},
        {"body_jacobian",
         {poses,
          [](auto& m, auto& d, int) {
              grbda::Matrix6X<double> J(6, m.nv);
              grbda::body_jacobian<double>(m, d, m.body_count() - 1, kWorld, J);
              return flat(J);
          }}},
        {"add_frame_wrench",
         {poses,
          [](auto& m, auto& d, int f) {
              grbda::Matrix6X<double> wrenches = grbda::Matrix6X<double>::Zero(6, m.body_count());
              grbda::add_frame_wrench<double>(m, d, f, kWorld, VectorXd::LinSpaced(6, 1, 6), wrenches);
              return flat(wrenches);
          }}},
        {"self_distances",
         {poses,
          [](auto& m, auto& d, int) {
              std::vector<grbda::GroupDistance> found(m.self_collision.pairs.size());
              grbda::self_distances<double>(m, d, found);
              VectorXd x(static_cast<Eigen::Index>(found.size()));
              for (std::size_t i = 0; i < found.size(); ++i)
                  x[static_cast<Eigen::Index>(i)] = found[i].distance;
              return x;
          }}},
        {"frame_velocity_derivatives",
         {changes,
          [](auto& m, auto& d, int f) {
              Outputs o(m);
              grbda::frame_velocity_derivatives<double>(m, d, f, kWorld, o.J, o.K);
              return flat(o.J + o.K);
          }}},
        {"frame_acceleration_derivatives",
         {changes,
          [](auto& m, auto& d, int f) {
              Outputs o(m);
              grbda::frame_acceleration_derivatives<double>(m, d, f, kWorld, grbda::Acceleration::spatial,
                                                            o.J, o.K, o.L);
              return flat(o.J + o.K + o.L);
          }}},
        {"frame_jacobian_rate",
         {changes,
          [](auto& m, auto& d, int f) {
              Outputs o(m);
              grbda::frame_jacobian_rate<double>(m, d, f, kWorld, o.J);
              return flat(o.J);
          }}},
        {"explicit_jacobian",
         {embedding, [](auto& m, auto& d, int) { return flat(grbda::explicit_jacobian(m, d)); }}},
        {"explicit_bias",
         {embedding, [](auto& m, auto& d, int) { return flat(grbda::explicit_bias(m, d)); }}},
        {"implicit_jacobian",
         {embedding, [](auto& m, auto& d, int) { return flat(grbda::implicit_jacobian(m, d)); }}},
        {"implicit_bias",
         {embedding, [](auto& m, auto& d, int) { return flat(grbda::implicit_bias(m, d)); }}},
        {"inverse_mass_times",
         {"factor",
          [](auto& m, auto& d, int) {
              MatrixXd x = MatrixXd::Ones(m.nv, 1);
              must(grbda::inverse_mass_times<double>(m, d, x, x));
              return flat(x);
          }}},
        {"solve",
         {"factor",
          [](auto& m, auto& d, int) {
              MatrixXd x = MatrixXd::Ones(m.nv, 1);
              must(grbda::solve<double>(m, d, x, x));
              return flat(x);
          }}},
        {"contact_inertia",
         {"free_motion",
          [](auto& m, auto& d, int) {
              auto space = contact_space(m);
              const int joint = m.v_index[m.nv_tree - 1];
              must(grbda::contact_inertia<double>(m, d, {}, {&joint, 1}, space));
              return VectorXd{{space.inverse_inertia(0, 0), space.velocity[0], space.acceleration[0]}};
          }}},
        {"contact_velocities",
         {"forward_kinematics",
          [](auto& m, auto& d, int) {
              auto space = contact_space(m);
              space.rows = 1;
              space.joints.push_back(m.nv_tree - 1);
              VectorXd u(1);
              grbda::contact_velocities<double>(m, d, space, u);
              return u;
          }}},
        {"apply_impulses",
         {"free_motion",
          [](auto& m, auto& d, int) {
              auto space = contact_space(m);
              VectorXd change(m.nv);
              must(grbda::apply_impulses<double>(m, d, space, VectorXd(0), change));
              return change;
          }}},
    };
}

}  // namespace workspace_calls
