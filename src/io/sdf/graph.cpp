#include <algorithm>
#include <set>
#include <utility>

#include "elements.hpp"

namespace grbda::sdf {

namespace {

/// Names grow with the depth of nested models; no robot comes near this limit.
constexpr int deepest_nesting = 50;
/// Limit on the characters of the models' names before a name: every name inside repeats them.
constexpr std::size_t longest_prefix = 1000;

/// A name that several kinds share refers to the kind with the smallest number.
int precedence(Kind kind) {
    switch (kind) {
        case Kind::world: return 0;
        case Kind::model: return 1;
        case Kind::link: return 2;
        case Kind::joint: return 3;
        case Kind::frame: break;
    }
    return 4;
}

bool is_reserved(const std::string& name) {
    const bool underscored =
        name.size() >= 4 && name.compare(0, 2, "__") == 0 && name.compare(name.size() - 2, 2, "__") == 0;
    return name == world_name || underscored;
}

bool ends_in_world(const std::string& name) {
    const std::string inside = std::string("::") + world_name;
    return name == world_name || (name.size() > inside.size() &&
                                  name.compare(name.size() - inside.size(), inside.size(), inside) == 0);
}

/// The first element that refers to 'world' as parent or reference frame; empty without one.
pugi::xml_node find_world_reference(pugi::xml_node root) {
    for (pugi::xml_node element = root; element; element = xml::next_element(element, root)) {
        const std::string_view kind = element.name();
        if ((kind == "parent" || kind == "child") && ends_in_world(text_of(element))) return element;
        for (const char* attribute : {"relative_to", "attached_to", "expressed_in"}) {
            if (ends_in_world(element.attribute(attribute).value())) return element;
        }
    }
    return {};
}

/// `wanted`, with underscores appended while a sibling has this name.
std::string free_beside(pugi::xml_node element, std::string wanted) {
    const pugi::xml_node around = element.parent();
    while (around.find_child_by_attribute("name", wanted.c_str())) wanted += "_";
    return wanted;
}

/// True for a model without a name and without another model beside it.
bool is_unnamed_alone(pugi::xml_node model) {
    return *model.attribute("name").value() == '\0' && !model.previous_sibling("model") &&
           !model.next_sibling("model");
}

class GraphReader {
public:
    explicit GraphReader(Context& context) : context_(context) {
        Frame world;
        world.kind = Kind::world;
        world.name = world_name;
        world.inside = 0;
        world.carrier = 0;
        graph_.frames.push_back(world);
        graph_.scopes.emplace_back();
    }

    Graph read(pugi::xml_node root) {
        const std::vector<pugi::xml_node> models = models_of(root);
        scoped_ = models.size() > 1;
        for (const pugi::xml_node model : models) add_child(0, Kind::model, model);
        if (const pugi::xml_node world = world_of(context_, root)) read_world(world);
        // Scopes are added while their outer ones are read: no recursion over nested models.
        for (std::size_t scope = 1; scope < graph_.scopes.size(); ++scope) {
            read_model(static_cast<int>(scope));
        }
        return std::move(graph_);
    }

private:
    void read_world(pugi::xml_node world) {
        for (const pugi::xml_node child : world.children()) {
            const std::string kind = child.name();
            if (kind == "joint") add_child(0, Kind::joint, child);
            if (kind == "frame") add_child(0, Kind::frame, child);
        }
        context_.document.ignore_children_except(world, {"model", "joint", "frame", "gravity"});
    }

    void read_model(int scope) {
        const pugi::xml_node model = graph_.at(graph_.scope(scope).frame).element;
        for (const pugi::xml_node child : model.children()) {
            const std::string kind = child.name();
            if (kind == "link") add_child(scope, Kind::link, child);
            if (kind == "joint") add_child(scope, Kind::joint, child);
            if (kind == "frame") add_child(scope, Kind::frame, child);
            if (kind == "model") add_child(scope, Kind::model, child);
        }
        context_.document.ignore_children_except(
            model, {"link", "joint", "frame", "model", "pose", "static", "allow_auto_disable"});
    }

    void add_child(int scope, Kind kind, pugi::xml_node element) {
        const std::string name = name_of(kind, element);
        if (name.empty()) return;
        if (context_.version_of(element) >= 7 && is_reserved(name)) {
            context_.error(Code::duplicate_name, element, "a name that SDF does not reserve", quoted(name));
            return;
        }
        Frame frame;
        frame.kind = kind;
        frame.scope = scope;
        frame.element = element;
        if (!add_name(scope, name, frame)) return;
        frame.name = name_in_robot(frame, name);
        if (kind == Kind::model) frame.inside = add_scope(scope, frame, name);
        graph_.frames.push_back(std::move(frame));
    }

    /// The name without a prefix, unless something in another scope has the same name.
    std::string name_in_robot(const Frame& frame, const std::string& name) {
        const Scope& scope = graph_.scope(frame.scope);
        std::set<std::string>& taken = frame.kind == Kind::joint ? joint_names_ : frame_names_;
        if (frame.kind == Kind::model || taken.insert(scope.prefix + name).second || frame.scope == 0)
            return scope.prefix + name;
        const std::string scoped = graph_.at(scope.frame).name + "::" + name;
        context_.report(Severity::note, Code::assumed, frame.element, "called " + quoted(scoped),
                        "another of this name, outside of the model");
        taken.insert(scoped);
        return scoped;
    }

    /// Empty if the element is left out.
    std::string name_of(Kind kind, pugi::xml_node element) {
        if (kind == Kind::model && is_unnamed_alone(element)) {
            return renamed(element, "model", "it has no name");
        }
        const std::string name = context_.document.required_text(element, "name").value_or("");
        if (kind != Kind::link || name != world_name) return name;
        if (!element.first_child()) {
            context_.report(Severity::note, Code::assumed, element, "taken for the world itself",
                            "a link without content");
            return {};
        }
        if (!world_reference_) world_reference_ = find_world_reference(context_.document.root());
        const pugi::xml_node reference = *world_reference_;
        if (!reference) return renamed(element, "world_link", "'world' is what everything hangs on");
        context_.error(
            Code::duplicate_name, element,
            "another name, as 'world' in line " + std::to_string(context_.document.where(reference).line) +
                " means the world itself",
            quoted(name), "rename the link where it is meant, or delete it if it stands for the world");
        return {};
    }

    std::string renamed(pugi::xml_node element, const char* wanted, const char* reason) {
        const std::string name = free_beside(element, wanted);
        context_.report(Severity::note, Code::assumed, element, "called " + quoted(name), reason);
        return name;
    }

    /// Before version 1.7, a link and a joint may share a name, which then refers to the link.
    bool add_name(int scope, const std::string& name, const Frame& frame) {
        Scope& around = graph_.scopes[static_cast<std::size_t>(scope)];
        const int index = static_cast<int>(graph_.frames.size());
        const auto [entry, is_new] = around.named.try_emplace(name, index);
        if (is_new) {
            around.names.push_back(name);
            return true;
        }
        const Frame& other = graph_.at(entry->second);
        if (context_.version_of(frame.element) >= 7 || other.kind == frame.kind) {
            context_.error(
                Code::duplicate_name, frame.element,
                "a name that no other link, joint, frame or model beside it has",
                quoted(name) + " again, first in " + context_.document.line_of(other.element, frame.element));
            return false;
        }
        if (precedence(frame.kind) < precedence(other.kind)) entry->second = index;
        return true;
    }

    int add_scope(int around, const Frame& model, const std::string& name) {
        const Scope& outer = graph_.scope(around);
        if (outer.depth >= deepest_nesting) {
            context_.error(Code::too_large, model.element,
                           "models nested at most " + std::to_string(deepest_nesting) + " deep",
                           quoted(name) + " inside them");
            return -1;
        }
        Scope scope;
        scope.frame = static_cast<int>(graph_.frames.size());
        scope.depth = outer.depth + 1;
        scope.is_static = read_flag(context_, model.element, "static") || outer.is_static;
        if (around != 0 || scoped_) scope.prefix = model.name + "::";
        if (scope.prefix.size() > longest_prefix) {
            context_.error(Code::too_large, model.element,
                           "names of models of at most " + std::to_string(longest_prefix) + " characters",
                           std::to_string(scope.prefix.size()));
            return -1;
        }
        graph_.scopes.push_back(std::move(scope));
        return static_cast<int>(graph_.scopes.size()) - 1;
    }

    Context& context_;
    Graph graph_;
    std::set<std::string> frame_names_, joint_names_;  ///< in the robot; links are among the frames
    std::optional<pugi::xml_node> world_reference_;    ///< after the search for it
    bool scoped_ = false;  ///< the names of the outermost models are prefixes of the names in them
};

}  // namespace

pugi::xml_node world_of(Context& context, pugi::xml_node root) {
    return context.document.child(root, "world");
}

std::vector<pugi::xml_node> models_of(pugi::xml_node root) {
    std::vector<pugi::xml_node> models;
    for (const pugi::xml_node model : root.children("model")) models.push_back(model);
    for (const pugi::xml_node model : root.child("world").children("model")) models.push_back(model);
    return models;
}

int Graph::find(int scope_index, const std::string& name) const {
    std::string rest = name;
    while (true) {
        const Scope& here = scope(scope_index);
        if (rest == "__model__") return here.frame;
        if (rest == world_name) return 0;
        if (const auto entry = here.named.find(rest); entry != here.named.end()) return entry->second;
        const std::size_t colons = rest.find("::");
        if (colons == std::string::npos) return -1;
        const auto model = here.named.find(rest.substr(0, colons));
        if (model == here.named.end() || at(model->second).inside < 0) return -1;
        scope_index = at(model->second).inside;
        rest.erase(0, colons + 2);
    }
}

int Graph::find(Context& context, int scope_index, const std::string& name, pugi::xml_node element,
                const std::string& role) const {
    const int frame = find(scope_index, name);
    if (frame < 0) {
        context.error(Code::unknown_name, element, "a known link, joint, frame or model as " + role,
                      quoted(name), context.hints.nearest(name, scope(scope_index).names));
    }
    return frame;
}

Graph read_graph(Context& context, pugi::xml_node root) { return GraphReader(context).read(root); }

}  // namespace grbda::sdf
