#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <yaml-cpp/yaml.h>

#include "grbda/version.hpp"

// All packages agree on the version of version.hpp, the licence, and the dependencies that CMake searches.

namespace {

using Names = std::set<std::string>;

std::string source(const std::string& name) {
    std::ifstream file(std::string(GRBDA_SOURCE) + "/" + name);
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Packages that CMake must find to build libraries and tool.
Names found_by_cmake() {
    Names names;
    const std::regex call("find_package\\(([A-Za-z0-9_-]+)[^)]*REQUIRED");
    for (const char* file : {"CMakeLists.txt", "cmake/dependencies.cmake", "tools/CMakeLists.txt"}) {
        const std::string text = source(file);
        for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at)
            names.insert((*at)[1]);
    }
    names.erase("Threads");  // of the compiler
    return names;
}

/// Names of the dependencies in package.xml, vcpkg, conda and Debian.
struct Called {
    std::string rosdep, vcpkg, conda, debian;
};
const std::map<std::string, Called> called = {
    {"CLI11", {"cli11", "cli11", "cli11", "libcli11-dev"}},
    {"Eigen3", {"eigen", "eigen3", "eigen", "libeigen3-dev"}},
    {"Qhull", {"libqhull", "qhull", "qhull", "libqhull-dev"}},
    {"TBB", {"tbb", "tbb", "tbb-devel", "libtbb-dev"}},
    {"nlohmann_json", {"nlohmann-json-dev", "nlohmann-json", "nlohmann_json", "nlohmann-json3-dev"}},
    {"pugixml", {"pugixml-dev", "pugixml", "pugixml", "libpugixml-dev"}},
    {"yaml-cpp", {"yaml-cpp", "yaml-cpp", "yaml-cpp", "libyaml-cpp-dev"}},
};

Names all_called(std::string Called::*by) {
    Names names;
    for (const std::string& name : found_by_cmake()) {
        INFO("nothing is said of " << name);
        REQUIRE(called.count(name) == 1);
        names.insert(called.at(name).*by);
    }
    return names;
}

const std::string summary = "Rigid-body dynamics of robots with kinematic loops";

}  // namespace

TEST_CASE("package.xml has the version, the licence and all that CMake finds") {
    pugi::xml_document document;
    REQUIRE(document.load_string(source("package.xml").c_str()));
    const pugi::xml_node package = document.child("package");
    CHECK(package.attribute("format").as_int() == 3);
    CHECK(std::string(package.child("name").text().get()) == "grbda");
    CHECK(std::string(package.child("version").text().get()) == GRBDA_VERSION);
    CHECK(std::string(package.child("description").text().get()) == summary);
    CHECK(std::string(package.child("license").text().get()) == "MIT");
    const pugi::xml_node maintainer = package.child("maintainer");
    CHECK(source("LICENSE").find(maintainer.text().get()) != std::string::npos);
    CHECK(std::regex_match(maintainer.attribute("email").value(), std::regex("[a-z]+@[a-z.]+")));
    CHECK(std::string(package.child("export").child("build_type").text().get()) == "cmake");
    Names depends;
    for (const pugi::xml_node& node : package.children())
        for (const char* tag : {"depend", "build_depend"})
            if (node.name() == std::string(tag)) depends.insert(node.text().get());
    CHECK(depends == all_called(&Called::rosdep));
}

TEST_CASE("the port for vcpkg has the version, the licence and all that CMake finds") {
    const nlohmann::json port = nlohmann::json::parse(source("packaging/vcpkg/vcpkg.json"));
    CHECK(port.at("name") == "grbda");
    CHECK(port.at("version") == GRBDA_VERSION);
    CHECK(port.at("description") == summary);
    CHECK(port.at("license") == "MIT");
    Names depends;
    const auto add = [&](const nlohmann::json& list) {
        for (const nlohmann::json& each : list) {
            const bool is_helper = each.is_object() && each.value("host", false);
            if (!is_helper) depends.insert(each.is_object() ? each.at("name") : each);
        }
    };
    add(port.at("dependencies"));
    add(port.at("features").at("tools").at("dependencies"));
    CHECK(depends == all_called(&Called::vcpkg));
}

TEST_CASE("the recipe for conda has the version, the licence and all that CMake finds") {
    const YAML::Node recipe = YAML::Load(source("packaging/conda/meta.yaml"));
    CHECK(recipe["package"]["name"].as<std::string>() == "grbda");
    CHECK(recipe["package"]["version"].as<std::string>() == GRBDA_VERSION);
    CHECK(recipe["about"]["summary"].as<std::string>() == summary);
    CHECK(recipe["about"]["license"].as<std::string>() == "MIT");
    CHECK_FALSE(source("packaging/conda/" + recipe["source"]["path"].as<std::string>() + "/" +
                       recipe["about"]["license_file"].as<std::string>())
                    .empty());
    Names depends;
    for (const YAML::Node& each : recipe["requirements"]["host"]) {
        const std::string text = each.as<std::string>();
        depends.insert(text.substr(0, text.find(' ')));
    }
    CHECK(depends == all_called(&Called::conda));
}

TEST_CASE("the page on installing names the library package of this version") {
    const std::string version = GRBDA_VERSION;
    const std::string soversion = version.substr(0, version.rfind('.'));
    const std::regex name("libgrbda(?:_core\\.so\\.)?([0-9]+\\.[0-9]+)");
    for (const char* page : {"docs/installing.md", "scripts/package.sh"}) {
        const std::string text = source(page);
        for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
            CHECK((*at)[1] == soversion);
        CHECK(std::regex_search(text, name));
    }
}

TEST_CASE("scripts install on Debian all that CMake finds") {
    const std::string script = source("scripts/install_dependencies.sh");
    for (const std::string& name : all_called(&Called::debian)) {
        INFO(name);
        CHECK(std::regex_search(script, std::regex("[ (\n]" + name + "[ )\n]")));
    }
}
