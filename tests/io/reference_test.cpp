#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "constraints/closure.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/io/load.hpp"
#include "kinematics/configuration.hpp"

// Results of generalized_rbda on the robots that it publishes: data/reference/README.md.

namespace {

using nlohmann::json;

// Their loops are closed to 1e-12 and their G found from that: with angles down to 0.08 rad from singular
// poses this leaves 1e-9 of the largest entries. Forward dynamics multiplies it by the condition of M.
constexpr double kReference = 1e-8;
constexpr double kReferenceForward = 1e-6;

/// Ours from theirs: entries in the order of y.
class Reader {
public:
    Reader(const grbda::Model& model, const json& file) : model_(model), file_(file) {
        const std::vector<grbda::Coordinate> coordinates = grbda::independent_coordinates(model);
        static const char* const components[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
        for (const grbda::Coordinate& c : coordinates) {
            std::string name = model.names.joints[c.body];
            if (file.at("floating_joint") == name) name += std::string(":") + components[c.component];
            const auto& rows = file.at("rows");
            const auto row = std::find(rows.begin(), rows.end(), name);
            REQUIRE(row != rows.end());
            rows_.push_back(static_cast<Eigen::Index>(row - rows.begin()));
        }
    }

    Eigen::VectorXd configuration(const json& state) const {
        Eigen::VectorXd q = grbda::neutral_configuration(model_);
        for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
            const int at = model_.bodies[i].q;
            if (file_.at("floating_joint") == model_.names.joints[i]) {
                const std::vector<double> p = state.at("base").at("position"),
                                          r = state.at("base").at("quaternion_wxyz");
                q.segment<7>(at) << p[0], p[1], p[2], r[1], r[2], r[3], r[0];
            } else {
                q[at] = state.at("q").at(model_.names.joints[i]);
            }
        }
        return q;
    }

    /// From values by joint and the six of the base.
    Eigen::VectorXd by_joint(const json& joints, const json& base) const {
        std::vector<double> values;
        for (const std::string row : file_.at("rows")) {
            const std::size_t colon = row.find(':');
            values.push_back(colon == std::string::npos ? joints.at(row).get<double>()
                                                        : base.at(values.size()).get<double>());
        }
        return by_row(values);
    }

    Eigen::VectorXd by_row(const std::vector<double>& values) const {
        Eigen::VectorXd result(model_.nv);
        for (int i = 0; i < model_.nv; ++i)
            result[i] = values[static_cast<std::size_t>(rows_[static_cast<std::size_t>(i)])];
        return result;
    }

    Eigen::MatrixXd matrix(const json& rows) const {
        Eigen::MatrixXd result(model_.nv, model_.nv);
        for (int i = 0; i < model_.nv; ++i)
            result.row(i) =
                by_row(rows.at(static_cast<std::size_t>(rows_[static_cast<std::size_t>(i)]))).transpose();
        return result;
    }

private:
    const grbda::Model& model_;
    const json& file_;
    std::vector<Eigen::Index> rows_;
};

double relative(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected) {
    return (found - expected).norm() /
           (1e-3 + expected.norm());  // the smallest robot's inertias are about 1e-3
}

}  // namespace

TEST_CASE("results published by generalized_rbda are ours") {
    for (const std::string name :
         {"four_bar", "planar_leg_linkage", "revolute_rotor_chain", "mini_cheetah", "mit_humanoid"}) {
        INFO(name);
        std::ifstream stream(std::string(GRBDA_REFERENCE) + "/" + name + ".json");
        REQUIRE(stream.good());
        const json file = json::parse(stream);
        const grbda::Model model = grbda::load(std::string(GRBDA_ROBOTS) + "/" + name + "/" + name + ".urdf");
        const Reader read(model, file);
        grbda::Workspace<double> data(model);
        REQUIRE(file.at("states").size() >= 2);
        for (const json& state : file.at("states")) {
            Eigen::VectorXd q = read.configuration(state);
            REQUIRE(grbda::close_loops<double>(model, data, q).ok());
            const json none, &base = state.contains("base") ? state.at("base").at("twist") : none;
            const auto values = [&](const char* key) {
                const std::string of_base = std::string(key) + "_base";
                return read.by_joint(state.at(key), state.contains(of_base) ? state.at(of_base) : none);
            };
            const Eigen::VectorXd yd = read.by_joint(state.at("qd"), base);
            Eigen::MatrixXd M(model.nv, model.nv);
            REQUIRE(grbda::crba<double>(model, data, q, M).ok());
            CHECK(relative(M, read.matrix(state.at("mass_matrix"))) < kReference);
            REQUIRE(grbda::bias_force<double>(model, data, q, yd).ok());
            CHECK(relative(data.tau, read.by_row(state.at("bias"))) < kReference);
            REQUIRE(grbda::rnea<double>(model, data, q, yd, values("id_ydd")).ok());
            CHECK(relative(data.tau, values("id_tau")) < kReference);
            REQUIRE(grbda::aba<double>(model, data, q, yd, values("tau")).ok());
            CHECK(relative(data.ydd, values("ydd")) < kReferenceForward);
        }
    }
}
