#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "grbda/simulation/batch_simulator.hpp"
#include "groups.hpp"
#include "standing.hpp"
#include "subject.hpp"

// Many simulations of a standing robot on two threads: worlds/ROBOT/grbda. An iteration is one call, which
// takes world_steps steps of each.

namespace grbda::benchmarks {
namespace {

class StandingWorlds {
public:
    StandingWorlds(const Standing& standing, const Model& model)
        : servos_(servos_of(standing, model)),
          target_(at(model.nv_tree), 0.),
          controls_(at(world_count), Controls{{}, target_, {}}),
          batch_(model, world_count, with_servos(standing, model), Plane{{0, 0, 1}, standing.ground},
                 world_threads) {
        MatrixX<double> q(model.nq, world_count);
        for (int i = 0; i < world_count; ++i) {
            q.col(i) = pose_of(standing, model);
            q(model.bodies[0].q + 2, i) += start_height(i);  // of the floating base
        }
        if (!batch_.set_states({}, q, MatrixX<double>::Zero(model.nv_tree, world_count)))
            throw std::logic_error("a pose is not ok");
        for (int i = 0; i < settling_calls; ++i) {
            bend();
            step(world_steps);
        }
    }

    void bend() { bend_servos(servos_, batch_.time(0), target_); }
    void step(int steps) {
        if (!batch_.step(controls_, steps)) throw std::logic_error("a step is not ok");
    }

    /// Throws unless the ground carries the worlds.
    void check() {
        double impulse = 0;
        for (int k = 0; k < steps_of_second; ++k) {
            if (k % world_steps == 0) bend();
            step(1);
            for (int i = 0; i < world_count; ++i)
                for (const ContactState& x : batch_.contacts(i)) impulse += x.impulse[2];
        }
        check_weight(impulse / (world_count * moving_mass(batch_.model()) * 9.81));  // of a second
    }

private:
    std::vector<Servo> servos_;
    Table<double> target_;
    std::vector<Controls> controls_;
    BatchSimulator batch_;
};

void time_worlds(benchmark::State& timer, const Standing& standing) try {
    StandingWorlds worlds(standing, load_robot(standing.robot));
    worlds.check();
    for (auto iteration : timer) {
        (void)iteration;
        worlds.bend();
        worlds.step(world_steps);
    }
    timer.SetItemsProcessed(timer.iterations() * world_count * world_steps);
} catch (const std::logic_error& error) {
    timer.SkipWithError(error.what());
}

}  // namespace

void register_worlds() {
    for (const Standing& standing : standing_robots())
        benchmark::RegisterBenchmark(("worlds/" + standing.robot + "/grbda").c_str(), time_worlds, standing)
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
}

}  // namespace grbda::benchmarks
