#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"
#include "io/folder_fixture.hpp"

// load_urdf() is load() for one format: the same models, findings and refusals.

using namespace grbda;
using folder_test::Folder;

namespace {

/// All that a loader reports, or the numbers of the model.
template <class Load>
std::vector<std::string> outcome(const Load& load_one, const std::string& file) {
    std::vector<std::string> lines;
    const auto list = [&](const std::vector<Diagnostic>& findings) {
        for (const Diagnostic& finding : findings) lines.push_back(to_string(finding));
    };
    try {
        const Model model = load_one(file);
        list(model.diagnostics);
        lines.push_back(model.names.robot);
        for (const std::string& joint : model.names.joints) lines.push_back(joint);
        for (const std::string& name : model.files) lines.push_back(name);
        const Eigen::VectorXd q = neutral_configuration(model);
        for (Eigen::Index i = 0; i < q.size(); ++i) lines.push_back(std::to_string(q[i]));
        for (const Inertial& body : model.inertials) lines.push_back(std::to_string(body.inertia.trace()));
    } catch (const LoadError& error) {
        list(error.diagnostics());
    }
    return lines;
}

std::vector<std::string> by_urdf(const std::string& file) {
    return outcome([](const std::string& name) { return load_urdf(name); }, file);
}
std::vector<std::string> by_load(const std::string& file) {
    return outcome([](const std::string& name) { return load({name}); }, file);
}

}  // namespace

TEST_CASE("load_urdf loads the robots as load does") {
    for (const char* name : {"four_bar", "mit_humanoid", "planar_leg_linkage", "delta", "mini_cheetah"}) {
        const std::string file = std::string(GRBDA_ROBOTS) + "/" + name + "/" + name + ".urdf";
        INFO(file);
        const std::vector<std::string> found = by_urdf(file);
        CHECK(found.size() > 5);
        CHECK(found == by_load(file));
    }
}

TEST_CASE("load_urdf refuses files as load does") {
    const Folder folder;
    const std::string broken =
        folder.write("broken.urdf",
                     "<robot name=\"r\"><link name=\"a\"/><joint name=\"j\" type=\"revolt\">"
                     "<parent link=\"a\"/><child link=\"b\"/></joint></robot>");
    for (const std::string& file : {broken, folder.at("none.urdf"), folder.at("")}) {
        INFO(file);
        const std::vector<std::string> found = by_urdf(file);
        CHECK(!found.empty());
        CHECK(found == by_load(file));
    }
}

TEST_CASE("load_urdf refuses to read hulls") {
    LoadOptions options;
    options.hulls = true;
    CHECK_THROWS_AS(load_urdf(std::string(GRBDA_ROBOTS) + "/four_bar/four_bar.urdf", options),
                    std::invalid_argument);
}
