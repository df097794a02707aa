#include "grbda/io/sdf.hpp"

#include <algorithm>

#include "number.hpp"
#include "sdf_elements.hpp"

namespace grbda {

namespace {

using sdf::Context;
using sdf::Frame;
using sdf::Graph;
using sdf::Kind;

constexpr int oldest_version = 2;   // of 1.x
constexpr int newest_version = 12;  // of 1.x

/// 6 of "1.6"; −1 of what is none.
int minor_version(const std::string& text) {
    if (text.size() < 3 || text.size() > 4 || text.compare(0, 2, "1.") != 0) return -1;
    int minor = 0;
    for (const char digit : text.substr(2)) {
        if (digit < '0' || digit > '9') return -1;
        minor = 10 * minor + (digit - '0');
    }
    return minor;
}

bool check_root(xml::Document& document) {
    const pugi::xml_node root = document.root();
    const std::string name = root.name();
    if (name == "sdf") return true;
    document.error(root, "the outermost element <sdf>", "<" + name + ">", nearest_name_hint(name, {"sdf"}));
    return false;
}

bool read_version(Context& context) {
    const pugi::xml_node root = context.document.root();
    const auto text = context.document.required_text(root, "version");
    if (!text) return false;
    context.version = minor_version(std::string(trim(*text)));
    const std::string known =
        "a version from 1." + std::to_string(oldest_version) + " to 1." + std::to_string(newest_version);
    if (context.version < oldest_version) {
        context.error(root, known, sdf::quoted(*text), "gz sdf -p FILE writes the file in its own version");
        return false;
    }
    if (context.version > newest_version) {
        context.report(Severity::warning, root, known, sdf::quoted(*text),
                       "it is read as 1." + std::to_string(newest_version));
    }
    return true;
}

/// Since 1.6 it stands in the world, before in its <physics>.
void read_gravity(Context& context, RobotDescription& robot) {
    const pugi::xml_node world = sdf::world_of(context, context.document.root());
    const pugi::xml_node owner = world.child("gravity") ? world : world.child("physics");
    if (!owner.child("gravity")) return;
    robot.gravity = sdf::read_vector(context, owner, "gravity");
}

void read_name(Context& context, RobotDescription& robot) {
    const pugi::xml_node root = context.document.root();
    const std::vector<pugi::xml_node> models = sdf::models_of(root);
    const pugi::xml_node named = models.size() == 1 ? models.front() : root.child("world");
    robot.name = named.attribute("name").value();
    robot.where = context.document.where(named ? named : root);
    if (models.empty()) {
        context.error(root, "a <model>", "none", "");
    }
}

void read_links(Context& context, const Graph& graph, RobotDescription& robot) {
    LinkDescription world;
    world.name = sdf::world_name;
    world.where = robot.where;
    robot.links.push_back(world);
    for (const Frame& frame : graph.frames) {
        if (frame.kind == Kind::link) robot.links.push_back(sdf::read_link(context, graph, frame));
    }
}

void read_frames(Context& context, const Graph& graph, RobotDescription& robot) {
    for (const Frame& frame : graph.frames) {
        if (frame.kind != Kind::frame) continue;
        context.document.ignore_children_except(frame.element, {"pose"});
        if (frame.body < 0) {
            context.error(frame.element, "a frame that a link carries", "a model without links");
            continue;
        }
        FrameDescription result;
        result.name = frame.name;
        result.link = graph.at(frame.body).name;
        result.origin = inverse(graph.at(frame.body).in_world) * frame.in_world;
        result.where = context.document.where(frame.element);
        robot.frames.push_back(result);
    }
}

}  // namespace

RobotDescription read_sdf(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
    RobotDescription robot;
    xml::Document document(text, file, diagnostics);
    if (!document.root() || !check_root(document)) return robot;
    Context context{document, diagnostics};
    if (!read_version(context)) return robot;
    read_name(context, robot);
    read_gravity(context, robot);
    Graph graph = sdf::read_graph(context, document.root());
    sdf::resolve_frames(context, graph);
    read_links(context, graph, robot);
    read_frames(context, graph, robot);
    sdf::Joints joints;
    sdf::read_joints(context, graph, joints, robot);
    sdf::span_world(context, graph, joints, robot);
    document.ignore_children_except(document.root(), {"model", "world"});
    context.report_findings();
    document.report_ignored();
    return robot;
}

}  // namespace grbda
