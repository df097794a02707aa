#include "assignments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "describe/describe.hpp"
#include "grbda/kinematics/configuration.hpp"

namespace grbda::tool {
namespace {

constexpr double largest_angle = 4e5;   // its rounding is just below the closing tolerance of 1e-10
constexpr double largest_length = 1e9;  // with a longer one, the robot's own lengths are lost in squares

double number_in(const std::string& where, const std::string& word) {
    double x = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(x))
        throw CallError(where + ": expected finite numbers with commas between, found '" + word + "'");
    return x;
}

std::vector<double> split(const std::string& where, const std::string& list) {
    std::vector<double> values;
    for (std::size_t begin = 0;;) {
        const std::size_t comma = list.find(',', begin);
        values.push_back(number_in(where, list.substr(begin, comma - begin)));
        if (comma == std::string::npos) return values;
        begin = comma + 1;
    }
}

void require_count(const std::string& option, const Assignment& given, std::size_t expected) {
    if (given.values.size() == expected) return;
    throw CallError(option + " " + given.name + ": expected " + std::to_string(expected) +
                    (expected == 1 ? " number" : " numbers") + " after '=', found " +
                    std::to_string(given.values.size()));
}

void require_at_most(const std::string& where, double x, double most, const char* unit) {
    if (std::abs(x) <= most) return;
    throw CallError(where + ": expected at most " + describe::number(most) + unit + ", found " +
                    describe::number(x) + ": too few of its digits are left to compute with");
}

/// The body whose joint an assignment names; an error if an earlier one named it.
int next_joint(const Model& model, const std::string& option, const Assignment& given,
               std::vector<int>& bodies) {
    const int i = joint_of_assignment(model, option, given.name);
    if (std::find(bodies.begin(), bodies.end(), i) != bodies.end())
        throw CallError(option + " " + given.name + ": this joint is given twice");
    bodies.push_back(i);
    return i;
}

}  // namespace

std::vector<double> read_numbers(const std::string& option, const std::string& text) {
    return split(option + " " + text, text);
}

Assignment read_assignment(const std::string& option, const std::string& text) {
    const std::size_t sign = text.rfind('=');
    if (sign == std::string::npos) return {text, {}};
    return {text.substr(0, sign), split(option + " " + text, text.substr(sign + 1))};
}

void require_angle(const std::string& where, double angle) {
    require_at_most(where, angle, largest_angle, " rad");
}

void require_length(const std::string& where, double length) {
    require_at_most(where, length, largest_length, " m");
}

void require_position(const std::string& where, const Body& body, int component, double value) {
    const int lengths = has_quaternion(body.joint) ? position_size(body.joint) - 4 : 0;
    if (component < lengths || is_freedom(body.joint, component, Freedom::slide))
        require_length(where, value);
    else if (!has_quaternion(body.joint))
        require_angle(where, value);
}

int joint_of_assignment(const Model& model, const std::string& option, const std::string& name) {
    for (int i = 0; i < model.body_count(); ++i)
        if (model.names.joints[i] == name) return i;
    if (describe::is_joint_of_rod(model, name))
        throw CallError(option + " " + name +
                        ": this joint is a rod's end, which has no coordinates: give --no-rod-reduction");
    throw CallError(describe::with_hint(option + " " + name + ": no joint of this name can move", name,
                                        model.names.joints));
}

int frame_called(const Model& model, const std::string& option, const std::string& name) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model.frames.size(); ++i) {
        if (model.frames[i].name == name) return static_cast<int>(i);
        names.push_back(model.frames[i].name);
    }
    throw CallError(
        describe::with_hint(option + " " + name + ": no link or frame of this name", name, names) +
        ", there are " + describe::some_of(names));
}

VectorX<double> state_called(const Model& model, const std::string& option, const std::string& name) {
    std::vector<std::string> names;
    for (const SavedState& state : model.states) {
        if (state.name == name) return Eigen::Map<const VectorX<double>>(state.q.data(), model.nq);
        names.push_back(state.name);
    }
    if (name == "default") return neutral_configuration(model);
    names.emplace_back("default");
    throw CallError(describe::with_hint(option + " " + name + ": no saved state of this name", name, names) +
                    ", there are " + describe::some_of(names));
}

std::vector<int> put_positions(const Model& model, const std::string& option,
                               const std::vector<std::string>& texts, VectorX<double>& q) {
    constexpr double smallest_quaternion = 1e-6;
    std::vector<int> bodies;
    for (const std::string& text : texts) {
        const std::string where = option + " " + text;
        const Assignment given = read_assignment(option, text);
        const Body& body = model.bodies[next_joint(model, option, given, bodies)];
        const int size = position_size(body.joint);
        require_count(option, given, at(size));
        for (int j = 0; j < size; ++j) require_position(where, body, j, given.values[at(j)]);
        auto own = q.segment(body.q, size);
        own = Eigen::Map<const VectorX<double>>(given.values.data(), size);
        if (!has_quaternion(body.joint)) continue;
        const double length = own.tail<4>().stableNorm();
        if (length < smallest_quaternion)
            throw CallError(where + ": expected a quaternion x,y,z,w, found one of length zero");
        own.tail<4>() /= length;
    }
    return bodies;
}

void put_velocities(const Model& model, const std::string& option, const std::vector<std::string>& texts,
                    bool each, VectorX<double>& x) {
    std::vector<int> bodies;
    for (const std::string& text : texts) {
        const Assignment given = read_assignment(option, text);
        const Body& body = model.bodies[next_joint(model, option, given, bodies)];
        const int size = velocity_size(body.joint);
        if (each && given.values.size() == 1) {
            x.segment(body.v, size).setConstant(given.values[0]);
            continue;
        }
        require_count(option, given, at(size));
        x.segment(body.v, size) = Eigen::Map<const VectorX<double>>(given.values.data(), size);
    }
}

}  // namespace grbda::tool
