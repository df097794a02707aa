#include "api.h"

#include <memory>
#include <new>
#include <sstream>

#include "grbda/io/load.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "robot.hpp"

namespace {

using grbda::view::Robot;

std::unique_ptr<Robot> robot;
std::string json;

/// Keeps exceptions from the page. Without a robot, or after an exception, −1.
template <class Action>
int guarded(Action action) {
    if (!robot) return -1;
    try {
        return static_cast<int>(action(*robot));
    } catch (const std::exception&) {
        return -1;
    }
}

grbda::LoadOptions options_of(int bits, const std::string& folder) {
    using Ratio = grbda::CouplingRatio;
    grbda::LoadOptions options;
    options.spherical_joints = (bits & view_spherical) != 0;
    options.floating_base = (bits & view_floating) != 0;
    options.adjust = (bits & view_adjust) != 0;
    options.rod_reduction = false;  // rods remain bodies, which can be dragged and carry forces
    options.rotor_reduction = (bits & view_rotors) == 0;
    if ((bits & view_predecessor_ratio) != 0) options.coupling_ratio = Ratio::predecessor_over_successor;
    if ((bits & view_successor_ratio) != 0) options.coupling_ratio = Ratio::successor_over_predecessor;
    if (!folder.empty()) options.paths.push_back(folder);
    return options;
}

/// Sizes with rods as constraints, which is how programs load the robot by default.
grbda::view::Sizes sizes_of(const grbda::Model& shown, const std::vector<std::string>& files,
                            grbda::LoadOptions options) {
    const auto sizes = [](const grbda::Model& model) {
        return grbda::view::Sizes{model.body_count(), static_cast<int>(model.rods.size()), model.nv,
                                  model.cluster_count()};
    };
    if (shown.loops.empty()) return sizes(shown);
    options.rod_reduction = true;
    options.spherical_joints = false;
    return sizes(grbda::load(files, options));
}

std::string as_finding(const std::string& text) {
    return grbda::view::findings_of({{grbda::Severity::error, grbda::Code::unreadable, {}, {}, text}});
}

}  // namespace

grbda::view::Robot* grbda::view::shown_robot() { return robot.get(); }

int view_load(const char* paths, const char* folder, int options) {
    std::vector<std::string> files;
    std::istringstream lines(paths);
    for (std::string line; std::getline(lines, line);) files.push_back(line);
    try {
        const grbda::LoadOptions chosen = options_of(options, folder);
        auto loaded = std::make_unique<Robot>(grbda::load(files, chosen));
        json = grbda::view::description_of(*loaded, sizes_of(loaded->model, files, chosen));
        robot = std::move(loaded);
        return 0;
    } catch (const grbda::LoadError& error) {
        json = grbda::view::findings_of(error.diagnostics());
    } catch (const std::exception& error) {
        json = as_finding(error.what());
    }
    return 1;
}

const char* view_json() { return json.c_str(); }

const unsigned* view_layout() {
    if (!robot) return nullptr;
    robot->describe_layout();
    return robot->layout.data();
}

int view_move(int v, double delta) {
    return guarded([&](Robot& r) {
        if (r.simulator && r.hold) {
            std::swap(r.q, r.target);
            const grbda::Result aimed = grbda::view::move_joint(r, v, delta);
            std::swap(r.q, r.target);
            return aimed.status;
        }
        const grbda::Result result = grbda::view::move_joint(r, v, delta);
        r.publish();
        return result.status;
    });
}

int view_drag(int body, double px, double py, double pz, double tx, double ty, double tz, int turn,
              int iterations) {
    return guarded([&](Robot& r) {
        const grbda::SearchResult result =
            grbda::view::drag(r, r.body_at(body), {px, py, pz}, {tx, ty, tz}, turn != 0, iterations);
        r.publish();
        return result.outcome;
    });
}

void view_lock(int body, int on) {
    guarded(
        [&](Robot& r) { return r.locked.at(static_cast<std::size_t>(r.body_at(body))) = on != 0 ? 1 : 0; });
}

int view_set() {
    return guarded([&](Robot& r) {
        const grbda::VectorX<double> wanted = r.q;
        r.q = r.shown;
        const grbda::SearchResult result = grbda::view::show_configuration(r, wanted);
        r.publish();
        return result.outcome;
    });
}

void view_reset() {
    guarded([](Robot& r) {
        r.simulator.reset();
        r.q = grbda::neutral_configuration(r.model);
        r.last_motion.setZero();
        r.publish();
        return 0;
    });
}

int view_forces(int moving) {
    return guarded([&](Robot& r) { return grbda::view::compute_forces(r, moving != 0); });
}

int view_start(double step, int ground, double z) {
    return guarded([&](Robot& r) {
        return grbda::view::start_simulation(r, step, ground != 0 ? std::optional<double>(z) : std::nullopt);
    });
}

int view_hold(int on) {
    return guarded([&](Robot& r) { return grbda::view::hold_pose(r, on != 0); });
}

int view_step(double seconds, double budget_ms, int body, double px, double py, double pz, double tx,
              double ty, double tz) {
    return guarded([&](Robot& r) {
        if (!r.simulator) return grbda::Status::undefined;
        std::optional<grbda::view::Spring> spring;
        if (body >= 0) spring = grbda::view::Spring{r.body_at(body), {px, py, pz}, {tx, ty, tz}};
        const grbda::Status status = grbda::view::step_simulation(r, seconds, budget_ms, spring);
        r.publish();
        return status;
    });
}

void view_stop() {
    guarded([](Robot& r) {
        r.simulator.reset();
        return 0;
    });
}
