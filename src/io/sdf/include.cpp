#include <algorithm>

#include "elements.hpp"

namespace grbda::sdf {

namespace {

constexpr std::string_view model_scheme = "model://";

bool starts_with(std::string_view text, std::string_view begin) {
    return text.substr(0, begin.size()) == begin;
}

/// True for elements at the place of models that contain no mechanism.
bool is_left_out(std::string_view name) { return name == "light" || name == "actor"; }

/// Models of Gazebo that are at rest; worlds include them, and no folder of the robot contains them.
bool is_scenery(std::string_view uri) { return uri == "model://sun" || uri == "model://ground_plane"; }

/// The next element outside this one.
pugi::xml_node behind(pugi::xml_node element, pugi::xml_node top) {
    while (element && element != top) {
        pugi::xml_node next = element.next_sibling();
        while (next && next.type() != pugi::node_element) next = next.next_sibling();
        if (next) return next;
        element = element.parent();
    }
    return {};
}

/// Only these contain models; the content of plugins is private.
bool holds_models(pugi::xml_node element) {
    const std::string_view name = element.name();
    return name == "sdf" || name == "world" || name == "model";
}

class Includer {
public:
    Includer(Context& context, Includes& includes)
        : context_(context), document_(context.document), includes_(includes) {
        around_.push_back(includes.first().identity);
    }

    /// Continues after an error, in order to report all errors.
    bool write_out(pugi::xml_node top) {
        bool good = true;
        for (pugi::xml_node element = top; element;) {
            const bool is_include = std::string_view(element.name()) == "include";
            const pugi::xml_node next =
                holds_models(element) ? xml::next_element(element, top) : behind(element, top);
            if (is_include) good = include(element) && good;
            element = next;
        }
        return good;
    }

private:
    bool refuse(pugi::xml_node element, const IncludeProblem& problem) {
        context_.error(Code::include, element, problem.expected, problem.found, problem.hint);
        return false;
    }

    bool include(pugi::xml_node element) {
        if (is_missing_scenery(element) || is_elsewhere(element)) {
            element.parent().remove_child(element);
            return true;
        }
        const auto place = find(element);
        if (!place) return false;
        const bool cycle = std::find(around_.begin(), around_.end(), place->identity) != around_.end();
        if (cycle) {
            return refuse(element,
                          {"files that do not include themselves", quoted(place->path) + " in itself", ""});
        }
        if (around_.size() > Includes::deepest) return refuse(element, too_deep());
        const pugi::xml_node root = read(element, *place);
        if (!root || !check_root(root)) return false;
        pugi::xml_node model = the_model(element, root);
        if (!model) return is_left_out(root.first_child().name());
        around_.push_back(place->identity);
        const bool good = write_out(model);
        around_.pop_back();
        return good && put(element, model);
    }

    bool is_missing_scenery(pugi::xml_node element) {
        const std::string uri = text_of(element.child("uri"));
        IncludeProblem problem;
        if (!is_scenery(uri) || includes_.find(uri.substr(model_scheme.size()), {}, problem)) return false;
        context_.report(Severity::warning, Code::include, element, problem.expected, quoted(uri),
                        "it is left out; --path FOLDER adds a folder of models");
        return true;
    }

    /// True for a model that a world takes from a server: the other models move without it.
    bool is_elsewhere(pugi::xml_node element) {
        const std::string uri = text_of(element.child("uri"));
        const bool on_server = starts_with(uri, "https://") || starts_with(uri, "http://");
        if (!on_server || std::string_view(element.parent().name()) != "world") return false;
        document_.report_left_out(element, "a relative path or model:// in <uri>", quoted(uri),
                                  "it is left out; save the model in a file, and name that");
        return true;
    }

    /// Finds the file of the uri.
    std::optional<Includes::Place> find(pugi::xml_node element) {
        const std::optional<std::string> given = read_text(context_, element, "uri");
        if (!given) return std::nullopt;
        std::string name = *given;
        std::vector<std::string> beside = {document_.file_name(element), includes_.first().path};
        if (starts_with(name, model_scheme)) {
            name.erase(0, model_scheme.size());
            beside.clear();
        } else if (name.find("://") != std::string::npos) {
            context_.error(Code::include, element, "a relative path or model:// in <uri>", quoted(name),
                           "save the model in a file, and name that");
            return std::nullopt;
        }
        IncludeProblem problem;
        auto place = includes_.find(name, beside, problem);
        if (place && place->is_folder) place = find_in_folder(element, *place, problem);
        if (place) return place;
        if (!problem.expected.empty()) {
            const std::size_t at = name == *given ? std::string::npos : problem.found.find(name);
            if (at != std::string::npos) problem.found.replace(at, name.size(), *given);
            problem.hint +=
                std::string(problem.hint.empty() ? "" : "; ") + "or delete what is no part of the robot";
            refuse(element, problem);
        }
        return std::nullopt;
    }

    /// model.config names a file for each version of SDF; takes the newest.
    std::optional<Includes::Place> find_in_folder(pugi::xml_node element, const Includes::Place& folder,
                                                  IncludeProblem& problem) {
        const std::string inside = folder.path + "/model.config";
        const auto config = includes_.find("model.config", {inside}, problem);
        if (!config) {
            problem = {"a folder with a model.config", quoted(folder.path) + " without one", ""};
            return std::nullopt;
        }
        const pugi::xml_node root = read(element, *config);
        problem = {};
        if (!root) return std::nullopt;
        pugi::xml_node newest;
        for (const pugi::xml_node each : root.children("sdf")) {
            const auto version = [](pugi::xml_node sdf) {
                return minor_version(sdf.attribute("version").value());
            };
            if (!newest || version(each) > version(newest)) newest = each;
        }
        const std::string file = text_of(newest);
        if (file.empty()) {
            context_.error(Code::include, root, "a file named in <sdf>", "none");
            return std::nullopt;
        }
        auto place = includes_.find(file, {inside}, problem);
        if (!place || !place->is_folder) return place;
        problem = {"a file in <sdf> of " + quoted(inside), "the folder " + quoted(file), ""};
        return std::nullopt;
    }

    pugi::xml_node read(pugi::xml_node element, const Includes::Place& place) {
        IncludeProblem problem;
        std::optional<std::string> text = includes_.read(place, problem);
        if (!text) {
            refuse(element, problem);
            return {};
        }
        return document_.include(std::move(*text), place.path, document_.make_holder());
    }

    bool check_root(pugi::xml_node root) {
        if (!is_sdf(root)) {
            context_.error(Code::unknown_format, root, "the outermost element <sdf>",
                           "<" + std::string(root.name()) + ">");
            return false;
        }
        const std::optional<int> version = read_version(context_, root);
        context_.versions.resize(document_.file_count(), context_.version);
        if (version) context_.versions[document_.file_of(root)] = *version;
        return version.has_value();
    }

    /// Returns the one model of a file; ignores lights and actors.
    pugi::xml_node the_model(pugi::xml_node element, pugi::xml_node root) {
        pugi::xml_node model = root.child("model");
        if (model && !model.next_sibling("model")) return model;
        if (!model && is_left_out(root.first_child().name())) {
            document_.ignore(root.first_child());
            element.parent().remove_child(element);
        } else {
            context_.error(Code::include, root, "one <model> in an included file",
                           model ? "several" : "none");
        }
        return {};
    }

    /// Replaces the <include>, with its own settings applied.
    bool put(pugi::xml_node element, pugi::xml_node model) {
        const std::optional<std::string> name = read_text(context_, element, "name");
        const std::optional<std::string> frame = read_text(context_, element, "placement_frame");
        const pugi::xml_node params = element.find_child([](pugi::xml_node child) {
            return std::string_view(child.name()).find("params") != std::string_view::npos;
        });
        if (params) {
            context_.error(Code::unsupported, params, "an included model as its file has it", "changes to it",
                           "write the changed model in a file of its own");
            return false;
        }
        document_.ignore_children_except(element, {"uri", "name", "pose", "static", "placement_frame"});
        if (name && !name->empty()) set(model, "name", *name);
        if (frame && !frame->empty()) {
            if (!element.child("pose")) {
                context_.error(Code::missing, element, "a <pose> for the placement_frame", "none");
                return false;
            }
            set(model, "placement_frame", *frame);
        }
        for (const char* child : {"pose", "static"}) {
            const pugi::xml_node given = document_.child(element, child);
            if (!given) continue;
            while (model.child(child)) model.remove_child(child);
            model.prepend_move(given);
        }
        if (read_flag_attribute(context_, element, "merge")) return merge(context_, element, model);
        element.parent().insert_move_before(model, element);
        element.parent().remove_child(element);
        return true;
    }

    static void set(pugi::xml_node element, const char* attribute, const std::string& value) {
        pugi::xml_attribute given = element.attribute(attribute);
        if (!given) given = element.append_attribute(attribute);
        given.set_value(value.c_str());
    }

    Context& context_;
    xml::Document& document_;
    Includes& includes_;
    std::vector<std::string> around_;  ///< identities of the files around
};

}  // namespace

bool write_out_includes(Context& context, Includes& includes) {
    return Includer(context, includes).write_out(context.document.root());
}

}  // namespace grbda::sdf
