#include "io/plugins.hpp"

#include <algorithm>
#include <string_view>

#include "elements.hpp"

// Plugins of models that connect links or couple joints, and elements of models that SDF does not have.

namespace grbda::sdf {

namespace {

bool is_of_model(std::string_view name) {
    constexpr std::string_view known[] = {"static",  "self_collide", "allow_auto_disable",
                                          "include", "model",        "enable_wind",
                                          "frame",   "pose",         "link",
                                          "joint",   "plugin",       "gripper",
                                          "sensor",  "ros2_control", "origin"};
    const bool is_foreign = name.find(':') != std::string_view::npos;
    return is_foreign || std::find(std::begin(known), std::end(known), name) != std::end(known);
}

class PluginReader {
public:
    PluginReader(Context& context, const Graph& graph, const Frame& model, Joints& joints,
                 RobotDescription& robot)
        : context_(context), graph_(graph), model_(model), joints_(joints), robot_(robot) {}

    void read() {
        const IsName is_name = [this](const std::string& name) {
            return find(name, Kind::link) >= 0 || find(name, Kind::joint) >= 0;
        };
        for (const pugi::xml_node element : model_.element.children()) {
            if (element.type() != pugi::node_element) continue;
            const std::string_view name = element.name();
            if (name == "plugin")
                read_plugin(element, is_name);
            else if (name == "ros2_control")
                read_control(element);
            else if (!is_of_model(name))
                warn_about_unknown(context_.document, element, is_name);
        }
    }

private:
    void read_plugin(pugi::xml_node plugin, const IsName& is_name) {
        if (is_attachment(plugin)) {
            if (const auto attachment = read_attachment(context_.document, plugin))
                attach(plugin, *attachment);
        } else if (is_mimic_plugin(plugin)) {
            couple(plugin, read_mimic_plugin(context_.document, plugin));
        } else if (plugin.child("ros2_control")) {
            read_control(plugin.child("ros2_control"));
        } else {
            warn_about_plugin(context_.document, plugin, is_name);
        }
    }

    void read_control(pugi::xml_node control) {
        for (const pugi::xml_node joint : mimics_in_control(control))
            couple(joint, read_control_mimic(context_.document, joint));
    }

    int find(const std::string& name, Kind kind) const { return find(model_.inside, name, kind); }
    int find(int scope, const std::string& name, Kind kind) const {
        const int frame = scope < 0 ? -1 : graph_.find(scope, name);
        return frame >= 0 && graph_.at(frame).kind == kind ? frame : -1;
    }

    /// The inside of a model that this one names: itself, or one in it or around it; −1 without one.
    int inside_of(const std::string& model) const {
        if (model.empty() || model == model_.element.attribute("name").value()) return model_.inside;
        for (const int scope : {model_.inside, model_.scope, 0}) {
            const int frame = find(scope, model, Kind::model);
            if (frame >= 0) return graph_.at(frame).inside;
        }
        return -1;
    }

    /// A fixed joint: it carries the child, or closes a loop if another joint does.
    void attach(pugi::xml_node plugin, const Attachment& attachment) {
        const int parent = find(attachment.parent_link, Kind::link);
        const int child = find(inside_of(attachment.child_model), attachment.child_link, Kind::link);
        if (parent < 0 || child < 0) {
            const std::string& unknown = parent < 0 ? attachment.parent_link : attachment.child_link;
            return warn_about_name(context_.document, plugin, unknown, "a link of the models in this file");
        }
        JointDescription joint;
        joint.name = free_name();
        joint.type = JointType::fixed;
        joint.parent = graph_.at(parent).name;
        joint.child = graph_.at(child).name;
        joint.origin = inverse(graph_.at(parent).in_world) * graph_.at(child).in_world;
        joint.where = context_.document.where(plugin);
        joints_.above[joint.child].push_back(static_cast<int>(joints_.moving.size()));
        joints_.frames.push_back(-1);
        joints_.must_close.push_back(true);
        joints_.motors.push_back({});
        joints_.moving.push_back(std::move(joint));
    }

    std::string free_name() const {
        std::string name = "detachable_joint";
        const auto is_taken = [&name](const auto& named) { return named.name == name; };
        while (std::any_of(joints_.moving.begin(), joints_.moving.end(), is_taken) ||
               std::any_of(graph_.frames.begin(), graph_.frames.end(), is_taken))
            name += "_";
        return name;
    }

    void couple(pugi::xml_node element, std::optional<PluginMimic> mimic) {
        if (!mimic) return;
        for (std::string* name : {&mimic->leader, &mimic->follower}) {
            const int joint = find(*name, Kind::joint);
            if (joint < 0) return warn_about_name(context_.document, element, *name, "a joint of this model");
            *name = graph_.at(joint).name;
        }
        add_mimic(context_.document, element, *mimic, robot_);
    }

    Context& context_;
    const Graph& graph_;
    const Frame& model_;
    Joints& joints_;
    RobotDescription& robot_;
};

}  // namespace

void read_plugins(Context& context, const Graph& graph, Joints& joints, RobotDescription& robot) {
    for (const Frame& frame : graph.frames) {
        if (frame.kind != Kind::model || frame.inside < 0 || graph.scope(frame.inside).is_static) continue;
        PluginReader(context, graph, frame, joints, robot).read();
    }
}

}  // namespace grbda::sdf
