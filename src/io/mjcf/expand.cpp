#include "expand.hpp"

#include <algorithm>

namespace grbda::mjcf {

namespace {

/// Limits on expanded <attach> and <replicate> elements of a model, and on models to attach.
constexpr std::size_t most_generators = 256, most_models = 1000;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

class Includer {
public:
    Includer(Context& context, Includes& includes, Model& model)
        : context_(context), document_(context.document), includes_(includes), model_(model) {}

    /// Continues after an error, in order to report all errors.
    bool write_out() {
        bool good = true;
        for (pugi::xml_node element = model_.root; element;) {
            if (std::string_view(element.name()) != "include") {
                element = xml::next_element(element, model_.root);
            } else if (const pugi::xml_node first = include(element)) {
                element = first;
            } else {
                element = behind(element);
                good = false;
            }
        }
        return good;
    }

private:
    /// The next element outside this one.
    pugi::xml_node behind(pugi::xml_node element) const {
        while (element && element != model_.root) {
            pugi::xml_node next = element.next_sibling();
            while (next && next.type() != pugi::node_element) next = next.next_sibling();
            if (next) return next;
            element = element.parent();
        }
        return {};
    }

    /// Replaces the <include> by the file's elements; returns the first of them, or an empty node.
    pugi::xml_node include(pugi::xml_node element) {
        IncludeProblem problem;
        if (element.first_child()) {
            document_.error(Code::misplaced, element, "an empty <include>", "something in it");
            return {};
        }
        const std::optional<std::string> name = document_.required_text(element, "file");
        if (!name) return {};
        const auto place = includes_.find(*name, {model_.file.path, document_.file_name(element)}, problem);
        if (place && !model_.included.insert(place->identity).second) {
            problem = {"each file at most once in a model", "'" + place->path + "' again",
                       "copies of bodies: <replicate>, or <attach> with a prefix each"};
            return refuse(element, problem);
        }
        if (!place) return refuse(element, problem);
        const pugi::xml_node root = read_file_of(context_, includes_, *place, element, element);
        if (!root || !check_root(root)) return {};
        return splice(element, root);
    }

    pugi::xml_node refuse(pugi::xml_node element, const IncludeProblem& problem) {
        document_.error(Code::include, element, problem.expected, problem.found, problem.hint);
        return {};
    }

    /// MuJoCo accepts any name; these belong to other formats.
    bool check_root(pugi::xml_node root) {
        const std::string name = lower(root.name());
        const bool other = name == "robot" || name == "sdf";
        const auto is_element = [](pugi::xml_node child) { return child.type() == pugi::node_element; };
        const bool empty = !root.find_child(is_element);
        if (other) {
            document_.error(Code::unknown_format, root, "the outermost element <mujoco> or <mujocoinclude>",
                            "<" + name + ">");
        } else if (empty) {
            document_.error(Code::missing, root, "elements to include", "none");
        }
        return !other && !empty;
    }

    static pugi::xml_node splice(pugi::xml_node element, pugi::xml_node root) {
        pugi::xml_node parent = element.parent();
        pugi::xml_node first;
        while (root.first_child()) {
            const pugi::xml_node moved = parent.insert_move_before(root.first_child(), element);
            if (!first && moved.type() == pugi::node_element) first = moved;
        }
        parent.remove_child(element);
        return first;
    }

    Context& context_;
    xml::Document& document_;
    Includes& includes_;
    Model& model_;
};

/// Finds elements in the order of the file.
std::vector<pugi::xml_node> find_all(pugi::xml_node root, const char* name) {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node section : root.children("worldbody")) {
        for (pugi::xml_node element = section; element; element = xml::next_element(element, section)) {
            if (element.name() == std::string_view(name)) found.push_back(element);
        }
    }
    return found;
}

bool check_count(Context& context, const std::vector<pugi::xml_node>& elements) {
    if (elements.empty()) return true;
    if (elements.size() <= most_generators) return context.document.make_room(0, elements.front());
    context.document.error(Code::too_large, elements[most_generators],
                           "at most " + std::to_string(most_generators) + " of <attach> and of <replicate>",
                           std::to_string(elements.size()));
    return false;
}

bool read_assets(Context& context, Model& model) {
    for (const pugi::xml_node section : model.root.children("asset")) {
        for (const pugi::xml_node asset : section.children("model")) {
            context.document.expect(asset, "name");
            model.assets.push_back(asset);
        }
    }
    if (model.assets.size() <= most_models) return true;
    context.document.error(Code::too_large, model.assets[most_models],
                           "at most " + std::to_string(most_models) + " models",
                           std::to_string(model.assets.size()));
    return false;
}

bool write_out_attachments(Context& context, Includes& includes, Model& model) {
    const std::vector<pugi::xml_node> elements = find_all(model.root, "attach");
    if (!check_count(context, elements)) return false;
    if (!elements.empty()) model.places = places_in(model.root);
    bool good = true;
    for (const pugi::xml_node element : elements) {
        good = attach(context, includes, model, element) && good;
        if (context.document.is_full()) return false;
    }
    return good;
}

bool write_out_replicas(Context& context, Model& model) {
    const std::vector<pugi::xml_node> elements = find_all(model.root, "replicate");
    if (!check_count(context, elements)) return false;
    bool good = true;
    for (auto element = elements.rbegin(); element != elements.rend(); ++element) {
        good = replicate(context, model, *element) && good;
        if (context.document.is_full()) return false;
    }
    return good;
}

}  // namespace

bool write_out_includes(Context& context, Includes& includes, Model& model) {
    model.included.insert(model.file.identity);
    return Includer(context, includes, model).write_out();
}

pugi::xml_node read_file_of(Context& context, Includes& includes, const Includes::Place& place,
                            pugi::xml_node element, pugi::xml_node holder) {
    const std::size_t depth = context.depth_of_file[context.document.file_of(element)] + 1;
    IncludeProblem problem = too_deep();
    std::optional<std::string> text;
    if (depth <= Includes::deepest) text = includes.read(place, problem);
    if (!text) {
        context.document.error(Code::include, element, problem.expected, problem.found, problem.hint);
        return {};
    }
    const pugi::xml_node root = context.document.include(std::move(*text), place.path, holder);
    context.depth_of_file.resize(context.document.file_count(), depth);
    return root;
}

bool expand_model(Context& context, Includes& includes, Model& model) {
    const std::size_t first_file = context.model_of_file.size();
    if (!write_out_includes(context, includes, model)) return false;
    context.model_of_file.resize(std::max(first_file, context.document.file_count()), model.index);
    Compiler& compiler = model.index == 0 ? context.compiler : context.attached[model.index - 1];
    for (const pugi::xml_node section : model.root.children("compiler")) {
        read_compiler(context, section, compiler);
    }
    return read_assets(context, model) && write_out_attachments(context, includes, model) &&
           write_out_replicas(context, model);
}

bool expand(Context& context, Includes& includes) {
    Model model;
    model.root = context.document.root();
    model.file = includes.first();
    model.around.push_back(&model);
    if (!expand_model(context, includes, model)) return false;
    for (const Model::Classes& classes : model.classes) {
        context.defaults.read_apart(context.document, classes.outermost, classes.sections);
    }
    return true;
}

}  // namespace grbda::mjcf
