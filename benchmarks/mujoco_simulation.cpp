#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "grbda/kinematics/configuration.hpp"
#include "grbda/compile/build.hpp"
#include "grbda/edit/edit.hpp"
#include "groups.hpp"
#include "mujoco_mechanism.hpp"
#include "standing.hpp"

// mj_step of the standing robots: simulate/ROBOT/mujoco. Rotors are armature of the joints that they drive,
// as usual in MuJoCo, which omits the coupling of two joints if a belt passes one of them. On rotors with
// soft gears neither robot stands with its feet on the ground.

namespace grbda::benchmarks {
namespace {

constexpr int steps_of_second = 1000;

Model model_of(const Mechanism& mechanism) {
    Diagnostics diagnostics;
    return build_model(mechanism, {}, diagnostics);
}

std::vector<std::string> rotors_of(const Model& model) {
    std::vector<std::string> names;
    for (int i = 0; i < model.body_count(); ++i)
        if (model.bodies[i].rotor) names.push_back(model.names.joints[i]);
    return names;
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// For each joint to which a rotor is geared, by name: ratio² · the rotor's inertia about its axis.
std::map<std::string, double> armature_of(const Mechanism& mechanism,
                                          const std::vector<std::string>& rotors) {
    std::map<std::string, double> armature;
    for (const MechanismCoupling& coupling : mechanism.couplings)
        for (const MechanismTerm& rotor : coupling.terms) {
            const MechanismBody& body = mechanism.bodies[rotor.body];
            if (!is_among(rotors, body.joint)) continue;
            const double inertia = body.axis.dot(body.inertia.inertia * body.axis);
            for (const MechanismTerm& driven : coupling.terms) {
                const double ratio = driven.coefficient / rotor.coefficient;
                if (driven.body != rotor.body)
                    armature[mechanism.bodies[driven.body].joint] += ratio * ratio * inertia;
            }
        }
    return armature;
}

/// Fixes the rotors: their mass remains, and their spin becomes armature.
Mechanism without_rotors(Mechanism mechanism, const std::vector<std::string>& rotors) {
    const std::map<std::string, double> armature = armature_of(mechanism, rotors);
    mechanism.couplings.clear();
    for (MechanismBody& body : mechanism.bodies) body.independent.reset();
    const Model model = model_of(mechanism);
    Diagnostics diagnostics;
    Mechanism result = freeze(mechanism, model, neutral_configuration(model), rotors, diagnostics);
    if (has_errors(diagnostics)) throw NotExpressible("rotors that cannot be fixed");
    for (MechanismBody& body : result.bodies)
        if (const auto found = armature.find(body.joint); found != armature.end())
            body.armature += found->second;
    return result;
}

/// The same motion as that of StandingRobot, by springs and dampers of the joints.
class MujocoRobot {
public:
    MujocoRobot(const Standing& standing, const Mechanism& mechanism) {
        const Model model = model_of(mechanism);
        model_ = make_mujoco_model(mechanism, model, MujocoGround{simulated_step, standing.ground});
        data_.reset(mj_makeData(model_.get()));
        for (int i = 0; i < static_cast<int>(mechanism.bodies.size()); ++i) {
            const MechanismBody& body = mechanism.bodies[i];
            if (velocity_size(body.type) != 1) continue;
            const int joint = mujoco_joint(*model_, i);
            model_->jnt_stiffness[joint] = servo_stiffness;
            model_->dof_damping[model_->jnt_dofadr[joint]] = servo_damping;
            for (const Standing::Joint& bending : standing.joints)
                if (bending.name == body.joint)
                    bending_.emplace_back(model_->jnt_qposadr[joint], bending.bend);
        }
        const VectorX<double> zero = VectorX<double>::Zero(model.nv_tree);
        set_state(*model_, *data_,
                  to_mujoco(mechanism, {neutral_configuration(model), zero, zero, zero, {}}));
        for (int i = 0; i < steps_of_second; ++i) step();
    }

    void step() {
        const double part = bent(data_->time);
        for (const auto& [place, bend] : bending_) model_->qpos_spring[place] = part * bend;
        mj_step(model_.get(), data_.get());
    }

    double mass() const { return mj_getTotalmass(model_.get()); }
    const mjData& data() const { return *data_; }

    /// Sum over all contacts, N.
    double normal_force() const {
        double sum = 0;
        for (int i = 0; i < data_->ncon; ++i) {
            mjtNum force[6];
            mj_contactForce(model_.get(), data_.get(), i, force);
            sum += force[0];
        }
        return sum;
    }

private:
    MujocoModel model_;
    MujocoData data_;
    std::vector<std::pair<int, double>> bending_;  ///< index in qpos, rad
};

/// Throws unless the robot has the same contacts and weight as the engine's.
void check(const Standing& standing, MujocoRobot& robot) {
    double force = 0;
    int least = 1000, most = 0;
    for (int i = 0; i < steps_of_second; ++i) {
        robot.step();
        force += robot.normal_force() / steps_of_second;
        least = std::min(least, robot.data().ncon);
        most = std::max(most, robot.data().ncon);
    }
    check_standing(standing, least, most, force / (robot.mass() * 9.81));
}

void time_step(benchmark::State& timer, const Standing& standing) {
    Mechanism mechanism = read_mechanism(standing.robot);
    mechanism = without_rotors(mechanism, rotors_of(model_of(mechanism)));
    MujocoRobot robot(standing, mechanism);
    check(standing, robot);
    double iterations = 0;
    for (auto iteration : timer) {
        (void)iteration;
        robot.step();
        benchmark::DoNotOptimize(robot.data().qacc);
        iterations += robot.data().solver_iter;
    }
    timer.counters["iterations"] = benchmark::Counter(iterations, benchmark::Counter::kAvgIterations);
}

}  // namespace

void register_mujoco_simulation() {
    for (const Standing& standing : standing_robots())
        benchmark::RegisterBenchmark(("simulate/" + standing.robot + "/mujoco").c_str(),
                                     [=](benchmark::State& timer) {
                                         try {
                                             time_step(timer, standing);
                                         } catch (const std::exception& error) {
                                             timer.SkipWithError(error.what());
                                         }
                                     });
}

}  // namespace grbda::benchmarks
