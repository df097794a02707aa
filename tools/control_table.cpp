#include "control_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "arguments.hpp"
#include "describe/describe.hpp"
#include "describe/json_text.hpp"
#include "rows.hpp"

namespace grbda::tool {

using describe::InputError;
namespace {

/// False if the robot's servo is left out, or replaced by another one.
bool has_servo(const SimulatorOptions& options, const ServoDescription& servo, std::size_t v) {
    return !options.servo_stiffness.empty() && options.servo_stiffness[v] == servo.stiffness &&
           options.servo_damping[v] == servo.damping;
}

}  // namespace

ControlTable::ControlTable(const Model& model) : position_(static_cast<std::size_t>(model.nv_tree), -1) {
    for (std::vector<double>* x : {&tau_s_, &target_, &rate_}) x->assign(position_.size(), 0);
    for (const Body& body : model.bodies)
        for (int k = 0; k < velocity_size(body.joint) && !has_quaternion(body.joint); ++k)
            position_[static_cast<std::size_t>(body.v + k)] = body.q + k;
}

ControlTable::ControlTable(const Model& model, const std::string& text, const std::string& file)
    : ControlTable(model) {
    int line_number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin),
                          where = file + ":" + std::to_string(++line_number);
        begin = end + 1;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const std::vector<std::string> found = csv_cells(line);
        if (columns_.empty()) {
            if (found.size() < 2 || found.front() != "time")
                throw InputError(where + ": expected a header that begins with 'time' and names joints");
            for (std::size_t k = 1; k < found.size(); ++k) {
                const Column next = column(model, found[k], where);
                for (const Column& before : columns_)
                    if (before.kind == next.kind && before.v == next.v)
                        throw InputError(where + ": '" + found[k] + "' has two columns");
                columns_.push_back(next);
            }
            continue;
        }
        if (found.size() != columns_.size() + 1)
            throw InputError(where + ": expected " + std::to_string(columns_.size() + 1) + " values, found " +
                             std::to_string(found.size()));
        std::vector<double> row;
        for (const std::string& cell : found) row.push_back(finite_number(cell, where));
        if (!times_.empty() && !(row.front() > times_.back()))
            throw InputError(where + ": expected a time after " + describe::number(times_.back()));
        times_.push_back(row.front());
        rows_.emplace_back(row.begin() + 1, row.end());
    }
    if (times_.empty()) throw InputError(file + ": expected a header and at least one row");
}

ControlTable::Column ControlTable::column(const Model& model, const std::string& name,
                                          const std::string& where) const {
    Column result;
    std::string joint = name;
    for (const auto& [prefix, kind] : {std::pair{"target:", Kind::target}, std::pair{"rate:", Kind::rate}})
        if (joint.rfind(prefix, 0) == 0) {
            result.kind = kind;
            joint.erase(0, std::string(prefix).size());
        }
    int component = 0;
    std::string whole = joint;
    if (joint.size() > 3 && joint.back() == ']') {
        whole = joint.substr(0, joint.rfind('['));
        char* end = nullptr;
        component = static_cast<int>(std::strtol(joint.c_str() + whole.size() + 1, &end, 10));
        if (*end != ']') component = -1;
    }
    for (const Body& body : model.bodies) {
        const std::string& found = model.names.joints[static_cast<int>(&body - model.bodies.data())];
        const int size = velocity_size(body.joint);
        if (found == joint && size == 1) component = 0;
        if ((found != joint || size != 1) &&
            (found != whole || component < 0 || component >= size || whole == joint))
            continue;
        result.v = body.v + component;
        if (result.kind == Kind::target && position_[static_cast<std::size_t>(result.v)] < 0)
            throw InputError(where + ": '" + name + "' turns with a quaternion: no servo holds it");
        return result;
    }
    if (describe::is_joint_of_rod(model, joint))
        throw InputError(where + ": '" + joint +
                         "' is a rod's end, which takes no force: give --no-rod-reduction");
    throw InputError(
        where + ": " +
        describe::with_hint("no joint velocity is called '" + joint + "'", joint, model.names.joints));
}

std::vector<double>& ControlTable::of(Kind kind) {
    switch (kind) {
        case Kind::force: return tau_s_;
        case Kind::target: return target_;
        case Kind::rate: break;
    }
    return rate_;
}

void ControlTable::require_servos(const Model& model, const SimulatorOptions& options) const {
    const auto at = [](const Table<double>& x, int v) { return x.empty() ? 0 : x[v]; };
    for (const Column& c : columns_) {
        const bool held =
            c.kind == Kind::force ||
            at(c.kind == Kind::target ? options.servo_stiffness : options.servo_damping, c.v) > 0;
        if (held) continue;
        for (int i = 0; i < model.body_count(); ++i)
            if (const Body& body = model.bodies[i]; body.v <= c.v && c.v < body.v + velocity_size(body.joint))
                throw CallError(
                    "--controls: no servo of the robot and no --servo holds joint '" + model.names.joints[i] +
                    "'" + (c.kind == Kind::rate ? " with a damping, for its rate" : ", for its target"));
    }
}

void ControlTable::hold(const Model& model, const SimulatorOptions& options, const VectorX<double>& q,
                        const std::map<std::string, double>& targets) {
    for (std::size_t v = 0; v < position_.size(); ++v) target_[v] = position_[v] < 0 ? 0 : q[position_[v]];
    for (int i = 0; i < model.body_count(); ++i) {
        if (!model.servos[i]) continue;
        const ServoDescription& servo = *model.servos[i];
        const auto v = static_cast<std::size_t>(model.bodies[i].v);
        if (!has_servo(options, servo, v)) continue;
        double& target = servo.stiffness > 0 ? target_[v] : rate_[v];
        if (servo.stiffness == 0) target = servo.target;
        if (const auto given = targets.find(model.names.joints[i]); given != targets.end())
            target = given->second;
        target = std::clamp(target, servo.lower, servo.upper);
    }
}

Controls ControlTable::at(double time) {
    if (!times_.empty()) {
        const auto after = std::upper_bound(times_.begin(), times_.end(), time);
        const auto next = static_cast<std::size_t>(after - times_.begin());
        const std::size_t last = times_.size() - 1, from = next == 0 ? 0 : next - 1,
                          to = std::min(next, last);
        const double span = times_[to] - times_[from];
        const double part = span > 0 ? (time - times_[from]) / span : 0;
        for (std::size_t k = 0; k < columns_.size(); ++k)
            of(columns_[k].kind)[static_cast<std::size_t>(columns_[k].v)] =
                rows_[from][k] + part * (rows_[to][k] - rows_[from][k]);
    }
    return {tau_s_, target_, rate_};
}

}  // namespace grbda::tool
