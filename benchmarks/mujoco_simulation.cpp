#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "grbda/kinematics/configuration.hpp"
#include "grbda/compile/build.hpp"
#include "grbda/edit/edit.hpp"
#include "groups.hpp"
#include "mujoco_mechanism.hpp"
#include "standing.hpp"

// mj_step of the standing robots: simulate/ROBOT/mujoco, and of many of them on two threads:
// worlds/ROBOT/mujoco. Rotors are armature of the joints that they drive,
// as usual in MuJoCo, which omits the coupling of two joints if a belt passes one of them. On rotors with
// soft gears neither robot stands with its feet on the ground.

namespace grbda::benchmarks {
namespace {

/// Rods are bodies, as in MuJoCo.
Model model_of(const Mechanism& mechanism) {
    LoadOptions options;
    options.rod_reduction = false;
    Diagnostics diagnostics;
    return build_model(mechanism, options, diagnostics);
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

/// A standing robot for mj_step, with springs and dampers of its joints as servos.
class MujocoRobot {
public:
    explicit MujocoRobot(const Standing& standing) : mechanism_(read_mechanism(standing.robot)) {
        const std::vector<std::string> rotors = rotors_of(model_of(mechanism_));
        if (!rotors.empty()) mechanism_ = without_rotors(mechanism_, rotors);
        Model model = model_of(mechanism_);
        const std::vector<Servo> servos = servos_of(standing, model);
        std::vector<int> bodies;  // of the servos, in the mechanism
        for (const Servo& servo : servos) bodies.push_back(body_of_joint(model.names.joints[servo.body]));
        stabilize(bodies);
        model = model_of(mechanism_);
        pose_ = pose_of(standing, model);
        rest_ = VectorX<double>::Zero(model.nv_tree);
        model_ = make_mujoco_model(mechanism_, model, MujocoGround{simulated_step, standing.ground});
        // loops as stiff as the step allows: on loops of the default softness digit sinks and falls
        for (int i = 0; i < model_->neq; ++i) model_->eq_solref[mjNREF * i] = 2 * simulated_step;
        for (std::size_t i = 0; i < servos.size(); ++i) {
            const int joint = mujoco_joint(*model_, bodies[i]);
            model_->jnt_stiffness[joint] = servo_stiffness;
            model_->dof_damping[model_->jnt_dofadr[joint]] = standing.servo_damping;
            springs_.push_back({model_->jnt_qposadr[joint], servos[i]});
        }
    }

    /// Returns a simulation that starts at a height above the pose, m.
    MujocoData start(double height) const {
        MujocoData data(mj_makeData(model_.get()));
        set_state(*model_, *data, to_mujoco(mechanism_, {pose_, rest_, rest_, rest_, {}}));
        data->qpos[2] += height;  // of the floating base
        return data;
    }

    /// Sets the targets of a time, for all simulations.
    void bend(double time) {
        for (const Spring& spring : springs_)
            model_->qpos_spring[spring.place] = spring.servo.target + bent(time) * spring.servo.bend;
    }
    void step(mjData& data) const { mj_step(model_.get(), &data); }

    double mass() const { return mj_getTotalmass(model_.get()); }

    /// Sum over all contacts, N.
    double normal_force(const mjData& data) const {
        double sum = 0;
        for (int i = 0; i < data.ncon; ++i) {
            mjtNum force[6];
            mj_contactForce(model_.get(), &data, i, force);
            sum += force[0];
        }
        return sum;
    }

private:
    int body_of_joint(const std::string& joint) const {
        const auto has_it = [&](const MechanismBody& body) { return body.joint == joint; };
        const auto found = std::find_if(mechanism_.bodies.begin(), mechanism_.bodies.end(), has_it);
        return static_cast<int>(found - mechanism_.bodies.begin());
    }

    /// Adds armature to joints without servos: links of rods have no inertia about their axes, and without it
    /// MuJoCo's first step is not finite.
    void stabilize(const std::vector<int>& driven) {
        constexpr double armature = 1e-3;  // kg·m²
        for (int i = 0; i < static_cast<int>(mechanism_.bodies.size()); ++i) {
            MechanismBody& body = mechanism_.bodies[i];
            if (body.type == JointType::revolute &&
                std::find(driven.begin(), driven.end(), i) == driven.end())
                body.armature += armature;
        }
    }

    struct Spring {
        int place = 0;  ///< in qpos
        Servo servo;
    };
    Mechanism mechanism_;
    MujocoModel model_;
    VectorX<double> pose_, rest_;
    std::vector<Spring> springs_;
};

/// Checks that a robot has the same contacts and weight as the engine's.
class StandingCheck {
public:
    void add(const MujocoRobot& robot, const mjData& data) {
        force_ += robot.normal_force(data);
        least_ = std::min(least_, data.ncon);
        most_ = std::max(most_, data.ncon);
        ++count_;
    }
    /// Throws unless it has.
    void end(const Standing& standing, const MujocoRobot& robot) const {
        check_contacts(standing, least_, most_);
        check_weight(weight(robot));
    }
    /// Mean force on the ground over m g.
    double weight(const MujocoRobot& robot) const { return force_ / count_ / (robot.mass() * 9.81); }

private:
    double force_ = 0;
    int least_ = 1000, most_ = 0, count_ = 0;
};

void time_step(benchmark::State& timer, const Standing& standing) {
    MujocoRobot robot(standing);
    const MujocoData data = robot.start(0);
    const auto step = [&] {
        robot.bend(data->time);
        robot.step(*data);
    };
    for (int i = 0; i < steps_of_second; ++i) step();
    StandingCheck check;
    for (int i = 0; i < steps_of_second; ++i) {
        step();
        check.add(robot, *data);
    }
    check.end(standing, robot);
    double iterations = 0;
    for (auto iteration : timer) {
        (void)iteration;
        step();
        benchmark::DoNotOptimize(data->qacc);
        iterations += data->solver_iter;
    }
    timer.counters["iterations"] = benchmark::Counter(iterations, benchmark::Counter::kAvgIterations);
}

/// The same as StandingWorlds: an iteration takes world_steps steps of each simulation.
void time_worlds(benchmark::State& timer, const Standing& standing) {
    MujocoRobot robot(standing);
    std::vector<MujocoData> worlds;
    for (int i = 0; i < world_count; ++i) worlds.push_back(robot.start(start_height(i)));
    tbb::task_arena arena(world_threads);
    const auto step = [&](int steps) {
        arena.execute([&] {
            tbb::parallel_for(0, world_count, [&](int i) {
                for (int k = 0; k < steps; ++k) robot.step(*worlds[at(i)]);
            });
        });
    };
    const auto bend = [&] { robot.bend(worlds.front()->time); };
    for (int i = 0; i < settling_calls; ++i) {
        bend();
        step(world_steps);
    }
    StandingCheck check;
    for (int i = 0; i < steps_of_second; ++i) {
        if (i % world_steps == 0) bend();
        step(1);
        for (const MujocoData& world : worlds) check.add(robot, *world);
    }
    check_weight(check.weight(robot));
    for (auto iteration : timer) {
        (void)iteration;
        bend();
        step(world_steps);
    }
    timer.SetItemsProcessed(timer.iterations() * world_count * world_steps);
}

/// Registers a benchmark that ends with an error if a robot does not stand.
template <class Time>
benchmark::internal::Benchmark* add(const std::string& name, const Standing& standing, Time time) {
    return benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& timer) {
        try {
            time(timer, standing);
        } catch (const std::exception& error) {
            timer.SkipWithError(error.what());
        }
    });
}

}  // namespace

void register_mujoco_simulation() {
    for (const Standing& standing : standing_robots())
        add("simulate/" + standing.robot + "/mujoco", standing, time_step);
}

void register_mujoco_worlds() {
    for (const Standing& standing : standing_robots())
        add("worlds/" + standing.robot + "/mujoco", standing, time_worlds)
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
}

}  // namespace grbda::benchmarks
