#include "describe/json_text.hpp"
#include "serial.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

OrderedJson number_list(const VectorX<double>& values) {
    return std::vector<double>(values.data(), values.data() + values.size());
}
/// Rows of a matrix.
OrderedJson row_lists(const MatrixX<double>& matrix) {
    OrderedJson list = OrderedJson::array();
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) list.push_back(number_list(matrix.row(i).transpose()));
    return list;
}
/// One value for each point of a table.
template <class Value>
OrderedJson by_point(const SerialTable& table, Value&& value) {
    OrderedJson list = OrderedJson::array();
    for (const SerialPoint& point : table.points) list.push_back(value(point));
    return list;
}

OrderedJson to_json(const SerialError& error) {
    return {{"ratios", {error.least_ratio, error.largest_ratio}},
            {"at_rest", error.at_rest},
            {"rms", error.rms},
            {"largest", error.largest}};
}
OrderedJson to_json(const SerialErrors& errors) {
    return {{"none", to_json(errors.none)},
            {"constant_diagonal", to_json(errors.constant_diagonal)},
            {"diagonal", to_json(errors.diagonal)},
            {"table", to_json(errors.full)}};
}

/// Boxes and volumes of a set at each point; null if a motor has no limit.
template <class SetAt>
OrderedJson sets(const SerialTable& table, const VectorX<double>& limits, SetAt&& set_at) {
    if (!set_at(table.points.front())) return nullptr;
    OrderedJson inside = OrderedJson::array(), around = inside, volume = inside;
    for (const SerialPoint& point : table.points) {
        const std::optional<MotorSet> set = set_at(point);
        inside.push_back(number_list(set->inside));
        around.push_back(number_list(set->around));
        volume.push_back(set->volume);
    }
    return {{"limits", number_list(limits)}, {"inside", inside}, {"around", around}, {"volume", volume}};
}

OrderedJson gains_json(const SerialTable& table, const SerialRequest& request) {
    const ConvertedGains found = convert_gains(table, request);
    OrderedJson json;
    if (request.motor_gains)
        json["of_joints"] = {{"stiffness", row_lists(found.stiffness)},
                             {"damping", row_lists(found.damping)}};
    if (request.joint_gains)
        json["of_motors"] = {{"stiffness", number_list(found.motor_stiffness.gains)},
                             {"stiffness_residual", found.motor_stiffness.residual},
                             {"damping", number_list(found.motor_damping.gains)},
                             {"damping_residual", found.motor_damping.residual}};
    return json;
}

OrderedJson table_json(const SerialTable& table, const SerialRequest& request) {
    OrderedJson nodes = OrderedJson::array();
    for (const VectorX<double>& each : table.nodes) nodes.push_back(number_list(each));
    OrderedJson json{
        {"joints", table.joints},
        {"motors", table.motors},
        {"driven", table.driven},
        {"dropped", table.dropped},
        {"carrier", table.carrier},
        {"nominal", number_list(table.nominal)},
        {"nodes", nodes},
        {"motor_positions", by_point(table, [](const SerialPoint& p) { return number_list(p.motors); })},
        {"J_m", by_point(table, [](const SerialPoint& p) { return row_lists(p.J_m); })},
        {"delta_M", by_point(table, [](const SerialPoint& p) { return row_lists(p.delta_M); })},
        {"gravity", by_point(table, [](const SerialPoint& p) { return row_lists(p.gravity); })},
        {"driven_positions", by_point(table, [](const SerialPoint& p) { return number_list(p.driven); })},
        {"driven_jacobian",
         by_point(table, [](const SerialPoint& p) { return row_lists(p.driven_jacobian); })},
        {"armature", number_list(table.armature)},
        {"errors", to_json(table.errors)},
        {"torques", sets(table, table.effort, [&](const SerialPoint& p) { return torques_at(table, p); })},
        {"speeds", sets(table, table.velocity, [&](const SerialPoint& p) { return speeds_at(table, p); })}};
    if (request.motor_gains || request.joint_gains) json["gains"] = gains_json(table, request);
    return json;
}

}  // namespace

std::string serial_json(const Model& model, const SerialRobot& robot, const SerialRequest& request) {
    OrderedJson clusters = OrderedJson::array();
    for (const SerialTable& table : robot.tables) clusters.push_back(table_json(table, request));
    return describe::write_json({{"format", "grbda serial 1"},
                                 {"robot", model.names.robot},
                                 {"urdf", request.name + ".urdf"},
                                 {"coordinates", robot.coordinates},
                                 {"clusters", clusters},
                                 {"driven_misfit", robot.driven_misfit},
                                 {"errors", to_json(robot.errors)}});
}

}  // namespace grbda::tool
