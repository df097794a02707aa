#include <cmath>

#include <Eigen/Geometry>

#include "expand.hpp"
#include "io/text/xml_text.hpp"

namespace grbda::mjcf {

namespace {

/// Limit on the copies of one <replicate>: far more than any robot has, and without overflow in products.
constexpr double most_copies = 1'000'000;

std::optional<int> read_count(Context& context, pugi::xml_node element) {
    const std::optional<double> count = context.document.required_number(element, "count");
    if (!count) return std::nullopt;
    if (*count >= 1 && *count <= most_copies && std::floor(*count) == *count) return static_cast<int>(*count);
    context.document.error(Code::bad_number, element, "a whole number from 1 to 1000000 in count",
                           "'" + std::string(element.attribute("count").value()) + "'");
    return std::nullopt;
}

std::string number_of_copy(int copy, int count) {
    const std::string number = std::to_string(copy);
    const std::size_t digits = std::to_string(count).size();
    return std::string(digits - number.size(), '0') + number;
}

Eigen::Vector3d read_vector(Context& context, pugi::xml_node element, const char* attribute) {
    const auto values = context.document.numbers(element, attribute, 3);
    return values ? Eigen::Vector3d(values->data()) : Eigen::Vector3d(Eigen::Vector3d::Zero());
}

/// Adds a <frame> before the element, with the element's source location.
pugi::xml_node add_frame(pugi::xml_node element, const Eigen::Vector3d& position,
                         const Eigen::Matrix3d& rotation) {
    pugi::xml_node frame = element.parent().insert_child_before("frame", element);
    const Eigen::Quaterniond turn(rotation);
    const auto text = [](std::initializer_list<double> values) {
        std::string list;
        for (const double value : values) list += (list.empty() ? "" : " ") + xml::exact(value);
        return list;
    };
    frame.append_attribute("pos") = text({position.x(), position.y(), position.z()}).c_str();
    frame.append_attribute("quat") = text({turn.w(), turn.x(), turn.y(), turn.z()}).c_str();
    if (element.attribute("childclass")) {
        frame.append_attribute("childclass") = element.attribute("childclass").value();
    }
    return frame;
}

class Replicator {
public:
    Replicator(Context& context, Model& model, pugi::xml_node element)
        : context_(context), document_(context.document), model_(model), element_(element) {}

    bool replicate() {
        for (const char* attribute : {"count", "offset", "euler", "sep", "childclass"}) {
            document_.expect(element_, attribute);
        }
        const std::optional<int> count = read_count(context_, element_);
        if (!count) return false;
        separator_ = document_.text(element_, "sep").value_or("");
        const auto copies = static_cast<std::size_t>(*count);
        if (!document_.make_room(count_elements(element_) * copies, element_)) return false;
        collect_names(element_, names_);
        collect_references();
        if (!document_.make_room(size_of_references_ * copies, element_)) return false;
        copy_tree(*count);
        for (const pugi::xml_node reference : references_) copy_reference(reference, *count);
        element_.parent().remove_child(element_);
        return good_;
    }

private:
    Rename rename(int copy, int count) const {
        const std::string suffix = separator_ + number_of_copy(copy, count);
        return [suffix](const std::string& name) { return name + suffix; };
    }

    /// The last copy consists of the original elements.
    void copy_tree(int count) {
        const Eigen::Vector3d offset = read_vector(context_, element_, "offset");
        const Eigen::Vector3d angles = read_vector(context_, element_, "euler");
        const Compiler& compiler = context_.compiler_of(element_);
        Eigen::Vector3d position = Eigen::Vector3d::Zero();
        for (int copy = 0; copy < count; ++copy) {
            // As in MuJoCo, angles are multiplied, not rotations: with several angles that differs.
            const Eigen::Matrix3d rotation = from_euler(compiler, copy * angles);
            pugi::xml_node frame = add_frame(element_, position, rotation);
            position += rotation * offset;
            if (copy + 1 < count) {
                for (const pugi::xml_node child : element_.children()) frame.append_copy(child);
            } else {
                while (element_.first_child()) frame.append_move(element_.first_child());
            }
            for (const pugi::xml_node child : frame.children()) {
                rename_tree(child, rename(copy, count), {});
            }
        }
    }

    /// Collects equalities, tendons and actuators that refer to copies; tendons first: others refer to them.
    void collect_references() {
        for (const char* kind : referring_sections) {
            for (const pugi::xml_node element : model_.references.find(model_.root, kind, names_)) {
                collect_reference(element);
            }
        }
    }

    void collect_reference(pugi::xml_node element) {
        size_of_references_ += count_elements(element);
        const Refers refers = mjcf::references(element, names_);
        if (refers == Refers::nowhere || refers == Refers::outside) return;
        if (refers == Refers::both && std::string_view(element.name()) != "spatial") {
            document_.error(Code::unsupported, element,
                            "names that all stand in one <replicate>, or all outside of it",
                            "both, of the one in " + document_.line_of(element_, element),
                            "write such elements one by one, without <replicate>");
            good_ = false;
            return;
        }
        references_.push_back(element);
        const std::string tendon = name_of_tendon(element);
        if (!tendon.empty()) names_.insert(tendon);
    }

    void copy_reference(pugi::xml_node element, int count) {
        pugi::xml_node last = element;
        for (int copy = 1; copy < count; ++copy) {
            last = element.parent().insert_copy_after(element, last);
            rename_reference(last, names_, rename(copy, count));
            model_.references.add(last);
        }
        rename_reference(element, names_, rename(0, count));
        model_.references.add(element);
    }

    Context& context_;
    xml::Document& document_;
    Model& model_;
    pugi::xml_node element_;
    std::string separator_;
    NameSet names_;
    std::vector<pugi::xml_node> references_;
    std::size_t size_of_references_ = 0;
    bool good_ = true;
};

}  // namespace

bool replicate(Context& context, Model& model, pugi::xml_node element) {
    return Replicator(context, model, element).replicate();
}

}  // namespace grbda::mjcf
