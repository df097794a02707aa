#include "elements.hpp"

// <include merge="true">: the parts of the other model become parts of this one. A frame
// replaces the merged model, and poses relative to that model become relative to the frame.

namespace grbda::sdf {

namespace {

constexpr const char* model_frame = "__model__";

void set(pugi::xml_node element, const char* attribute, const std::string& value) {
    pugi::xml_attribute given = element.attribute(attribute);
    if (!given) given = element.append_attribute(attribute);
    given.set_value(value.c_str());
}

bool names_model(pugi::xml_attribute attribute) { return std::string_view(attribute.value()) == model_frame; }

/// The link that carries the frame; for nested models, the first one's.
std::string carrier_of(pugi::xml_node model) {
    const std::string given = model.attribute("canonical_link").value();
    if (!given.empty()) return given;
    if (const pugi::xml_node link = model.child("link")) return link.attribute("name").value();
    const pugi::xml_node inner = model.child("model");
    return inner ? inner.attribute("name").value() + std::string("::") + carrier_of(inner) : "";
}

class Merger {
public:
    Merger(Context& context, pugi::xml_node element, pugi::xml_node model)
        : context_(context),
          element_(element),
          model_(model),
          frame_("_merged__" + std::string(model.attribute("name").value()) + "__model__") {}

    bool merge() {
        if (!check()) return false;
        add_frame();
        for (pugi::xml_node child = model_.first_child(); child;) {
            const pugi::xml_node next = child.next_sibling();
            const std::string_view kind = child.name();
            if (kind == "link" || kind == "model") place(child);
            if (kind == "frame") attach(child);
            if (kind == "joint") refer(child);
            const bool is_part = kind != "pose" && kind != "static" && child.type() == pugi::node_element;
            if (is_part) element_.parent().insert_move_before(child, element_);
            child = next;
        }
        element_.parent().remove_child(element_);
        return true;
    }

private:
    bool refuse(pugi::xml_node element, const char* expected, const char* found) {
        context_.error(Code::unsupported, element, expected, found,
                       "leave merge out, and write the model's name and :: before names in it");
        return false;
    }

    bool check() {
        if (std::string_view(element_.parent().name()) != "model") {
            return refuse(element_, "merge=\"true\" in a <model>", "one outside");
        }
        if (model_.attribute("placement_frame")) {
            return refuse(element_, "a merged model without placement_frame", "one with it");
        }
        if (read_flag(context_, model_, "static")) {
            return refuse(element_, "a merged model that is not static", "a static one");
        }
        if (carrier_of(model_).empty()) return refuse(model_, "a model with a link", "none");
        for (const pugi::xml_node joint : model_.children("joint")) {
            const pugi::xml_node axis = joint.child("axis");
            const bool old = context_.version_of(joint) < 5 || axis.child("use_parent_model_frame");
            if (axis && old)
                return refuse(joint, "a merged joint with its axis in its own frame", "one in the model's");
        }
        return true;
    }

    /// The frame moves with the model's first link and has the model's pose.
    void add_frame() {
        pugi::xml_node frame = element_.parent().insert_child_before("frame", element_);
        set(frame, "name", frame_);
        set(frame, "attached_to", carrier_of(model_));
        pugi::xml_node pose = model_.child("pose");
        pose = pose ? frame.append_move(pose) : frame.append_child("pose");
        if (*pose.attribute("relative_to").value() == '\0') set(pose, "relative_to", model_frame);
    }

    void place(pugi::xml_node part) {
        pugi::xml_node pose = part.child("pose");
        if (!pose) pose = part.append_child("pose");
        const pugi::xml_attribute base = pose.attribute("relative_to");
        const bool old_base = *pose.attribute("frame").value() != '\0';
        if (names_model(base) || (*base.value() == '\0' && !old_base)) set(pose, "relative_to", frame_);
        for (const char* kind : {"visual", "collision"}) {
            for (const pugi::xml_node shape : part.children(kind)) {
                if (names_model(shape.child("pose").attribute("relative_to")))
                    set(shape.child("pose"), "relative_to", frame_);
            }
        }
    }

    void attach(pugi::xml_node part) {
        const pugi::xml_attribute carrier = part.attribute("attached_to");
        if (*carrier.value() == '\0' || names_model(carrier)) set(part, "attached_to", frame_);
        if (names_model(part.child("pose").attribute("relative_to")))
            set(part.child("pose"), "relative_to", frame_);
    }

    void refer(pugi::xml_node joint) {
        if (names_model(joint.child("pose").attribute("relative_to")))
            set(joint.child("pose"), "relative_to", frame_);
        for (const char* end : {"parent", "child"}) {
            if (text_of(joint.child(end)) == model_frame) joint.child(end).text().set(frame_.c_str());
        }
        for (const char* axis : {"axis", "axis2"}) {
            pugi::xml_node xyz = joint.child(axis).child("xyz");
            if (names_model(xyz.attribute("expressed_in"))) set(xyz, "expressed_in", frame_);
        }
    }

    Context& context_;
    pugi::xml_node element_;
    pugi::xml_node model_;
    std::string frame_;
};

}  // namespace

bool merge(Context& context, pugi::xml_node element, pugi::xml_node model) {
    return Merger(context, element, model).merge();
}

}  // namespace grbda::sdf
