#include "push.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arguments.hpp"
#include "assignments.hpp"

namespace grbda::tool {
namespace {

constexpr double rounding_of_time = 1e-9;  // s: step times carry rounding

int link_frame(const Model& model, const std::string& name) {
    const auto found = std::find_if(model.frames.begin(), model.frames.end(),
                                    [&](const Frame& x) { return x.is_link && x.name == name; });
    if (found == model.frames.end()) throw CallError("--push " + name + ": the robot has no such link");
    const int body = found->body;
    if (body == world) throw CallError("--push " + name + ": the link is fixed in the world");
    if (model.is_rod(body))
        throw CallError("--push " + name + ": the link is a rod; push a link at one of its ends, or give " +
                        "--no-rod-reduction");
    return static_cast<int>(found - model.frames.begin());
}

}  // namespace

Pushes::Pushes(const Model& model, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        const Assignment given = read_assignment("--push", text);
        const std::vector<double>& x = given.values;
        if ((x.size() != 3 && x.size() != 5) || (x.size() == 5 && !(x[3] < x[4])))
            throw CallError("--push " + text + ": expected LINK=FX,FY,FZ in N along the world's axes, or " +
                            "LINK=FX,FY,FZ,FROM,UNTIL with times in s");
        Push push;
        push.wrench.frame = link_frame(model, given.name);
        push.wrench.force = {x[0], x[1], x[2]};
        push.from = x.size() == 5 ? x[3] : 0;
        push.until = x.size() == 5 ? x[4] : std::numeric_limits<double>::infinity();
        pushes_.push_back(push);
    }
    acting_.reserve(pushes_.size());
}

std::span<const ExternalWrench> Pushes::at(double time) {
    acting_.clear();
    for (const Push& x : pushes_)
        if (time > x.from - rounding_of_time && time < x.until - rounding_of_time)
            acting_.push_back(x.wrench);
    return acting_;
}

}  // namespace grbda::tool
