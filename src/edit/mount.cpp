#include "grbda/edit/edit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "description/rules.hpp"
#include "model_of_mechanism.hpp"

namespace grbda {
namespace {

class Mounting {
public:
    Mounting(const Mechanism& mechanism, const Model& model, const Mount& mount, Diagnostics& diagnostics)
        : mechanism_(mechanism),
          model_(model),
          mount_(mount),
          diagnostics_(diagnostics),
          bodies_(editing::model_bodies(mechanism, model)),
          name_(mount.name.empty() ? mount.frame + "_mount" : mount.name) {}

    Mechanism run(const VectorX<double>& q) {
        const MechanismFrame* const frame = find_frame();
        const bool good = check();
        if (frame == nullptr || !good) return mechanism_;
        MechanismLoop loop;
        loop.name = name_;
        loop.type = mount_.type == LoopType::continuous ? LoopType::revolute : mount_.type;
        loop.successor = frame->body;
        loop.successor_placement = frame->placement;
        loop.axis = mount_.axis.stableNormalized();
        loop.axis2 = mount_.axis2.stableNormalized();
        loop.pitch = mount_.pitch;
        const Pose at_q = pose(*frame, q);
        loop.predecessor_placement = mount_.place.value_or(at_q);
        loop.length =
            mount_.length.value_or((loop.predecessor_placement.translation - at_q.translation).norm());
        if (loop.type == LoopType::distance && !(loop.length > 0)) {
            error(Code::out_of_range, "a place away from the frame", "a distance of 0 at this configuration",
                  "give the place or the length, or mount it by a spherical loop");
            return mechanism_;
        }
        return with(std::move(loop), frame->body, q);
    }

private:
    void error(Code code, std::string expected, std::string found, std::string hint = {}) {
        diagnostics_.push_back({Severity::error,
                                code,
                                {},
                                Subject::of("mount", name_),
                                std::move(expected),
                                std::move(found),
                                std::move(hint)});
    }

    const MechanismFrame* find_frame() {
        const auto frame = std::find_if(mechanism_.frames.begin(), mechanism_.frames.end(),
                                        [&](const MechanismFrame& f) { return f.name == mount_.frame; });
        if (frame == mechanism_.frames.end()) {
            std::vector<std::string> names;
            for (const MechanismFrame& each : mechanism_.frames) names.push_back(each.name);
            error(Code::unknown_name, "a known link or frame", quoted(mount_.frame),
                  nearest_name_hint(mount_.frame, names));
            return nullptr;
        }
        if (frame->body != world) return &*frame;
        error(Code::fixed_together, "a frame that moves",
              quoted(mount_.frame) + ", which is fixed in the world",
              "a robot that shall float is read with a floating base");
        return nullptr;
    }

    bool check() {
        const std::size_t before = diagnostics_.size();
        const auto is_taken = [&](const auto& list) {
            return std::any_of(list.begin(), list.end(),
                               [&](const auto& each) { return each.name == name_; });
        };
        if (is_taken(mechanism_.loops) || is_taken(mechanism_.couplings))
            error(Code::duplicate_name, "a name that no loop or coupling has", quoted(name_), "give another");
        const int axes = facts(mount_.type).axes;
        const auto is_axis = [](const Eigen::Vector3d& a) {
            return a.allFinite() && a.stableNorm() >= smallest_axis;
        };
        if ((axes > 0 && !is_axis(mount_.axis)) || (axes > 1 && !is_axis(mount_.axis2)))
            error(Code::out_of_range, "an axis of finite numbers, not all of them zero", "another");
        else if (axes > 1 && are_parallel(mount_.axis, mount_.axis2))
            error(Code::out_of_range, "two axes of a universal joint that are not parallel", "parallel ones");
        if (mount_.type == LoopType::floating)
            error(Code::wrong_kind, "a type of loop that holds something", "'floating', which holds nothing");
        constexpr double finest = 1e-9;  // m/rad, as for loops in files
        if (mount_.type == LoopType::helical &&
            !(std::abs(mount_.pitch) >= finest && std::isfinite(mount_.pitch)))
            error(Code::out_of_range, "a pitch of at least 1e-9 m/rad", std::to_string(mount_.pitch));
        if (mount_.length && !(*mount_.length > 0 && std::isfinite(*mount_.length)))
            error(Code::out_of_range, "a length above 0", std::to_string(*mount_.length));
        if (mount_.place && !(mount_.place->translation.allFinite() && mount_.place->rotation.allFinite()))
            error(Code::bad_number, "a place in finite numbers", "another");
        return diagnostics_.size() == before;
    }

    /// Pose of the frame in the world at q.
    Pose pose(const MechanismFrame& frame, const VectorX<double>& q) const {
        Pose result = frame.placement;
        for (int i = frame.body; i != world; i = mechanism_.bodies[i].parent)
            result = editing::placement(model_, bodies_[i], q) * result;
        return result;
    }

    Mechanism with(MechanismLoop loop, int body, const VectorX<double>& q) {
        std::vector<char> touched(model_.clusters.size(), 0);
        for (int i = body; i != world; i = mechanism_.bodies[i].parent)
            touched[static_cast<std::size_t>(model_.bodies[bodies_[i]].cluster)] = 1;
        Mechanism result = mechanism_;
        result.loops.push_back(std::move(loop));
        editing::clear_marks(model_, touched, result);
        editing::start_at(q, model_, result);
        editing::settle(result, diagnostics_);
        return result;
    }

    const Mechanism& mechanism_;
    const Model& model_;
    const Mount& mount_;
    Diagnostics& diagnostics_;
    const Table<int> bodies_;  ///< mechanism → model
    const std::string name_;
};

}  // namespace

Mechanism mount(const Mechanism& mechanism, const Model& model, ConstVector<double> q, const Mount& mount,
                Diagnostics& diagnostics) {
    require_size("q", q.size(), model.nq);
    const VectorX<double> at_q = q;
    if (editing::lacks_joints(model, mechanism)) {
        Diagnostics unheard;  // as of `model`
        const Model full = editing::full_model(mechanism, unheard);
        return grbda::mount(mechanism, full, editing::full_configuration(full, model, at_q), mount,
                            diagnostics);
    }
    Mounting mounting(mechanism, model, mount, diagnostics);
    if (!editing::is_closed(model, at_q, diagnostics)) return mechanism;
    return mounting.run(at_q);
}

}  // namespace grbda
