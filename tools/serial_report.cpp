#include <algorithm>
#include <cmath>
#include <cstdio>

#include "describe/describe.hpp"
#include "serial.hpp"
#include "words.hpp"

namespace grbda::tool {
namespace {

std::string percent(double share) {
    constexpr double rounding = 1e-9;
    return share < rounding ? "0 %" : describe::number(100 * share, 3) + " %";
}

std::string numbers_text(const VectorX<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ", ") + describe::number(value, 3);
    return text;
}
std::string matrix_text(const MatrixX<double>& values) {
    std::string text;
    for (Eigen::Index i = 0; i < values.rows(); ++i)
        text += (text.empty() ? "" : "; ") + numbers_text(values.row(i).transpose());
    return "[" + text + "]";
}

/// Text, padded to a width in characters.
std::string in_column(const std::string& text, std::size_t width) {
    return text.size() < width ? text + std::string(width - text.size(), ' ') : text + " ";
}
std::string labelled(const char* label, const std::string& text) {
    return "  " + in_column(label, 12) + text + "\n";
}

std::string error_line(const char* label, const SerialError& error) {
    return "  " + in_column(label, 20) +
           in_column(
               describe::number(error.least_ratio, 3) + " to " + describe::number(error.largest_ratio, 3),
               18) +
           in_column(percent(error.at_rest), 12) + in_column(percent(error.rms), 12) +
           percent(error.largest) + "\n";
}
std::string error_lines(const SerialErrors& errors) {
    return "  " + in_column("in place of M", 20) + in_column("eigenvalues to M", 18) +
           in_column("at rest", 12) + in_column("rms", 12) + "largest\n" +
           error_line("nothing", errors.none) + error_line("constant diagonal", errors.constant_diagonal) +
           error_line("diagonal", errors.diagonal) + error_line("table", errors.full);
}

std::string verdict(const SerialErrors& errors, double tolerance) {
    const auto is_good = [&](const SerialError& error) { return error.rms <= tolerance; };
    const std::string within = " (rms of at most " + percent(tolerance) + ")";
    if (is_good(errors.none)) return "the tree alone" + within;
    if (is_good(errors.constant_diagonal)) return "the tree with constant armature" + within;
    if (is_good(errors.diagonal)) return "a diagonal by configuration" + within;
    if (is_good(errors.full)) return "only the table" + within;
    return "none" + within;
}

/// Boxes at the nominal configuration, and the range of their volumes over the table.
template <class SetAt>
std::string set_lines(const char* label, const SerialTable& table, SetAt&& set_at) {
    const std::optional<MotorSet> nominal = set_at(interpolate(table, table.nominal));
    if (!nominal) return labelled(label, table.motors.empty() ? "no motors" : "a motor has no limit");
    double least = 1, most = 1;
    for (const SerialPoint& point : table.points) {
        const std::optional<MotorSet> set = set_at(point);
        least = std::min(least, set->inside_volume / set->volume);
        most = std::max(most, set->around_volume / set->volume);
    }
    return labelled(label, "box inside " + numbers_text(nominal->inside) + ", around " +
                               numbers_text(nominal->around) + " at the nominal configuration") +
           labelled("", "volumes: inside at least " + percent(least) + " of the set, around at most " +
                            percent(most));
}

std::string gain_lines(const SerialTable& table, const SerialRequest& request) {
    const ConvertedGains found = convert_gains(table, request);
    std::string text;
    if (request.motor_gains)
        text += labelled("gains", "of motors give the joints K " + matrix_text(found.stiffness) + ", D " +
                                      matrix_text(found.damping));
    if (request.joint_gains)
        text +=
            labelled("gains", "of joints need the motors' K " + numbers_text(found.motor_stiffness.gains) +
                                  " with residual " + percent(found.motor_stiffness.residual) + ", D " +
                                  numbers_text(found.motor_damping.gains) + " with residual " +
                                  percent(found.motor_damping.residual));
    return text;
}

std::string table_report(const SerialTable& table, const SerialRequest& request) {
    std::string ranges;
    for (int i = 0; i < table.size(); ++i)
        ranges += (i == 0 ? "" : ", ") + table.joints[at(i)] + " " +
                  describe::number(table.nodes[at(i)].minCoeff(), 4) + " to " +
                  describe::number(table.nodes[at(i)].maxCoeff(), 4);
    std::string text = "\nCluster " + join_words(table.joints, ", ") + " on " + table.carrier + "\n";
    text += labelled("motors", table.motors.empty() ? "none" : join_words(table.motors, ", "));
    text += labelled("dropped", join_words(table.dropped, ", "));
    if (!table.driven.empty()) text += labelled("driven", join_words(table.driven, ", "));
    text += labelled("range", ranges);
    text += error_lines(table.errors);
    text += labelled("armature", numbers_text(table.armature) + " as the constant diagonal");
    text += labelled("tolerable", verdict(table.errors, request.tolerance));
    text += set_lines("torques", table, [&](const SerialPoint& p) { return torques_at(table, p); });
    text += set_lines("speeds", table, [&](const SerialPoint& p) { return speeds_at(table, p); });
    return text + gain_lines(table, request);
}

}  // namespace

std::optional<MotorSet> torques_at(const SerialTable& table, const SerialPoint& point) {
    if (table.motors.empty() || !table.effort.allFinite()) return {};
    return torque_set(point.J_m, table.effort);
}

std::optional<MotorSet> speeds_at(const SerialTable& table, const SerialPoint& point) {
    if (table.motors.empty() || !table.velocity.allFinite()) return {};
    return speed_set(point.J_m, table.velocity);
}

ConvertedGains convert_gains(const SerialTable& table, const SerialRequest& request) {
    const SerialValue value = interpolate(table, table.nominal);
    const auto k = value.J_m.rows(), m = value.J_m.cols();
    const auto all = [](Eigen::Index size, double gain) {
        return VectorX<double>::Constant(size, gain).eval();
    };
    const Gains motors = request.motor_gains.value_or(Gains{}),
                joints = request.joint_gains.value_or(Gains{});
    const MatrixX<double> eye = MatrixX<double>::Identity(m, m);
    return {joint_stiffness(value.J_m, value.J_m_rates, all(k, motors.stiffness), all(k, 0)),
            joint_damping(value.J_m, all(k, motors.damping)), motor_gains(value.J_m, joints.stiffness * eye),
            motor_gains(value.J_m, joints.damping * eye)};
}

std::string serial_report(const Model& model, const SerialRobot& robot, const SerialRequest& request) {
    std::string text = model.names.robot + ": a tree of " + std::to_string(robot.tree.body_count()) +
                       " moving bodies, " + describe::number(describe::moving_mass(robot.tree)) +
                       " kg, in place of " + std::to_string(model.body_count()) + ", " +
                       describe::number(describe::moving_mass(model)) + " kg\n";
    std::size_t driven = 0;
    for (const SerialTable& table : robot.tables) {
        text += table_report(table, request);
        for (const std::string& joint : table.driven) {
            const double misfit = robot.driven_misfit[driven++];
            text += labelled("coupling", std::isnan(misfit)
                                             ? joint + " has none in the file: joints of several coordinates"
                                             : joint + " follows in " + request.name +
                                                   ".urdf, with an error of up to " +
                                                   describe::number(misfit, 3));
        }
    }
    if (robot.tables.empty()) return text + "\nThe robot has no loops or couplings: the tree is exact.\n";
    return text + "\nWhole robot, all joints moving\n" + error_lines(robot.errors) +
           labelled("tolerable", verdict(robot.errors, request.tolerance));
}

}  // namespace grbda::tool
