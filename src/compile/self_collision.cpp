#include <algorithm>
#include <string>

#include "compile.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"

namespace grbda::compile {

void report_self_collision(const Mechanism& mechanism, const Model& model, Diagnostics& diagnostics) {
    const SelfCollision& robot = model.self_collision;
    if (robot.pairs.empty()) return;
    Workspace<double> data(model);
    if (!forward_kinematics<double>(model, data, neutral_configuration(model)).ok()) return;
    std::vector<GroupDistance> distances(robot.pairs.size());
    const int nearest = self_distances<double>(model, data, distances);
    const GroupDistance& worst = distances[at(nearest)];
    if (!(worst.distance < 0)) return;
    const auto others = std::count_if(distances.begin(), distances.end(),
                                      [](const GroupDistance& d) { return d.distance < 0; }) -
                        1;
    const GroupPair& pair = robot.pairs[nearest];
    const auto place = [&](int group) { return model.frames[robot.groups[group].frame].name; };
    const int sphere = worst.a - robot.groups[pair.a].spheres.first;
    diagnostics.push_back(
        {Severity::warning,
         Code::self_collision,
         mechanism.self_collision.groups[pair.a].spheres[at(sphere)].where,
         {"sphere", place(pair.a), "spheres of '" + place(pair.a) + "'"},
         "them apart from those of '" + place(pair.b) + "' at the default configuration",
         "an overlap of " + short_number(-worst.distance) + " m, buffers included" +
             (others == 0 ? "" : ", and " + std::to_string(others) + " more pairs that overlap"),
         "list the pair among those to ignore if it is meant"});
}

}  // namespace grbda::compile
