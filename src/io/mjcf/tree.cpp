#include <algorithm>
#include <array>

#include "elements.hpp"

namespace grbda::mjcf {

namespace {

std::string_view kind(pugi::xml_node element) { return element.name(); }

/// True for elements that represent several bodies, which only MuJoCo can expand.
bool generates_bodies(std::string_view name) {
    constexpr std::array<std::string_view, 3> generators = {"composite", "flexcomp", "flex"};
    return std::find(generators.begin(), generators.end(), name) != generators.end();
}

/// True for the other elements of a body in the format.
bool is_known(std::string_view name) {
    constexpr std::array<std::string_view, 9> known = {"body", "joint",  "freejoint", "inertial", "geom",
                                                       "site", "camera", "light",     "plugin"};
    return std::find(known.begin(), known.end(), name) != known.end() || generates_bodies(name);
}

/// A <body> or <worldbody> that is still to be read.
struct Pending {
    pugi::xml_node element;
    int parent = 0;
    Pose frame;  ///< of the <frame>s around it, relative to the parent
    int childclass = 0;
};

class TreeReader {
public:
    TreeReader(Context& context, Tree& tree, RobotDescription& robot)
        : context_(context), document_(context.document), tree_(tree), robot_(robot) {}

    void read() {
        declare_names();
        add_world();
        std::vector<Pending> pending;
        for (const pugi::xml_node section : document_.root().children("worldbody")) {
            pending.push_back({section, 0, Pose(), 0});
        }
        std::reverse(pending.begin(), pending.end());
        while (!pending.empty()) {
            const Pending next = pending.back();
            pending.pop_back();
            read_body(next, pending);
        }
        check_masses();
    }

private:
    /// Declares all names first, so that generated names avoid names that the file uses later.
    void declare_names() {
        for (const pugi::xml_node section : document_.root().children("worldbody")) {
            for (pugi::xml_node element = section; element; element = xml::next_element(element, section)) {
                const std::string_view name = kind(element);
                if (name == "body") tree_.body_names.declare(document_, element);
                if (name == "joint" || name == "freejoint") tree_.joint_names.declare(document_, element);
                if (name == "site") tree_.site_names.declare(document_, element);
            }
        }
    }

    void add_world() {
        if (tree_.body_names.contains("world")) {
            document_.error(Code::duplicate_name, document_.root(), "no body called world", "one",
                            "'world' is what everything hangs on");
        }
        tree_.body_names.set("world", 0);
        tree_.frame_names.set("world", 0);
        Body world;
        world.element = document_.root().child("worldbody");
        world.link = "world";
        tree_.bodies.push_back(world);
        robot_.links.push_back({"world", std::nullopt, document_.where(world.element)});
        for (const pugi::xml_node section : document_.root().children("worldbody")) {
            for (pugi::xml_node element = section; element; element = xml::next_element(element, section)) {
                const std::string name = element.attribute("name").value();
                if (kind(element) == "body" && !name.empty()) tree_.frame_names.set(name, 0);
            }
        }
    }

    void read_body(const Pending& next, std::vector<Pending>& pending) {
        const bool is_world = kind(next.element) == "worldbody";
        const int childclass =
            context_.defaults.class_of(document_, next.element, "childclass", next.childclass);
        const std::vector<Item> items = contents(next.element, childclass);
        const std::vector<Geom> geoms = read_geoms(context_, items);
        const int body = is_world ? 0 : add_body(next, items, geoms);
        mjcf::add_shapes(context_, geoms, is_world ? robot_.links.front() : robot_.links.back());
        if (is_world) refuse_in_world(items);
        std::vector<Pending> children;
        for (const Item& item : items) {
            const std::string_view name = kind(item.node);
            if (name == "body") children.push_back({item.node, body, item.frame, item.childclass});
            if (name == "site") add_site(item, body);
            if (name == "camera" || name == "light" || name == "plugin") document_.ignore(item.node);
            if (name == "plugin") context_.summary.plugins.add(item.node, tree_.bodies[at(body)].link);
            if (generates_bodies(name)) refuse_generator(item.node);
            if (!is_known(name)) refuse_unknown(item.node);
        }
        pending.insert(pending.end(), children.rbegin(), children.rend());
    }

    /// The elements in a body and in its frames, in the order of the file.
    std::vector<Item> contents(pugi::xml_node body, int childclass) {
        std::vector<Item> items;
        std::vector<Item> stack;
        const auto push_children = [&stack](const Item& owner) {
            for (pugi::xml_node child = owner.node.last_child(); child; child = child.previous_sibling()) {
                if (child.type() == pugi::node_element)
                    stack.push_back({child, owner.frame, owner.childclass});
            }
        };
        push_children({body, Pose(), childclass});
        while (!stack.empty()) {
            Item item = stack.back();
            stack.pop_back();
            if (kind(item.node) != "frame") {
                items.push_back(item);
                continue;
            }
            item.frame = item.frame * read_pose(context_, {item.node});
            item.childclass = context_.defaults.class_of(document_, item.node, "childclass", item.childclass);
            push_children(item);
        }
        return items;
    }

    int add_body(const Pending& next, const std::vector<Item>& items, const std::vector<Geom>& geoms) {
        const int index = static_cast<int>(tree_.bodies.size());
        const Body& parent = tree_.bodies[at(next.parent)];
        const Pose pose = next.frame * read_pose(context_, {next.element});
        Body body;
        body.element = next.element;
        body.link = next.element.attribute("name").value();
        if (body.link.empty()) body.link = tree_.frame_names.unused("body_" + std::to_string(index));
        if (next.element.attribute("name")) tree_.body_names.set(body.link, index);
        body.in_world = parent.in_world * pose;
        std::vector<Item> joints;
        for (const Item& item : items) {
            if (kind(item.node) == "joint" || kind(item.node) == "freejoint") joints.push_back(item);
        }
        body.carrier = joints.empty() ? parent.carrier : index;
        const bool is_mocap = context_.flag({next.element}, "mocap", false);
        body.is_mocap = is_mocap || (joints.empty() && parent.is_mocap);
        const std::string parent_link = parent.link;
        tree_.bodies.push_back(body);
        if (joints.empty()) add_fixed_joint(body, parent_link, pose);
        add_joints(body, joints, parent_link, pose, next.parent);
        robot_.links.push_back({body.link, std::nullopt, document_.where(next.element)});
        add_mass(index, items, geoms);
        const double share = context_.number({next.element}, "gravcomp").value_or(0);
        if (share != 0) context_.compensated.emplace_back(robot_.links.size() - 1, share);
        if (is_mocap) {
            document_.report(Severity::note, Code::assumed, next.element, "stays where the file puts it",
                             "a mocap body");
        }
        return index;
    }

    void add_fixed_joint(const Body& body, const std::string& parent, const Pose& pose) {
        JointDescription joint;
        joint.name = tree_.joint_names.unused(body.link + "_fixed");
        joint.type = JointType::fixed;
        joint.parent = parent;
        joint.child = body.link;
        joint.origin = pose;
        joint.where = document_.where(body.element);
        robot_.joints.push_back(std::move(joint));
    }

    /// Connects the joints of one body by massless links.
    void add_joints(const Body& body, const std::vector<Item>& items, std::string parent, Pose pose,
                    int parent_body) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            Joint reference;
            JointDescription joint = read_joint(context_, items[i], pose, reference);
            if (joint.type == JointType::floating) check_floating(items, i, parent_body);
            if (joint.name.empty()) joint.name = tree_.joint_names.unused(body.link + "_joint");
            joint.parent = std::move(parent);
            joint.child = body.link;
            if (i + 1 < items.size()) {
                joint.child = tree_.frame_names.unused(body.link + "_behind_" + joint.name);
                robot_.links.push_back({joint.child, std::nullopt, joint.where});
            }
            parent = joint.child;
            pose = Pose();
            add_joint(std::move(joint), std::move(reference));
        }
    }

    void add_joint(JointDescription joint, Joint reference) {
        tree_.joint_names.set(joint.name, static_cast<int>(tree_.joints.size()));
        reference.index = robot_.joints.size();
        std::vector<double> zero(reference.reference.size(), 0);
        if (zero.size() > 1) zero.back() = 1;
        if (reference.reference != zero) robot_.start[joint.name] = reference.reference;
        tree_.joints.push_back(std::move(reference));
        robot_.joints.push_back(std::move(joint));
    }

    void check_floating(const std::vector<Item>& joints, std::size_t index, int parent_body) {
        const pugi::xml_node element = joints[index].node;
        if (joints.size() > 1) {
            document_.error(Code::conflict, element, "a free joint as the only one of its body",
                            std::to_string(joints.size()) + " joints");
        } else if (parent_body != 0) {
            document_.error(Code::misplaced, element, "a free joint in a child of <worldbody>",
                            "one in a child of body '" + tree_.bodies[at(parent_body)].link + "'");
        }
    }

    /// Bodies that cannot move need no mass, unless the total mass is set.
    void add_mass(int index, const std::vector<Item>& items, const std::vector<Geom>& geoms) {
        Body& body = tree_.bodies[at(index)];
        if (body.carrier == 0 && !(context_.compiler.total_mass > 0)) return;
        const Mass mass = read_mass(context_, body.element, items, geoms);
        robot_.links.back().inertial = mass.inertial;
        robot_.links.back().places = mass.places;
        if (mass.inertial) tree_.bodies[at(body.carrier)].carried_mass += mass.inertial->mass;
        if (mass.mesh) meshes_.push_back({index, mass.mesh, mass.mesh_found});
        if (mass.refused) refused_.push_back(body.carrier);
    }

    void add_site(const Item& item, int body) {
        const std::string name = item.node.attribute("name").value();
        if (name.empty()) return;
        const Element element = context_.element(item.node, "site", item.childclass);
        double half_length = 0;
        const std::optional<Pose> between_ends = read_fromto(context_, element, half_length);
        const Pose pose = item.frame * (between_ends ? *between_ends : read_pose(context_, element));
        tree_.site_names.set(name, static_cast<int>(tree_.sites.size()));
        tree_.sites.push_back({body, pose});
        const bool taken = tree_.frame_names.contains(name);
        const std::string frame = tree_.frame_names.unused(taken ? name + "_site" : name);
        robot_.frames.push_back({frame, tree_.bodies[at(body)].link, pose, document_.where(item.node)});
        if (!taken) return;
        document_.report(Severity::note, Code::assumed, item.node, "called '" + frame + "'",
                         "a body of its name");
    }

    void refuse_in_world(const std::vector<Item>& items) {
        for (const Item& item : items) {
            const std::string_view name = kind(item.node);
            if (name != "joint" && name != "freejoint" && name != "inertial") continue;
            document_.error(Code::unsupported, item.node, "a world that stands still",
                            "<" + std::string(name) + "> in <worldbody>", "put it in a <body>");
        }
    }

    void refuse_generator(pugi::xml_node element) {
        if (kind(element) == "flexcomp") {
            document_.report_left_out(element, "bodies and geoms", "<flexcomp>",
                                      "it is left out: grbda has no deformable bodies");
            document_.mark_not_needed(element);
            return;
        }
        document_.error(Code::unsupported, element, "bodies written one by one",
                        "<" + std::string(element.name()) + ">",
                        "load the model in MuJoCo and save it (mj_saveLastXML): it writes them out");
    }

    void refuse_unknown(pugi::xml_node element) {
        const std::string name = element.name();
        document_.error(Code::unknown_element, element, "elements that <body> has in MJCF", "<" + name + ">",
                        nearest_name_hint(name, {"body", "joint", "freejoint", "inertial", "geom", "site"}));
    }

    /// Checks that bodies on joints have mass, and that it does not depend on an unreadable mesh.
    void check_masses() {
        std::vector<bool> reported(tree_.bodies.size(), false);
        for (const int carrier : refused_) reported[at(carrier)] = true;
        for (const auto& [index, geom, found] : meshes_) {
            const Body& body = tree_.bodies[at(index)];
            const bool needed = body.carrier == index || context_.compiler.total_mass > 0 ||
                                !(tree_.bodies[at(body.carrier)].carried_mass > 0);
            reported[at(body.carrier)] = reported[at(body.carrier)] || needed;
            document_.report(
                needed ? Severity::error : Severity::warning, Code::inertia, body.element, "an <inertial>",
                "none, and <geom> in " + document_.line_of(geom, body.element) + " takes its mass from " +
                    found,
                needed
                    ? "MuJoCo writes it with <compiler saveinertial=\"true\"/>; or give the geom mass=\"0\""
                    : "its mass is left out; MuJoCo writes it with <compiler saveinertial=\"true\"/>");
        }
        for (std::size_t i = 1; i < tree_.bodies.size(); ++i) {
            const Body& body = tree_.bodies[i];
            if (at(body.carrier) != i || reported[i] || body.carried_mass > 0) continue;
            document_.error(Code::inertia, body.element, "mass in a body that moves", "none",
                            "give it an <inertial>, or geoms with mass");
        }
    }

    Context& context_;
    xml::Document& document_;
    Tree& tree_;
    RobotDescription& robot_;
    struct UnknownMass {
        int body = 0;
        pugi::xml_node geom;
        std::string found;
    };
    std::vector<UnknownMass> meshes_;
    std::vector<int> refused_;  ///< carriers of bodies with errors in their mass
};

}  // namespace

void read_tree(Context& context, Tree& tree, RobotDescription& robot) {
    TreeReader(context, tree, robot).read();
    set_total_mass(context.compiler, robot);
    add_gravity_compensation(context, robot);
}

const Joint* find_scalar_joint(Context& context, const Tree& tree, const RobotDescription& robot,
                               pugi::xml_node element, const char* attribute) {
    const std::optional<int> index = tree.joint_names.find(context.document, element, attribute);
    if (!index) return nullptr;
    const Joint& joint = tree.joints[at(*index)];
    if (joint.reference.size() == 1) return &joint;
    context.document.error(Code::wrong_kind, element, std::string("a hinge or slide joint in ") + attribute,
                           std::string(to_string(robot.joints[joint.index].type)) + " joint '" +
                               robot.joints[joint.index].name + "'");
    return nullptr;
}

}  // namespace grbda::mjcf
