#include <cmath>

#include "describe/describe.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "describe/info_json.hpp"
#include "describe/json_text.hpp"
#include "robot.hpp"

namespace grbda::view {
namespace {

using describe::OrderedJson;

OrderedJson list(const Eigen::Vector3d& x) { return {x.x(), x.y(), x.z()}; }
/// xx, yy, zz, xy, xz, yz.
OrderedJson symmetric(const Eigen::Matrix3d& x) {
    return {x(0, 0), x(1, 1), x(2, 2), x(0, 1), x(0, 2), x(1, 2)};
}
OrderedJson finite(double x) { return std::isfinite(x) ? OrderedJson(x) : OrderedJson(nullptr); }

OrderedJson body_json(const Robot& robot, int i) {
    const Model& model = robot.model;
    const Body& body = model.bodies[i];
    const JointLimits& limits = model.limits[static_cast<std::size_t>(i)];
    const bool bounded = model.bounded[static_cast<std::size_t>(i)] != 0 && facts(body.joint).has_range;
    OrderedJson freedoms = OrderedJson::array();
    for (const Freedom freedom : facts(body.joint).freedoms)
        freedoms.push_back(freedom == Freedom::slide      ? "slide"
                           : freedom == Freedom::rotation ? "rotation"
                                                          : "turn");
    const int parent = body.parent == world ? world : robot.place[static_cast<std::size_t>(body.parent)];
    return {{"parent", parent},
            {"origin", list(vector(body.position))},  // of the joint, in the parent
            {"axis", list(Eigen::Vector3d(pose_of(robot, i).rotation.transpose() *
                                          pose_of(robot, body.parent).rotation * vector(body.axis)))},
            {"freedoms", std::move(freedoms)},
            {"lower", bounded ? finite(limits.lower) : OrderedJson(nullptr)},
            {"upper", bounded ? finite(limits.upper) : OrderedJson(nullptr)},
            {"com", list(model.inertials[i].com)},
            {"inertia", symmetric(model.inertials[i].inertia)},  // about the centre of mass
            {"floating_base", model.clusters[body.cluster].kind == ClusterKind::floating_base}};
}

OrderedJson loop_json(const Robot& robot, const Loop& loop) {
    const auto end = [&](const LoopEnd& at) {
        return OrderedJson{
            {"body", at.body == world ? world : robot.place[static_cast<std::size_t>(at.body)]},
            {"position", list(vector(at.position))}};
    };
    return {{"name", robot.model.names.loops[loop.source]},
            {"type", to_string(loop.type)},
            {"predecessor", end(loop.predecessor)},
            {"successor", end(loop.successor)}};
}

}  // namespace

std::string description_of(const Robot& robot, const Sizes& sizes) {
    const Model& model = robot.model;
    OrderedJson out = describe::info_json(model);
    OrderedJson view;
    view["sizes"] = {
        {"bodies", sizes.bodies}, {"rods", sizes.rods}, {"dof", sizes.dof}, {"clusters", sizes.clusters}};
    view["bodies"] = OrderedJson::array();
    for (const int i : robot.order) view["bodies"].push_back(body_json(robot, i));
    view["loops"] = OrderedJson::array();
    for (const Loop& loop : model.loops) view["loops"].push_back(loop_json(robot, loop));
    view["motors"] = OrderedJson::array();
    for (const Coordinate& motor : motor_coordinates(model))
        view["motors"].push_back({{"body", robot.place[static_cast<std::size_t>(motor.body)]},
                                  {"component", motor.component},
                                  {"reduction", model.reduction[static_cast<std::size_t>(motor.body)]}});
    out["view"] = std::move(view);
    return describe::write_json(out);
}

std::string findings_of(const Diagnostics& diagnostics) {
    OrderedJson out;
    out["diagnostics"] = describe::to_json(diagnostics);
    return describe::write_json(out);
}

}  // namespace grbda::view
