#include "grbda/io/sdf.hpp"

#include <algorithm>

#include "io/text/number.hpp"
#include "io/readers.hpp"
#include "elements.hpp"
#include "io/text/xacro.hpp"

namespace grbda {

namespace {

using sdf::Context;
using sdf::Frame;
using sdf::Graph;
using sdf::Kind;

constexpr int oldest_version = 2;   // of 1.x
constexpr int newest_version = 12;  // of 1.x

bool check_root(xml::Document& document) {
    const pugi::xml_node root = document.root();
    const std::string name = root.name();
    if (sdf::is_sdf(root)) return true;
    document.error(Code::unknown_format, root, "the outermost element <sdf>", "<" + name + ">",
                   nearest_name_hint(name, {"sdf"}));
    return false;
}

/// Since 1.6 gravity is in the world, before in its <physics>.
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
    if (robot.name.empty()) robot.name = xml::unnamed_robot;
    robot.where = context.document.where(named ? named : root);
    if (models.empty() && !root.child("world")) context.error(Code::missing, root, "a <model>", "none", "");
}

void warn_if_empty(Context& context, const Graph& graph, const RobotDescription& robot) {
    const auto is_link = [](const Frame& frame) { return frame.kind == Kind::link; };
    if (std::any_of(graph.frames.begin(), graph.frames.end(), is_link)) return;
    const pugi::xml_node root = context.document.root();
    if (!root.child("world") && !root.child("model")) return;  // already an error
    context.diagnostics.push_back({Severity::warning, Code::missing, robot.where,
                                   Subject::of("robot", robot.name), "at least one <link>",
                                   "none: nothing of it can move", ""});
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
            context.error(Code::wrong_kind, frame.element, "a frame that a link carries",
                          "a model without links");
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

namespace sdf {

bool is_sdf(pugi::xml_node root) {
    if (std::string_view(root.name()) == "gazebo") root.set_name("sdf");
    return std::string_view(root.name()) == "sdf";
}

int minor_version(const std::string& text) {
    if (text.size() < 3 || text.size() > 4 || text.compare(0, 2, "1.") != 0) return -1;
    int minor = 0;
    for (const char digit : text.substr(2)) {
        if (digit < '0' || digit > '9') return -1;
        minor = 10 * minor + (digit - '0');
    }
    return minor;
}

std::optional<int> read_version(Context& context, pugi::xml_node root) {
    const auto text = context.document.required_text(root, "version");
    if (!text) return std::nullopt;
    const int version = minor_version(std::string(trim(*text)));
    const std::string known =
        "a version from 1." + std::to_string(oldest_version) + " to 1." + std::to_string(newest_version);
    if (version < oldest_version) {
        context.error(Code::unknown_format, root, known, quoted(*text),
                      "gz sdf -p FILE writes the file in its own version");
        return std::nullopt;
    }
    if (version > newest_version) {
        context.report(Severity::warning, Code::unknown_format, root, known, quoted(*text),
                       "it is read as 1." + std::to_string(newest_version));
    }
    return version;
}

}  // namespace sdf

RobotDescription read_sdf(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
    xml::Document document(text, file, diagnostics);
    Includes none;
    return read_sdf(document, none, diagnostics);
}

RobotDescription read_sdf(xml::Document& document, Includes& includes, Diagnostics& diagnostics) {
    RobotDescription robot;
    if (!document.root() || !check_root(document)) return robot;
    Context context{document, diagnostics};
    const std::optional<int> version = sdf::read_version(context, document.root());
    if (!version) return robot;
    context.version = *version;
    context.includes = &includes;
    if (!sdf::write_out_includes(context, includes) || !xml::is_expanded(document)) return robot;
    read_name(context, robot);
    read_gravity(context, robot);
    sdf::check_places(context, document.root());
    Graph graph = sdf::read_graph(context, document.root());
    warn_if_empty(context, graph, robot);
    sdf::resolve_frames(context, graph);
    read_links(context, graph, robot);
    read_frames(context, graph, robot);
    sdf::Joints joints;
    sdf::read_joints(context, graph, joints, robot);
    sdf::read_plugins(context, graph, joints, robot);
    sdf::span_world(context, graph, joints, robot);
    document.ignore_children_except(document.root(), {"model", "world"});
    context.report_findings();
    document.report_ignored();
    return robot;
}

}  // namespace grbda
