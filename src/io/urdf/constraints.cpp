#include "io/text/number.hpp"
#include "elements.hpp"

namespace grbda::urdf {

namespace {

const auto loop_types = keywords_of(loop_facts);

void read_loop_axes(Context& context, pugi::xml_node element, LoopDescription& loop) {
    if (facts(loop.type).axes == 0) return;
    if (!element.child("axis")) {
        context.document.report(Severity::note, Code::assumed, element, "axis 1 0 0, the default",
                                std::string("a ") + to_string(loop.type) + " loop without <axis>");
    }
    read_axis(context, element, Figure::axis, loop.axis, loop.places);
    if (facts(loop.type).axes > 1) read_axis(context, element, Figure::axis2, loop.axis2, loop.places);
}

void read_length(Context& context, pugi::xml_node element, LoopDescription& loop) {
    xml::Document& document = context.document;
    const pugi::xml_node length = document.child(element, "length");
    if (!length) return;
    document.ignore_children_except(length, {});
    loop.length = document.required_number(length, "value");
    loop.places[Figure::length] = document.where(length);
}

/// Refuses figures that seem to place an end of a loop, but are neither in an <origin> nor known.
void refuse_stray_places(Context& context, pugi::xml_node element) {
    for (const char* const name : {"xyz", "rpy", "quat_xyzw", "position", "pos", "pose", "quat"})
        if (element.attribute(name) || element.child(name))
            context.document.error(Code::misplaced, element,
                                   "<origin xyz rpy> inside <predecessor> or <successor>",
                                   std::string("'") + name + "' in " + xml::tag(element.name()),
                                   "move it into an <origin> there");
}

/// Reads one end of a loop: its link, and the constraint frame in it.
std::string read_loop_end(Context& context, pugi::xml_node loop, const char* end, Pose& origin) {
    std::string link = read_link_reference(context, loop, end);
    refuse_stray_places(context, loop.child(end));
    if (const pugi::xml_node element = loop.child(end)) origin = read_origin(context, element);
    return link;
}

bool is_loop_end(pugi::xml_node element) {
    const std::string_view name = element.name();
    return name == "predecessor" || name == "successor";
}

/// An <origin> that follows an end without one belongs to that end, unless it
/// could place both ends: then the other end comes first and has no <origin>.
bool belongs_to(pugi::xml_node end) {
    if (!is_loop_end(end) || end.child("origin")) return false;
    const char* const other_name = std::string_view(end.name()) == "successor" ? "predecessor" : "successor";
    const pugi::xml_node other = end.parent().child(other_name);
    return other.child("origin") || end.next_sibling(other_name) == other;
}

/// Moves each <origin> beside an end into that end, as in URDF+.
void move_origins_into_ends(Context& context, pugi::xml_node loop) {
    pugi::xml_node before;
    for (pugi::xml_node element = loop.first_child(); element;) {
        const pugi::xml_node next = element.next_sibling();
        const bool is_origin = std::string_view(element.name()) == "origin";
        if (is_origin && belongs_to(before)) {
            context.document.report(Severity::warning, Code::assumed, element,
                                    "<origin> inside <predecessor> or <successor>", "one beside them",
                                    "it is read as that of the " + std::string(before.name()) +
                                        ", which it follows; move it inside");
            before.append_move(element);
        } else if (is_origin) {
            context.document.error(Code::misplaced, element, "<origin> inside <predecessor> or <successor>",
                                   "one beside them", "move it into the one whose frame it places");
        } else if (element.type() == pugi::node_element) {
            before = element;
        }
        element = next;
    }
}

/// Joints are related by ratio; if the element gives none, it is 1, with a note.
double read_ratio(Context& context, pugi::xml_node coupling, FigurePlaces& places) {
    xml::Document& document = context.document;
    const pugi::xml_node ratio = document.child(coupling, "ratio");
    document.expect(ratio, "value");
    if (!ratio.attribute("value")) {
        document.report(Severity::note, Code::assumed, coupling, "ratio 1, the default",
                        "no <ratio value=\"…\"/>");
        return 1;
    }
    document.ignore_children_except(ratio, {});
    places[Figure::ratio] = document.where(ratio);
    return document.number(ratio, "value").value_or(1);
}

void check_coupling_type(Context& context, pugi::xml_node coupling) {
    const std::optional<std::string> type = context.document.text(coupling, "type");
    if (!type) return;
    context.document.report(
        Severity::note, Code::assumed, coupling, "read as a coupling of predecessor and successor",
        "the unknown type '" + *type + "'", nearest_name_hint(*type, {"linear", "polynomial"}));
}

/// The joint of a polynomial coupling, and its reference position.
std::string read_reference(Context& context, pugi::xml_node coupling, const char* child, double& reference) {
    xml::Document& document = context.document;
    const pugi::xml_node element = document.required_child(coupling, child);
    if (!element) return {};
    document.ignore_children_except(element, {});
    note_unused_attributes(context, element, {"joint", "reference"});
    reference = document.number(element, "reference").value_or(0);
    return document.required_text(element, "joint").value_or("");
}

GearRelation read_gear(Context& context, pugi::xml_node element, FigurePlaces& places) {
    xml::Document& document = context.document;
    GearRelation gear;
    check_coupling_type(context, element);
    if (element.child("term") && !element.child("predecessor") && !element.child("successor")) {
        document.error(Code::conflict, element, "type=\"linear\" on a coupling of <term>s",
                       element.attribute("type") ? "another type" : "no type");
        return gear;
    }
    if (element.child("follower") && !element.child("predecessor") && !element.child("successor")) {
        document.error(Code::conflict, element,
                       "type=\"polynomial\" on a coupling of <follower> and <leader>",
                       element.attribute("type") ? "another type" : "no type");
        return gear;
    }
    gear.predecessor = read_link_reference(context, element, "predecessor");
    gear.successor = read_link_reference(context, element, "successor");
    gear.ratio = read_ratio(context, element, places);
    document.ignore_children_except(element, {"predecessor", "successor", "ratio"});
    return gear;
}

LinearTerm read_term(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    document.ignore_children_except(element, {});
    LinearTerm term;
    term.where = document.where(element);
    term.joint = document.required_text(element, "joint").value_or("");
    term.coefficient = document.number(element, "coefficient").value_or(1);
    return term;
}

LinearRelation read_linear(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    LinearRelation linear;
    for (const pugi::xml_node term : element.children("term")) {
        linear.terms.push_back(read_term(context, term));
    }
    if (linear.terms.empty()) {
        document.error(Code::missing, element, "at least one <term joint=\"…\" coefficient=\"…\"/>", "none");
    }
    if (const pugi::xml_node offset = document.child(element, "offset")) {
        document.ignore_children_except(offset, {});
        linear.offset = document.required_number(offset, "value").value_or(0);
    }
    document.ignore_children_except(element, {"term", "offset"});
    return linear;
}

PolynomialRelation read_polynomial(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    PolynomialRelation relation;
    relation.follower = read_reference(context, element, "follower", relation.follower_reference);
    relation.leader = read_reference(context, element, "leader", relation.leader_reference);
    if (const pugi::xml_node polynomial = document.required_child(element, "polynomial")) {
        document.ignore_children_except(polynomial, {});
        note_unused_attributes(context, polynomial, {"coefficients"});
        relation.coefficients = read_numbers(context, polynomial, "coefficients");
    }
    document.ignore_children_except(element, {"follower", "leader", "polynomial"});
    note_unused_attributes(context, element, {"name", "type"});
    return relation;
}

}  // namespace

LoopDescription read_loop(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    LoopDescription loop;
    loop.where = document.where(element);
    loop.name = document.text(element, "name").value_or("");
    std::optional<LoopType> type;
    if (document.required_text(element, "type")) type = document.keyword(element, "type", loop_types);
    // An unknown type cannot be checked: read as fixed, it causes no more findings.
    loop.type = type.value_or(LoopType::fixed);
    move_origins_into_ends(context, element);
    refuse_stray_places(context, element);
    loop.predecessor = read_loop_end(context, element, "predecessor", loop.predecessor_origin);
    loop.successor = read_loop_end(context, element, "successor", loop.successor_origin);
    read_loop_axes(context, element, loop);
    if (loop.type == LoopType::helical) loop.pitch = read_pitch(context, element, loop.places);
    const bool is_distance = loop.type == LoopType::distance;
    if (is_distance) read_length(context, element, loop);
    if (const pugi::xml_node inertial = document.child(element, "inertial"); is_distance && inertial)
        loop.inertial = read_inertial(context, inertial, loop.places);
    document.ignore_children_except(
        element,
        {"predecessor", "successor", "origin", "axis", !type || facts(*type).axes > 1 ? "axis2" : "axis",
         type == LoopType::helical || !type ? "pitch" : "axis", is_distance || !type ? "length" : "axis",
         is_distance || !type ? "inertial" : "axis"});
    return loop;
}

CouplingDescription read_coupling(Context& context, pugi::xml_node element) {
    CouplingDescription coupling;
    coupling.where = context.document.where(element);
    coupling.name = context.document.text(element, "name").value_or("");
    const std::string_view type = trim(element.attribute("type").value());
    if (type == "linear")
        coupling.relation = read_linear(context, element);
    else if (type == "polynomial")
        coupling.relation = read_polynomial(context, element);
    else
        coupling.relation = read_gear(context, element, coupling.places);
    return coupling;
}

CombinedCoordinate read_coordinate(Context& context, pugi::xml_node element) {
    CombinedCoordinate coordinate;
    coordinate.where = context.document.where(element);
    coordinate.name = context.document.required_text(element, "name").value_or("");
    LinearRelation linear = read_linear(context, element);
    coordinate.terms = std::move(linear.terms);
    coordinate.offset = linear.offset;
    note_unused_attributes(context, element, {"name"});
    return coordinate;
}

TendonDescription read_tendon(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    TendonDescription tendon;
    tendon.where = document.where(element);
    tendon.name = document.required_text(element, "name").value_or("");
    tendon.stiffness = document.number(element, "stiffness").value_or(0);
    tendon.damping = document.number(element, "damping").value_or(0);
    tendon.friction = document.number(element, "friction").value_or(0);
    document.expect(element, "rest_length");
    if (element.attribute("rest_length")) {
        const std::vector<double> lengths = read_numbers(context, element, "rest_length");
        if (lengths.size() > 2) {
            document.error(Code::wrong_shape, element, "one rest length, or two to be slack between",
                           std::to_string(lengths.size()) + " numbers in rest_length");
        }
        if (!lengths.empty()) tendon.rest_lower = lengths.front();
        if (!lengths.empty()) tendon.rest_upper = lengths.back();
    }
    for (const pugi::xml_node term : element.children("term")) {
        tendon.terms.push_back(read_term(context, term));
    }
    document.ignore_children_except(element, {"term"});
    note_unused_attributes(context, element, {"name", "stiffness", "damping", "friction", "rest_length"});
    return tendon;
}

}  // namespace grbda::urdf
