#pragma once

#include <cmath>
#include <functional>
#include <utility>

#include <Eigen/Geometry>

#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/energy.hpp"
#include "kinematics/configuration.hpp"
#include "kernels/body/configuration.hpp"
#include "support/charts.hpp"
#include "support/require_ok.hpp"

// A robot that moves freely, in Runge–Kutta steps, to test choices of coordinates. Its state is q and q̇; each
// step chooses its own coordinates.

namespace stepping {

using Eigen::VectorXd;

enum class Coordinates { fixed, chosen, tangent };

class Motion {
public:
    Motion(const grbda::Model& model, Coordinates coordinates, VectorXd position, VectorXd velocity)
        : q(std::move(position)),
          qd(std::move(velocity)),
          model_(model),
          coordinates_(coordinates),
          data_(model),
          yd_(model.nv) {}

    VectorXd q, qd;

    /// A step; one that meets a singular pose is taken in two unequal ones instead. Not ok: it ends here.
    grbda::Result step(double h) {
        const VectorXd q_before = q, qd_before = qd;
        grbda::Result result = runge_kutta(h);
        for (const double part : {0.38, 0.57, 0.26, 0.71}) {
            if (result.ok()) break;
            q = q_before;
            qd = qd_before;
            result = runge_kutta(part * h);
            if (result.ok()) result = runge_kutta((1 - part) * h);
        }
        return result;
    }

    grbda::MechanicalState mechanical() {
        grbda::MechanicalState state;
        grbda::independent_part<double>(model_, data_, qd, yd_);
        must(grbda::mechanical_state<double>(model_, data_, q, yd_, state));
        return state;
    }
    double energy() {
        const grbda::MechanicalState state = mechanical();
        return state.kinetic + state.potential;
    }

private:
    grbda::Result choose() {
        switch (coordinates_) {
            case Coordinates::fixed: break;
            case Coordinates::chosen:
                return grbda::choose_coordinates<double>(model_, data_, q, grbda::Marks::ignored);
            case Coordinates::tangent: return grbda::take_tangents<double>(model_, data_, q);
        }
        return {};
    }

    /// q̇, and ẏ with the correction for a way that is not short, of joints with a quaternion:
    /// δ̇ = v + ½ [δ, v] + ⅟₁₂ [δ, [δ, v]]
    grbda::Result slope(const VectorXd& at, const VectorXd& yd, const VectorXd& way, VectorXd& rate,
                        VectorXd& ydd) {
        grbda::Result result = grbda::spanning_velocity<double>(model_, data_, at, yd);
        if (!result.ok()) return result;
        rate = data_.qd;
        for (const grbda::Body& body : model_.get().bodies) {
            if (!grbda::has_quaternion(body.joint)) continue;
            const int size = grbda::velocity_size(body.joint);
            const VectorXd delta = way.segment(body.v, size), v = rate.segment(body.v, size);
            const VectorXd once = bracket(delta, v);
            rate.segment(body.v, size) += 0.5 * once + bracket(delta, once) / 12;
        }
        result = grbda::aba<double>(model_, data_, at, yd, VectorXd::Zero(model_.get().nv));
        ydd = data_.ydd;
        return result;
    }
    static VectorXd bracket(const VectorXd& a, const VectorXd& b) {
        using Eigen::Vector3d;
        VectorXd out(a.size());
        const Vector3d turn = a.tail<3>(), turned = b.tail<3>();
        out.tail<3>() = turn.cross(turned);
        if (a.size() == 6)
            out.head<3>() = turn.cross(Vector3d(b.head<3>())) + Vector3d(a.head<3>()).cross(turned);
        return out;
    }

    /// Configuration after the displacement `way` [nv_tree], with the loops closed.
    grbda::Result follow(const VectorXd& way, VectorXd& to) {
        to.resize(model_.get().nq);
        for (const grbda::Body& body : model_.get().bodies)
            grbda::kernels::joint_integrate(body.joint, q.data() + body.q, way.data() + body.v,
                                            to.data() + body.q);
        return grbda::close_loops<double>(model_, data_, to);
    }

    grbda::Result runge_kutta(double h) {
        grbda::Result result = choose();
        if (!result.ok()) return result;
        grbda::independent_part<double>(model_, data_, qd, yd_);
        const double portions[] = {0, h / 2, h / 2, h}, weights[] = {h / 6, h / 3, h / 3, h / 6};
        VectorXd way = VectorXd::Zero(model_.get().nv_tree), faster = VectorXd::Zero(model_.get().nv),
                 rate = qd, ydd = faster, at = q;
        for (int i = 0; i < 4; ++i) {
            const VectorXd bit = portions[i] * rate;
            if (i > 0) result = follow(bit, at);
            if (result.ok()) result = slope(at, yd_ + portions[i] * ydd, bit, rate, ydd);
            if (!result.ok()) return result;
            way += weights[i] * rate;
            faster += weights[i] * ydd;
        }
        result = follow(way, at);
        if (result.ok()) result = grbda::spanning_velocity<double>(model_, data_, at, yd_ + faster);
        if (!result.ok()) return result;
        q = at;
        qd = data_.qd;
        return result;
    }

    std::reference_wrapper<const grbda::Model> model_;
    Coordinates coordinates_;
    grbda::Workspace<double> data_;
    VectorXd yd_;
};

}  // namespace stepping
