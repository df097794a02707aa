#include "support/robots.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <Eigen/Eigenvalues>

#include "constraints/embedding.hpp"
#include "dynamics/crba.hpp"
#include "grbda/io/load.hpp"
#include "kinematics/configuration.hpp"
#include "support/random_mechanism.hpp"
#include "support/require_ok.hpp"
#include "support/sample_size.hpp"

namespace test_robots {
namespace {

constexpr int kMechanisms = 300;
constexpr std::uint64_t kFirstSeed = 1000;

// Bounds of a well-conditioned state. Errors of ÿ grow with the condition of M, those of G and g with
// 1/rcond(K_d).
constexpr double kRcond = 5e-3;
constexpr double kTame = 30;         // of G and g
constexpr double kCondition = 1e-5;  // of M, scaled to a unit diagonal

bool well_conditioned(const grbda::Model& model, grbda::Workspace<double>& data, const State& state) {
    if (!grbda::constraint_embedding<double>(model, data, state.q, state.yd).ok()) return false;
    for (std::size_t i = 0; i < model.clusters.size(); ++i) {
        const grbda::Cluster& c = model.clusters[i];
        if (c.embedding != grbda::Embedding::implicit) continue;
        if (!(data.rcond[i] > kRcond)) return false;
        for (int entry = c.G_begin; entry < c.G_begin + c.dofs * c.m; ++entry)
            if (!(std::abs(data.G[entry]) < kTame)) return false;
    }
    if (model.nv_tree > 0 && !(grbda::explicit_bias(model, data).cwiseAbs().maxCoeff() < kTame)) return false;
    Eigen::MatrixXd M(model.nv, model.nv);
    if (model.nv == 0) return true;
    must(grbda::crba<double>(model, data, state.q, M));
    const Eigen::VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd scaled = scale.asDiagonal() * M * scale.asDiagonal();
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled).eigenvalues()[0] > kCondition;
}

void fill(const grbda::Model& model, Random& random, State& state) {
    state.yd = random_vector(random, model.nv);
    state.ydd = random_vector(random, model.nv);
    state.tau = random_vector(random, model.nv, 5);
    state.wrenches = random_vector(random, 6 * model.body_count(), 3).reshaped(6, model.body_count());
    for (int i = 0; i < model.body_count(); ++i)
        if (is_length(model, i)) state.wrenches.col(i).setZero();
}

/// Compilation has looked at some configurations: where none was tame, hardly one is.
bool is_awkward(const grbda::Model& model) {
    return std::any_of(model.reports.begin(), model.reports.end(), [](const grbda::ClusterReport& report) {
        return std::max(report.conditioning, report.neutral_conditioning) < kRcond;
    });
}

/// False: the last one that was tried.
bool draw_state(const grbda::Model& model, Random& random, State& state) {
    const int trials = is_awkward(model) ? 10 : 40;
    grbda::Workspace<double> data(model);
    for (int trial = 0; trial < trials; ++trial) {
        state.q = grbda::random_configuration(model, random);
        fill(model, random, state);
        if (well_conditioned(model, data, state)) return true;
    }
    return false;
}

bool is_of_robots(const grbda::Model& model) {
    return std::any_of(all().begin(), all().end(),
                       [&](const Robot* robot) { return &robot->model == &model; });
}

/// Finding a tame state takes longer than most laws do with it: each robot has some, found once; none, if one
/// could not be found.
constexpr std::uint64_t kPool = 6;
const std::optional<State>& pooled(const grbda::Model& model, std::uint64_t number) {
    static std::map<std::pair<const grbda::Model*, std::uint64_t>, std::optional<State>> pool;
    const bool hopeless = std::any_of(pool.lower_bound({&model, 0}), pool.upper_bound({&model, kPool}),
                                      [](const auto& earlier) { return !earlier.second.has_value(); });
    const auto [entry, is_new] = pool.try_emplace({&model, number});
    if (is_new && !hopeless) {
        Random random(kFirstSeed + number);
        State state;
        if (draw_state(model, random, state)) entry->second = state;
    }
    return entry->second;
}

Mechanisms draw() {
    Mechanisms result;
    const int wanted = sample_size::of(kMechanisms);
    for (std::uint64_t seed = sample_size::first_seed(kFirstSeed); result.drawn < wanted;
         ++seed, ++result.drawn) {
        Robot robot;
        robot.description = random_mechanism::random_mechanism(seed);
        robot.name = robot.description.name;
        try {
            robot.model = grbda::build_model(robot.description, robot.options);
            result.robots.push_back(std::move(robot));
        } catch (const grbda::LoadError& error) {
            result.refused.push_back(robot.name + ": " + error.what());
        }
    }
    return result;
}

/// The robot's description and its side files: all but the README.
std::vector<std::string> files_of(const std::string& robot) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(GRBDA_ROBOTS) + "/" + robot))
        if (entry.path().extension() != ".md") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

const std::vector<Robot>& published() {
    static const std::vector<Robot> robots = [] {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(GRBDA_ROBOTS))
            if (entry.is_directory()) names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        std::vector<Robot> result;
        for (const std::string& name : names) {
            grbda::Diagnostics diagnostics;
            Robot robot;
            robot.name = name;
            robot.description = grbda::read_description(files_of(name), diagnostics);
            robot.model = grbda::build_model(robot.description, robot.options);
            result.push_back(std::move(robot));
        }
        return result;
    }();
    return robots;
}

const Robot& named(const std::string& name) {
    const auto robot =
        std::find_if(published().begin(), published().end(), [&](const Robot& r) { return r.name == name; });
    REQUIRE(robot != published().end());
    return *robot;
}

const std::vector<Robot>& with_rods_as_bodies() {
    static const std::vector<Robot> robots = [] {
        std::vector<Robot> result;
        for (const Robot& robot : published()) {
            if (robot.model.rods.empty()) continue;
            Robot whole;
            whole.name = robot.name;
            whole.description = robot.description;
            whole.options.rod_reduction = false;
            whole.model = grbda::build_model(whole.description, whole.options);
            result.push_back(std::move(whole));
        }
        return result;
    }();
    return robots;
}

const Robot& full(const std::string& name) {
    for (const Robot& robot : with_rods_as_bodies())
        if (robot.name == name) return robot;
    return named(name);
}

const Mechanisms& mechanisms() {
    static const Mechanisms drawn = draw();
    return drawn;
}

const std::vector<const Robot*>& all() {
    static const std::vector<const Robot*> robots = [] {
        std::vector<const Robot*> result;
        for (const Robot& robot : published()) result.push_back(&robot);
        for (const Robot& robot : with_rods_as_bodies()) result.push_back(&robot);
        for (const Robot& robot : mechanisms().robots) result.push_back(&robot);
        return result;
    }();
    return robots;
}

const std::vector<const Robot*>& without_rods() {
    static const std::vector<const Robot*> robots = [] {
        std::vector<const Robot*> result = all();
        std::erase_if(result, [](const Robot* robot) { return !robot->model.rods.empty(); });
        return result;
    }();
    return robots;
}

double conditioning(const grbda::Model& model, const grbda::Workspace<double>& data) {
    double smallest = 1;
    for (std::size_t i = 0; i < model.clusters.size(); ++i)
        if (model.clusters[i].embedding == grbda::Embedding::implicit)
            smallest = std::min(smallest, data.rcond[i]);
    return smallest;
}

bool random_state(const grbda::Model& model, Random& random, State& state) {
    if (!is_of_robots(model)) return draw_state(model, random, state);
    const std::optional<State>& tame = pooled(model, random() % kPool);
    if (!tame) return false;
    state = *tame;
    fill(model, random, state);
    grbda::Workspace<double> data(model);
    if (!well_conditioned(model, data, state)) state.yd = tame->yd;
    return true;
}

double relative(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected) {
    return (found - expected).norm() / (1 + expected.norm());
}

double relative_by_inertia(const Eigen::MatrixXd& M, const Eigen::VectorXd& found,
                           const Eigen::VectorXd& expected) {
    if (M.rows() == 0) return 0;
    const Eigen::VectorXd weights = M.diagonal().cwiseSqrt();
    return weights.cwiseProduct(found - expected).norm() / weights.cwiseProduct(expected).norm();
}

Eigen::VectorXd random_vector(Random& random, Eigen::Index size, double bound) {
    Eigen::VectorXd result(size);
    for (double& x : result) x = std::uniform_real_distribution<double>(-bound, bound)(random);
    return result;
}

}  // namespace test_robots
