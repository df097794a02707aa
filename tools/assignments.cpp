#include "assignments.hpp"

#include <charconv>
#include <cmath>

#include "describe.hpp"

namespace grbda::tool {
namespace {

double number_in(const std::string& option, const std::string& text, const std::string& word) {
    double x = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(x))
        throw CallError(option + " " + text + ": expected finite numbers with commas between, found '" +
                        word + "'");
    return x;
}

void require_count(const std::string& option, const Assignment& given, std::size_t expected) {
    if (given.values.size() == expected) return;
    throw CallError(option + " " + given.name + ": expected " + std::to_string(expected) +
                    (expected == 1 ? " number" : " numbers") + " after '=', found " +
                    std::to_string(given.values.size()));
}

}  // namespace

Assignment read_assignment(const std::string& option, const std::string& text) {
    const std::size_t sign = text.rfind('=');
    Assignment result{text.substr(0, sign), {}};
    if (sign == std::string::npos) return result;
    for (std::size_t begin = sign + 1;;) {
        const std::size_t comma = text.find(',', begin);
        result.values.push_back(number_in(option, text, text.substr(begin, comma - begin)));
        if (comma == std::string::npos) return result;
        begin = comma + 1;
    }
}

int joint_of_assignment(const Model& model, const std::string& option, const std::string& name) {
    for (int i = 0; i < model.body_count(); ++i)
        if (model.names.joints[i] == name) return i;
    const std::string hint = nearest_name_hint(name, model.names.joints);
    throw CallError(option + " " + name + ": no joint of this name can move" +
                    (hint.empty() ? "" : " (" + hint + ")"));
}

std::vector<int> put_positions(const Model& model, const std::string& option,
                               const std::vector<std::string>& texts, VectorX<double>& q) {
    constexpr double smallest_quaternion = 1e-6;
    std::vector<int> bodies;
    for (const std::string& text : texts) {
        const Assignment given = read_assignment(option, text);
        const int i = joint_of_assignment(model, option, given.name);
        const Body& body = model.bodies[i];
        const int size = position_size(body.joint);
        require_count(option, given, at(size));
        bodies.push_back(i);
        auto own = q.segment(body.q, size);
        own = Eigen::Map<const VectorX<double>>(given.values.data(), size);
        if (!has_quaternion(body.joint)) continue;
        const double length = own.tail<4>().stableNorm();
        if (length < smallest_quaternion)
            throw CallError(option + " " + text +
                            ": expected a quaternion x,y,z,w, found one of length zero");
        own.tail<4>() /= length;
    }
    return bodies;
}

void put_velocities(const Model& model, const std::string& option, const std::vector<std::string>& texts,
                    bool each, VectorX<double>& x) {
    for (const std::string& text : texts) {
        const Assignment given = read_assignment(option, text);
        const Body& body = model.bodies[joint_of_assignment(model, option, given.name)];
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
