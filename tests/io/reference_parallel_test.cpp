#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/io/load.hpp"
#include "kinematics/configuration.hpp"

// Results of pinocchio on parallel robots in Extended URDF: data/reference/README.md.

namespace {

using nlohmann::json;

// Ours have twelve digits, and no frames of 1e-9 kg: with these, forces and accelerations agree to 1e-10.
constexpr double kFigures = 1e-9;
constexpr double kDynamics = 1e-7;

/// By joint → in the order of q̇.
Eigen::VectorXd spanning(const grbda::Model& model, const json& joints, const char* key) {
    Eigen::VectorXd result(model.nv_tree);
    REQUIRE(joints.size() == model.bodies.size());
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
        result[model.bodies[i].v] = joints.at(model.names.joints[i]).at(key);
    return result;
}

double relative(const Eigen::VectorXd& found, const Eigen::VectorXd& expected) {
    return (found - expected).norm() / (1e-3 + expected.norm());
}

void compare(const std::string& name, const std::vector<std::string>& files) {
    INFO(name);
    std::ifstream stream(std::string(GRBDA_REFERENCE) + "/" + name + ".json");
    REQUIRE(stream.good());
    const json file = json::parse(stream);
    grbda::LoadOptions options;
    options.rod_reduction = false;  // Pinocchio has a coordinate for each joint
    const grbda::Model model = grbda::load(files, options);
    grbda::Workspace<double> data(model);
    REQUIRE(file.at("states").size() == 4);
    for (const json& state : file.at("states")) {
        const json& joints = state.at("joints");
        const Eigen::VectorXd theirs = spanning(model, joints, "q"), qd = spanning(model, joints, "v"),
                              qdd = spanning(model, joints, "ddq"), tau = spanning(model, joints, "tau");
        Eigen::VectorXd q = theirs;
        REQUIRE(grbda::close_loops<double>(model, data, q).ok());
        CHECK((q - theirs).cwiseAbs().maxCoeff() < kFigures);
        const Eigen::VectorXd yd = grbda::independent_part(model, qd);
        const Eigen::VectorXd ydd = grbda::independent_part(model, qdd);
        REQUIRE(grbda::constraint_embedding<double>(model, data, q, yd).ok());
        const Eigen::VectorXd tau_y = grbda::explicit_jacobian(model, data).transpose() * tau;
        REQUIRE(grbda::spanning_acceleration<double>(model, data, q, yd, ydd).ok());
        CHECK(relative(data.qd, qd) < kFigures);
        CHECK(relative(data.qdd, qdd) < kDynamics);
        REQUIRE(grbda::rnea<double>(model, data, q, yd, ydd).ok());
        CHECK(relative(data.tau, tau_y) < kDynamics);
        REQUIRE(grbda::aba<double>(model, data, q, yd, tau_y).ok());
        CHECK(relative(data.ydd, ydd) < kDynamics);
    }
}

}  // namespace

TEST_CASE("results of pinocchio on published parallel robots are ours") {
    for (const std::string name : {"digit_leg", "cassie_like"}) {
        const std::string base = std::string(GRBDA_ROBOTS) + "/" + name + "/" + name;
        compare(name, {base + ".urdf", base + ".yaml"});
    }
    const std::string base = std::string(GRBDA_REFERENCE) + "/five_bar";
    compare("five_bar", {base + ".urdf", base + ".yaml"});
}
