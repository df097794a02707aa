#include "world.hpp"

#include <algorithm>
#include <optional>

#include "io/text/rpy.hpp"

namespace grbda {
namespace {

/// Misspelled keys are errors: they could change how a robot moves.
void refuse_keys_except(yaml::Document& document, const yaml::Node& mapping,
                        const std::vector<std::string>& keys) {
    for (const auto& [key, node] : mapping.entries)
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            document.error(Code::unknown_element, node, "a key of a world file", quoted(key),
                           nearest_name_hint(key, keys));
}

std::string text_of(yaml::Document& document, const yaml::Node& mapping, const char* key) {
    const yaml::Node* node = mapping.find(key);
    return node == nullptr ? "" : document.text(*node).value_or("");
}

Eigen::Vector3d vector_of(yaml::Document& document, const yaml::Node& mapping, const char* key,
                          const Eigen::Vector3d& otherwise) {
    const yaml::Node* node = mapping.find(key);
    const auto numbers = node == nullptr ? std::nullopt : document.numbers(*node, 3);
    return numbers ? Eigen::Vector3d(numbers->data()) : otherwise;
}

JointType joint_of(yaml::Document& document, const yaml::Node& mapping) {
    const yaml::Node* node = mapping.find("joint");
    const auto word = node == nullptr ? std::nullopt : document.text(*node);
    if (!word) return JointType::fixed;
    std::vector<std::string> names;
    for (const JointFacts& facts : joint_facts) {
        if (facts.name == *word) return facts.type;
        names.emplace_back(facts.name);
    }
    document.error(Code::unknown_word, *node, "a type of joint", quoted(*word),
                   nearest_name_hint(*word, names));
    return JointType::fixed;
}

class Reader {
public:
    Reader(yaml::Document& document, Includes& includes) : document_(document), includes_(includes) {}

    WorldRobot robot(const yaml::Node& node) {
        WorldRobot result;
        if (!document_.is_mapping(node)) return result;
        refuse_keys_except(document_, node,
                           {"files", "prefix", "parent", "joint", "axis", "axis2", "xyz", "rpy"});
        if (const yaml::Node* names = document_.required(node, "files")) find(*names, result.files);
        RobotPart& part = result.part;
        part.prefix = text_of(document_, node, "prefix");
        part.parent = text_of(document_, node, "parent");
        part.joint = joint_of(document_, node);
        part.axis = vector_of(document_, node, "axis", part.axis);
        part.axis2 = vector_of(document_, node, "axis2", part.axis2);
        const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
        part.base.translation = vector_of(document_, node, "xyz", zero);
        part.base.rotation = rotation_from_rpy(vector_of(document_, node, "rpy", zero));
        return result;
    }

private:
    /// Reads one name, or a list of names.
    void find(const yaml::Node& names, std::vector<std::string>& files) {
        if (names.kind == yaml::Kind::scalar) return find_one(names, files);
        if (!document_.is_sequence(names)) return;
        if (names.items.empty()) document_.error(Code::missing, names, "the files of a robot", "none");
        for (const yaml::Node& name : names.items) find_one(name, files);
    }

    void find_one(const yaml::Node& node, std::vector<std::string>& files) {
        const std::optional<std::string> name = document_.text(node);
        if (!name) return;
        IncludeProblem problem;
        const auto place = includes_.find(*name, {includes_.first().path}, problem);
        if (place && !place->is_folder) return files.push_back(place->path);
        if (place) problem = {"a file", quoted(*name) + ", which is a folder", ""};
        document_.error(Code::include, node, problem.expected, problem.found, problem.hint);
    }

    yaml::Document& document_;
    Includes& includes_;
};

/// Reads one number, or a list of numbers.
std::optional<std::vector<double>> position_of(yaml::Document& document, const yaml::Node& node) {
    if (node.kind == yaml::Kind::sequence) return document.numbers(node, node.items.size());
    const std::optional<double> number = document.number(node);
    return number ? std::optional(std::vector<double>{*number}) : std::nullopt;
}

std::vector<StateDescription> read_states(yaml::Document& document, const yaml::Node& root) {
    std::vector<StateDescription> states;
    const yaml::Node* const given = root.find("states");
    if (given == nullptr || !document.is_mapping(*given)) return states;
    for (const auto& [name, joints] : given->entries) {
        if (!document.is_mapping(joints)) continue;
        StateDescription state;
        state.name = name;
        state.where = document.where(joints);
        for (const auto& [joint, position] : joints.entries)
            if (auto numbers = position_of(document, position)) state.positions[joint] = std::move(*numbers);
        states.push_back(std::move(state));
    }
    return states;
}

std::optional<Eigen::Vector3d> read_gravity(yaml::Document& document, const yaml::Node& root) {
    const yaml::Node* const given = root.find("gravity");
    const auto numbers = given == nullptr ? std::nullopt : document.numbers(*given, 3);
    return numbers ? std::optional(Eigen::Vector3d(numbers->data())) : std::nullopt;
}

}  // namespace

World read_world(yaml::Document& document, Includes& includes) {
    World world;
    const yaml::Node& root = document.root();
    if (!document.is_mapping(root)) return world;
    refuse_keys_except(document, root, {"world", "robots", "gravity", "states"});
    world.name = text_of(document, root, "world");
    world.gravity = read_gravity(document, root);
    world.states = read_states(document, root);
    const yaml::Node* robots = document.required(root, "robots");
    if (robots == nullptr || !document.is_sequence(*robots)) return world;
    if (robots->items.empty()) document.error(Code::missing, *robots, "at least one robot", "none");
    Reader reader(document, includes);
    for (const yaml::Node& node : robots->items) world.robots.push_back(reader.robot(node));
    return world;
}

}  // namespace grbda
