#include "subject.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "grbda/io/load.hpp"

namespace grbda::benchmarks {
namespace {

VectorX<double> random_vector(int size, double scale, std::mt19937_64& generator) {
    std::uniform_real_distribution<double> uniform(-scale, scale);
    return VectorX<double>::NullaryExpr(size, [&] { return uniform(generator); });
}

/// A dof of a quaternion has no coordinate of its own: it moves one component of the quaternion.
VectorX<double> open_loops(const Model& model, VectorX<double> q, std::mt19937_64& generator) {
    std::uniform_real_distribution<double> uniform(-0.03, 0.03);
    for (const int dof : model.dependent) {
        const Body& body = model.bodies[model.dof_body[dof]];
        q[body.q + dof - body.dof] += uniform(generator);
    }
    return q;
}

VectorX<double> draw_configuration(const Model& model, Data& data, std::mt19937_64& generator) {
    constexpr int trials = 1000;
    for (int trial = 0; trial < trials; ++trial) {
        VectorX<double> q = random_configuration(model, generator);
        if (smallest_rcond(model, data, q) > 1e-3) return q;
    }
    throw std::runtime_error("no well-conditioned configuration found");
}

}  // namespace

double smallest_rcond(const Model& model, Data& data, const VectorX<double>& q) {
    if (!forward_kinematics(model, data, q)) return 0;
    double result = 1;
    for (int i = 0; i < model.cluster_count(); ++i) result = std::min(result, conditioning(model, data, i));
    return result;
}

State random_motion(const Model& model, VectorX<double> q, std::mt19937_64& generator) {
    State state;
    state.yd = random_vector(model.nv, 3, generator);
    state.ydd = random_vector(model.nv, 10, generator);
    state.tau = random_vector(model.nv, 20, generator);
    state.guess = open_loops(model, q, generator);
    state.q = std::move(q);
    return state;
}

Subject make_subject(Model model) {
    Subject subject{std::move(model), {}};
    std::mt19937_64 generator(1);
    Data data(subject.model);
    while (subject.states.size() < state_count)
        subject.states.push_back(
            random_motion(subject.model, draw_configuration(subject.model, data, generator), generator));
    return subject;
}

const Subject& subject(const std::string& name, const std::function<Model()>& make) {
    static std::map<std::string, std::unique_ptr<const Subject>> subjects;
    std::unique_ptr<const Subject>& entry = subjects[name];
    if (!entry) entry = std::make_unique<const Subject>(make_subject(make()));
    return *entry;
}

std::vector<std::string> robot_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(GRBDA_ROBOTS))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> robot_files(const std::string& name) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(GRBDA_ROBOTS "/") + name))
        if (entry.path().extension() != ".md") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

Model load_robot(const std::string& name, const LoadOptions& options) {
    return load(robot_files(name), options);
}

const Subject& robot(const std::string& name) {
    return subject("robots/" + name, [&] { return load_robot(name); });
}

}  // namespace grbda::benchmarks
