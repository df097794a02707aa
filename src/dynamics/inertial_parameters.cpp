#include "inertial_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/inertias.hpp"

namespace grbda {
namespace {

using Parameters = Eigen::Matrix<double, parameters_per_body, 1>;

constexpr double rounding_of_parameters = 1e-9;  // relative to the largest of a body
constexpr double most_growth = 1e3;  // beyond, rounding of a zero pivot could exceed its bound in the model

Eigen::Vector3d as_eigen(const Vector3<double>& a) { return {a.x, a.y, a.z}; }

Eigen::Matrix3d as_eigen(const Matrix3<double>& A) {
    Eigen::Matrix3d result;
    result << as_eigen(A.x), as_eigen(A.y), as_eigen(A.z);
    return result;
}

Eigen::Matrix3d point_inertia(double m, const Eigen::Vector3d& c) {
    return m * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
}

Parameters parameters_of(const Inertial& body) {
    const auto& [m, c, about_com] = body;
    const Eigen::Matrix3d J = about_com + point_inertia(m, c);
    Parameters pi;
    pi << m, m * c, J(0, 0), J(0, 1), J(1, 1), J(0, 2), J(1, 2), J(2, 2);
    return pi;
}

Parameters parameters_of(const Rod& rod) {
    const double c = rod.center * rod.length, J = rod.transverse + rod.mass * c * c;
    Parameters pi;
    pi << rod.mass, rod.mass * c, 0, 0, rod.axial, 0, J, 0, 0, J;
    return pi;
}

[[noreturn]] void refuse(const std::string& link, const std::string& text) {
    throw std::invalid_argument("inertial parameters of '" + link + "': " + text);
}

/// Calls visit(carrier, link name, inertial) for cylinder and piston of each strut.
template <class Visit>
void each_strut_link(const Model& model, const Visit& visit) {
    for (int s = 0; s < static_cast<int>(model.struts.size()); ++s) {
        const int rod = model.struts[s].rod;
        visit(model.body_count() + rod, model.names.rods[rod].name, model.strut_inertials[2 * s]);
        visit(model.piston(s), model.names.rods[rod].piston, model.strut_inertials[2 * s + 1]);
    }
}

/// Expects a body of the same kind as before: with mass or inertia, or without.
void require_same_kind(const std::string& link, const Parameters& before, const Parameters& now) {
    if (!now.allFinite()) refuse(link, "a number is not finite");
    if (now[0] < 0) refuse(link, "the mass is " + std::to_string(now[0]) + " kg, expected zero or more");
    if (before.isZero(0) && !now.isZero(0))
        refuse(link, "it has no mass in the model and cannot get one; give it an inertial in the file");
    if (!before.isZero(0) && now.isZero(0))
        refuse(link, "a link with mass cannot lose all of it; expected a mass above zero");
}

Inertial inertial_of(const std::string& link, const Parameters& pi) {
    Inertial body;
    body.mass = pi[0];
    const Eigen::Vector3d moment = pi.segment<3>(1);
    if (body.mass > 0)
        body.com = moment / body.mass;
    else if (!moment.isZero(0))
        refuse(link, "the first moment m c is not zero, but the mass is");
    Eigen::Matrix3d J;
    J << pi[4], pi[5], pi[7], pi[5], pi[6], pi[8], pi[7], pi[8], pi[9];
    body.inertia = J - point_inertia(body.mass, body.com);
    const double least = principal_inertia(body.inertia).moments[0];
    if (least < -rounding_of_parameters * J.cwiseAbs().maxCoeff())
        refuse(link, "a moment of inertia about the centre of mass is " + std::to_string(least) +
                         " kg m^2, expected zero or more");
    return body;
}

void set_rod(const std::string& link, const Parameters& pi, Rod& rod) {
    Parameters symmetric = pi;
    symmetric[2] = symmetric[3] = symmetric[5] = symmetric[7] = symmetric[8] = 0;
    symmetric[9] = pi[6];
    if ((pi - symmetric).cwiseAbs().maxCoeff() > rounding_of_parameters * pi.cwiseAbs().maxCoeff())
        refuse(link,
               "it is a rod: expected m c along its line and J_yy = J_zz without products; load the "
               "robot without reduction of rods for other values");
    const double c = pi[0] > 0 ? pi[1] / pi[0] : 0, transverse = pi[6] - pi[0] * c * c;
    const double rounding = rounding_of_parameters * std::abs(pi[6]);
    if (!(c >= 0 && c <= rod.length) || transverse < -rounding || pi[4] < 0)
        refuse(link,
               "it is a rod: expected a centre of mass between its ends, and moments of inertia of "
               "zero or more");
    if (rod.spin_momentum != 0 && pi[4] == 0)
        refuse(link, "it spins: expected a moment of inertia about its line above zero");
    rod.mass = pi[0];
    rod.center = c / rod.length;
    rod.transverse = std::max(transverse, 0.);
    rod.axial = pi[4];
    rod.coupling = rod.mass * rod.center * (1 - rod.center) - rod.transverse / (rod.length * rod.length);
}

/// Replaces the parameters that differ. Marks the bodies whose passes read other numbers as a result.
class Replacement {
public:
    Replacement(ConstVector<double> parameters, Model& model)
        : model_(model), parameters_(parameters), changed_(model.bodies.size(), 0) {}

    void run() {
        require_growth();
        for (int i = 0; i < model_.body_count(); ++i) replace_body(i);
        for (int r = 0; r < static_cast<int>(model_.rods.size()); ++r)
            if (model_.rods[r].strut < 0) replace_rod(r);
        each_strut_link(model_, [this](int carrier, const std::string& link, const Inertial& inertial) {
            if (given(carrier) != parameters_of(inertial))
                refuse(link,
                       "it is a link of a strut; load the robot without reduction of rods for other values");
        });
        if (std::find(changed_.begin(), changed_.end(), 1) == changed_.end()) return;
        for (Rotor& rotor : model_.rotors)
            if (changed_[rotor.body]) replace_rotor(rotor);
        for (int i = 0; i < model_.body_count(); ++i)
            if (changed_[i] && !model_.bodies[i].rotor)
                model::set_inertial(carried_inertial(i), model_.bodies[i]);
        for (const Cluster& c : model_.clusters) weigh_linkage(c);
        model::fold_rotors(model_);
    }

private:
    Parameters given(int carrier) const {
        return parameters_.segment<parameters_per_body>(parameters_per_body * carrier);
    }
    void mark(int body) {
        if (body != world) changed_[body] = 1;
    }

    /// Bounds of zero pivots stay those of the model.
    void require_growth() const {
        Parameters before = Parameters::Zero(), now = before;
        for (int i = 0; i < model_.body_count(); ++i) {
            before = before.cwiseMax(parameters_of(model_.inertials[i]));
            now = now.cwiseMax(given(i));
        }
        const auto grows = [&](double from, double to) { return to > most_growth * from; };
        const double from = before[4] + before[6] + before[9], to = now[4] + now[6] + now[9];
        if (grows(before[0], now[0]) || grows(from, to))
            throw std::invalid_argument(
                "inertial parameters: masses or moments of inertia are more than a thousand times those of "
                "the model; write them into the file and load it");
    }

    void replace_body(int i) {
        const std::string& name = model_.names.bodies[i];
        const Parameters before = parameters_of(model_.inertials[i]), now = given(i);
        if (now == before) return;
        require_same_kind(name, before, now);
        model_.inertials[i] = inertial_of(name, now);
        mark(i);
        const Body& body = model_.bodies[i];
        if (body.rotor) mark(body.parent);
    }

    void replace_rod(int r) {
        Rod& rod = model_.rods[r];
        const std::string& name = model_.names.rods[r].name;
        const Parameters before = parameters_of(rod), now = given(model_.body_count() + r);
        if (now == before) return;
        require_same_kind(name, before, now);
        set_rod(name, now, rod);
        mark(model_.loops[rod.loop].predecessor.body);
        mark(model_.loops[rod.loop].successor.body);
    }

    void replace_rotor(Rotor& rotor) {
        const Body& body = model_.bodies[rotor.body];
        const Inertial& inertial = model_.inertials[rotor.body];
        const Eigen::Vector3d axis = as_eigen(body.rotation).transpose() * as_eigen(body.axis);
        if (!is_axisymmetric(inertial, axis))
            refuse(model_.names.bodies[rotor.body],
                   "it is a rotor: expected an inertia that is symmetric about its axis; load the robot "
                   "without reduction of rotors for other values");
        rotor.axial_inertia = axis.dot(inertial.inertia * axis);
    }

    /// With the rods that end on a body, and with its rotors.
    Inertial carried_inertial(int i) const {
        Inertial whole = model_.inertials[i];
        for (const Rod& rod : model_.rods) {
            const Loop& loop = model_.loops[rod.loop];
            const auto add_end = [&](const LoopEnd& end, double mass) {
                if (end.body == i)
                    whole = merged(whole, {mass, as_eigen(end.position), Eigen::Matrix3d::Zero()});
            };
            add_end(loop.predecessor, rod.mass * (1 - rod.center));  // of a strut, the shares of its links
            add_end(loop.successor, rod.mass * rod.center);
        }
        for (const Rotor& rotor : model_.rotors) {
            const Body& body = model_.bodies[rotor.body];
            if (body.parent == i)
                model::add_inertial(model_.inertials[rotor.body],
                                    {as_eigen(body.rotation), as_eigen(body.position)}, whole);
        }
        return whole;
    }

    void weigh_linkage(const Cluster& c) {
        for (int i = c.bodies.first; c.linkage >= 0 && i < c.bodies.last; ++i)
            model::set_inertial(model_.bodies[i], model_.linkages[c.linkage].links[i - c.bodies.first + 1]);
    }

    Model& model_;
    ConstVector<double> parameters_;
    Table<char> changed_;
};

}  // namespace

VectorX<double> inertial_parameters(const Model& model) {
    require_whole(model);
    VectorX<double> pi(parameters_per_body * model.carrier_count());
    for (int i = 0; i < model.body_count(); ++i)
        pi.segment<parameters_per_body>(parameters_per_body * i) = parameters_of(model.inertials[i]);
    for (int r = 0; r < static_cast<int>(model.rods.size()); ++r)
        pi.segment<parameters_per_body>(parameters_per_body * (model.body_count() + r)) =
            parameters_of(model.rods[r]);
    each_strut_link(model, [&pi](int carrier, const std::string&, const Inertial& inertial) {
        pi.segment<parameters_per_body>(parameters_per_body * carrier) = parameters_of(inertial);
    });
    return pi;
}

namespace dynamics {

void set_inertial_parameters(ConstVector<double> parameters, Model& model) {
    require_whole(model);
    require_size("parameters", parameters.size(), parameters_per_body * model.carrier_count());
    Replacement(parameters, model).run();
}

}  // namespace dynamics

Model with_inertial_parameters(Model model, ConstVector<double> parameters) {
    dynamics::set_inertial_parameters(parameters, model);
    return model;
}

}  // namespace grbda
