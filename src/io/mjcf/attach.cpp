#include <algorithm>

#include "expand.hpp"

namespace grbda::mjcf {

namespace {

/// The default class of an element without one, under the name that the robot's model uses.
constexpr const char* outermost_class = "main";

bool report(Context& context, pugi::xml_node element, const IncludeProblem& problem) {
    context.document.error(Code::include, element, problem.expected, problem.found, problem.hint);
    return false;
}

bool contains(pugi::xml_node outer, pugi::xml_node element) {
    while (element && element != outer) element = element.parent();
    return !element.empty();
}

/// The childclass that applies at an element.
std::string class_around(pugi::xml_node element) {
    for (element = element.parent(); element; element = element.parent()) {
        const std::string name = element.attribute("childclass").value();
        if (!name.empty()) return name;
    }
    return outermost_class;
}

class Attacher {
public:
    Attacher(Context& context, Includes& includes, Model& model, pugi::xml_node element)
        : context_(context),
          document_(context.document),
          includes_(includes),
          into_(model),
          element_(element) {}

    bool attach() {
        for (const char* attribute : {"model", "body", "frame", "prefix"})
            document_.expect(element_, attribute);
        if (!element_.attribute("prefix")) {
            document_.error(Code::missing, element_, "attribute 'prefix'", "none",
                            "it keeps the names apart");
            return false;
        }
        prefix_ = document_.text(element_, "prefix").value_or("");
        const bool own = !element_.attribute("model");
        if (!own && !load()) return false;
        if (own) from_.root = into_.root;
        const std::vector<pugi::xml_node> source = find_source(own);
        if (source.empty()) return false;
        const std::string around = class_around(source.front());
        if (!copy_tree(source, own ? around : renamed(around), own) || !copy_references(own)) return false;
        if (!own && !add_settings()) return false;
        element_.parent().remove_child(element_);
        return true;
    }

private:
    std::string renamed(const std::string& name) const { return prefix_ + name; }
    Rename rename() const {
        return [prefix = prefix_](const std::string& name) { return prefix + name; };
    }

    bool load() {
        const std::string name = document_.text(element_, "model").value_or("");
        std::vector<std::string> names;
        for (const pugi::xml_node asset : into_.assets) names.emplace_back(asset.attribute("name").value());
        const auto given = std::find(names.begin(), names.end(), name);
        if (given != names.end() && !name.empty()) {
            return load(into_.assets[static_cast<std::size_t>(given - names.begin())]) && expand();
        }
        // An asset without a name has the name of its model in the file.
        for (const pugi::xml_node asset : into_.assets) {
            if (!asset.attribute("name").empty()) continue;
            if (!load(asset)) return false;
            const std::string own = document_.text(from_.root, "model").value_or("MuJoCo Model");
            if (own == name) return expand();
            names.push_back(own);
        }
        document_.error(Code::unknown_name, element_, "the name of a <model> in <asset>", "'" + name + "'",
                        nearest_name_hint(name, names));
        return false;
    }

    bool load(pugi::xml_node reason) {
        const auto file = document_.required_text(reason, "file");
        if (!file) return false;
        IncludeProblem problem;
        const auto place = includes_.find(*file, {into_.file.path, document_.file_name(reason)}, problem);
        if (!place) return report(context_, reason, problem);
        return check_cycle(*place) && read(*place, reason);
    }

    bool check_cycle(const Includes::Place& place) {
        from_.around = into_.around;
        const auto same = [&](const Model* model) { return model->file.identity == place.identity; };
        const bool cycle = std::any_of(from_.around.begin(), from_.around.end(), same);
        if (!cycle) return true;
        document_.error(Code::cycle, element_, "models that are not attached to themselves",
                        "'" + place.path + "' attached in itself");
        return false;
    }

    bool read(const Includes::Place& place, pugi::xml_node reason) {
        from_.root = read_file_of(context_, includes_, place, reason, document_.make_holder());
        if (!from_.root) return false;
        if (std::string_view(from_.root.name()) != "mujoco") {
            document_.error(Code::unknown_format, from_.root, "the outermost element <mujoco>",
                            "<" + std::string(from_.root.name()) + ">");
            return false;
        }
        from_.file = place;
        return true;
    }

    bool expand() {
        from_.around.push_back(&from_);
        context_.attached.emplace_back();
        from_.index = context_.attached.size();
        return expand_model(context_, includes_, from_);
    }

    /// Finds the elements to copy.
    std::vector<pugi::xml_node> find_source(bool own) {
        const bool has_body = element_.attribute("body"), has_frame = element_.attribute("frame");
        std::vector<pugi::xml_node> source;
        if (has_body && has_frame) {
            document_.error(Code::conflict, element_, "one of body and frame", "both");
        } else if (!has_body && !has_frame && own) {
            document_.error(Code::missing, element_, "a body or frame to attach, or a model", "neither");
        } else if (!has_body && !has_frame) {
            for (const pugi::xml_node section : from_.root.children("worldbody")) {
                for (const pugi::xml_node child : section.children()) source.push_back(child);
            }
            if (source.empty())
                document_.error(Code::missing, element_, "a model with bodies", "an empty one");
        } else {
            const char* const kind = has_body ? "body" : "frame";
            const std::string name = document_.text(element_, kind).value_or("");
            const pugi::xml_node found = find_place(own, std::string(kind) + " " + name);
            const bool around = found && contains(found, element_);
            if (found && !around) source.push_back(found);
            if (!found || around) {
                document_.error(Code::unknown_name, element_,
                                std::string("the name of a <") + kind + "> " +
                                    (around ? "beside this one"
                                     : own  ? "of this model"
                                            : "of that model"),
                                "'" + name + "'" + (around ? ", which this stands in" : ""));
            }
        }
        return source;
    }

    pugi::xml_node find_place(bool own, const std::string& name) {
        if (!own) from_.places = places_in(from_.root);  // copies in it may have new names
        const Places& places = own ? into_.places : from_.places;
        const auto found = places.find(name);
        return found == places.end() ? pugi::xml_node() : found->second;
    }

    bool copy_tree(const std::vector<pugi::xml_node>& source, const std::string& childclass, bool own) {
        std::size_t size = 2;
        for (const pugi::xml_node node : source) size += count_elements(node);
        if (!document_.make_room(size, element_)) return false;
        pugi::xml_node frame = element_.parent().insert_child_before("frame", element_);
        frame.append_attribute("childclass") = childclass.c_str();
        for (const pugi::xml_node node : source) {
            collect_names(node, names_);
            const pugi::xml_node copy = frame.append_copy(node);
            rename_tree(copy, rename(), own ? Rename() : rename());
            add_places(copy, into_.places);
        }
        return true;
    }

    /// Copies equalities, tendons and actuators whose names
    /// are all attached. MuJoCo silently drops the others.
    bool copy_references(bool own) {
        References& references = own ? into_.references : from_.references;
        for (const char* kind : referring_sections) {
            for (const pugi::xml_node element : references.find(from_.root, kind, names_)) {
                if (!copy_reference(element, kind, own)) return false;
            }
        }
        return true;
    }

    bool copy_reference(pugi::xml_node element, const char* kind, bool own) {
        if (!document_.make_room(count_elements(element) + 1, element_)) return false;
        const Refers refers = references(element, names_);
        if (refers == Refers::both) {
            document_.report(Severity::warning, Code::ignored, element,
                             "names that are all attached with '" + prefix_ + "'", "one that is not",
                             "left out, as MuJoCo does");
        }
        if (refers != Refers::inside) return true;
        const std::string tendon = name_of_tendon(element);
        pugi::xml_node section = into_.root.child(kind);
        if (!section) section = pugi::xml_node(into_.root).append_child(kind);
        pugi::xml_node copy = section.append_copy(element);
        rename_reference(copy, names_, rename());
        into_.references.add(copy);
        if (!tendon.empty()) names_.insert(tendon);
        if (!own) rename_class(copy);
        return true;
    }

    void rename_class(pugi::xml_node copy) const {
        const std::string name = copy.attribute("class").value();
        if (name.empty()) copy.remove_attribute("class");
        set(copy, "class", renamed(name.empty() ? outermost_class : name));
    }

    static void set(pugi::xml_node element, const char* attribute, const std::string& value) {
        pugi::xml_attribute given = element.attribute(attribute);
        if (!given) given = element.append_attribute(attribute);
        given.set_value(value.c_str());
    }

    /// Copies default classes under new names; settings of the whole model are not copied.
    bool add_settings() {
        Model::Classes own{outermost_class, from_.file.identity, {}};
        for (const pugi::xml_node section : from_.root.children("default")) own.sections.push_back(section);
        std::vector<Model::Classes> all = from_.classes;
        all.push_back(own);
        for (const Model::Classes& classes : all) {
            if (!add_classes(classes)) return false;
        }
        if (!add_assets()) return false;
        for (const char* kind : {"option", "keyframe"}) {
            const pugi::xml_node section = from_.root.child(kind);
            if (!section) continue;
            document_.report(Severity::note, Code::ignored, section,
                             "not used, as its model is attached to another", "");
        }
        return true;
    }

    /// Copies what geoms refer to: meshes and materials.
    bool add_assets() {
        for (const pugi::xml_node section : from_.root.children("asset")) {
            for (const pugi::xml_node asset : section.children()) {
                const std::string_view kind = asset.name();
                if (kind != "mesh" && kind != "material") continue;
                if (!document_.make_room(count_elements(asset) + 3, element_)) return false;
                pugi::xml_node into = into_.root.child("asset");
                if (!into) into = pugi::xml_node(into_.root).append_child("asset");
                const pugi::xml_node copy = into.append_copy(asset);
                set(copy, "name",
                    renamed(kind == "mesh" ? mesh_name(asset) : asset.attribute("name").value()));
                rename_class(copy);
            }
        }
        return true;
    }

    bool add_classes(const Model::Classes& classes) {
        const std::string outermost = renamed(classes.outermost);
        for (const Model::Classes& known : into_.classes) {
            if (known.outermost != outermost) continue;
            if (known.identity == classes.identity) return true;
            document_.error(Code::duplicate_name, element_, "a prefix that no other model is attached with",
                            "'" + prefix_ + "' again");
            return false;
        }
        Model::Classes copy{outermost, classes.identity, {}};
        pugi::xml_node holder = document_.make_holder();
        for (const pugi::xml_node section : classes.sections) {
            if (!document_.make_room(count_elements(section), element_)) return false;
            copy.sections.push_back(holder.append_copy(section));
            rename_tree(
                copy.sections.back(), [](const std::string& name) { return name; }, rename());
        }
        into_.classes.push_back(std::move(copy));
        return true;
    }

    Context& context_;
    xml::Document& document_;
    Includes& includes_;
    Model& into_;
    pugi::xml_node element_;
    std::string prefix_;
    Model from_;
    NameSet names_;
};

}  // namespace

bool attach(Context& context, Includes& includes, Model& model, pugi::xml_node element) {
    return Attacher(context, includes, model, element).attach();
}

}  // namespace grbda::mjcf
