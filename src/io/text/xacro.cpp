#include "xacro.hpp"

#include <filesystem>
#include <string>

#include "description/rules.hpp"

// A robot with unexpanded macros lacks their content.

namespace grbda::xml {

namespace {

/// The file written by the command: "robot.urdf" for "robot.urdf.xacro".
std::string expansion(const std::string& file) {
    const std::filesystem::path path = file;
    const bool is_named_so = path.extension() == ".xacro";
    std::filesystem::path expanded = path;
    if (is_named_so) {
        expanded.replace_extension();
        if (!expanded.has_extension()) expanded += ".urdf";
    } else {
        expanded.replace_extension("expanded" + path.extension().string());
    }
    return "xacro " + file + " > " + expanded.string();
}

/// Remaining macros, reported as one error at the first one.
class Remains {
public:
    void add(pugi::xml_node element, const std::string& what) {
        if (++count_ > 1) return;
        first_ = element;
        found_ = what;
    }

    /// Returns true if there are none.
    bool report(Document& document) {
        if (count_ == 0) return true;
        if (count_ > 1) found_ += " and " + std::to_string(count_ - 1) + " more";
        document.error(Code::unexpanded, first_, "a file without xacro", found_,
                       "expand it first: " + expansion(document.file_name(first_)));
        return false;
    }

private:
    pugi::xml_node first_;
    std::string found_;
    int count_ = 0;
};

bool look(Document& document, bool at_attributes) {
    Remains remains, of_appearance;
    const pugi::xml_node root = document.root();
    for (pugi::xml_node element = root; element; element = next_element(element, root)) {
        const std::string name = element.name();
        Remains& found = is_appearance(element) ? of_appearance : remains;
        if (name.compare(0, 6, "xacro:") == 0) found.add(element, "<" + name + ">");
        if (!at_attributes) continue;
        for (const pugi::xml_attribute attribute : element.attributes()) {
            if (!is_unexpanded(attribute.value())) continue;
            document.refuse(attribute);
            found.add(element, "'" + std::string(attribute.value()) + "' in " + attribute.name());
        }
    }
    if (!remains.report(document)) return false;
    of_appearance.report(document);
    return true;
}

}  // namespace

bool is_expanded(Document& document) { return look(document, false); }

bool is_all_expanded(Document& document) { return look(document, true); }

}  // namespace grbda::xml
