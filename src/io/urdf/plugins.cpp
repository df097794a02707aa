#include "io/plugins.hpp"

#include "io/robot_index.hpp"
#include "elements.hpp"

// Plugins in <gazebo>, and <ros2_control>, that connect links or couple joints.

namespace grbda::urdf {

namespace {

class PluginReader {
public:
    PluginReader(Context& context, RobotDescription& robot)
        : document_(context.document), robot_(robot), index_(robot) {}

    void read() {
        const pugi::xml_node root = document_.root();
        for (const pugi::xml_node gazebo : root.children("gazebo"))
            for (const pugi::xml_node plugin : gazebo.children("plugin")) read_plugin(plugin);
        for (const pugi::xml_node control : root.children("ros2_control"))
            for (const pugi::xml_node joint : mimics_in_control(control))
                couple(joint, read_control_mimic(document_, joint));
    }

private:
    void read_plugin(pugi::xml_node plugin) {
        const IsName is_name = [this](const std::string& name) {
            return index_.links.find(name) >= 0 || index_.joints.find(name) >= 0;
        };
        if (is_attachment(plugin)) {
            if (const auto attachment = read_attachment(document_, plugin)) attach(plugin, *attachment);
        } else if (is_mimic_plugin(plugin)) {
            couple(plugin, read_mimic_plugin(document_, plugin));
        } else {
            warn_about_plugin(document_, plugin, is_name);
        }
    }

    void couple(pugi::xml_node element, const std::optional<PluginMimic>& mimic) {
        if (!mimic) return;
        for (const std::string& name : {mimic->leader, mimic->follower})
            if (index_.joints.find(name) < 0)
                return warn_about_name(document_, element, name, "a joint of this robot");
        add_mimic(document_, element, *mimic, robot_);
    }

    /// A fixed loop between the links where they are with all joints at zero.
    void attach(pugi::xml_node plugin, const Attachment& attachment) {
        for (const std::string& name : {attachment.parent_link, attachment.child_link})
            if (index_.links.find(name) < 0)
                return warn_about_name(document_, plugin, name, "a link of this robot");
        if (!attachment.child_model.empty() && attachment.child_model != robot_.name)
            return warn_about_name(document_, plugin, attachment.child_model, "this robot as child_model");
        LoopDescription loop;
        loop.type = LoopType::fixed;
        loop.name = "detachable_joint";
        for (const LoopDescription& other : robot_.loops)
            if (other.name == loop.name) loop.name += "_";
        loop.predecessor = attachment.parent_link;
        loop.successor = attachment.child_link;
        loop.predecessor_origin = inverse(pose_at_zero(loop.predecessor)) * pose_at_zero(loop.successor);
        loop.where = document_.where(plugin);
        robot_.loops.push_back(std::move(loop));
    }

    /// In the root link.
    Pose pose_at_zero(const std::string& name) const {
        int link = index_.links.find(name);
        Pose pose;
        if (index_.root[at(link)] < 0) return pose;  // below a cycle of joints, which is an error
        for (int joint = index_.joint_above[at(link)]; joint >= 0; joint = index_.joint_above[at(link)]) {
            pose = robot_.joints[at(joint)].origin * pose;
            link = index_.parent[at(joint)];
        }
        return pose;
    }

    xml::Document& document_;
    RobotDescription& robot_;
    RobotIndex index_;
};

}  // namespace

bool is_read_plugin(pugi::xml_node plugin) { return is_attachment(plugin) || is_mimic_plugin(plugin); }

void read_plugins(Context& context, RobotDescription& robot) { PluginReader(context, robot).read(); }

}  // namespace grbda::urdf
