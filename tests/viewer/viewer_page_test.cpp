#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "grbda/io/load.hpp"
#include "grbda/viewer/page.hpp"
#include "viewer/http_client.hpp"

// The page's slot is JSON that another reader takes for the same robot. `grbda view` has more tests of files.

using namespace grbda;

namespace {

std::string written_template(const std::string& text) {
    const auto path =
        std::filesystem::temp_directory_path() / ("grbda_page_" + std::to_string(::getpid()) + ".html");
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
}

nlohmann::json slot_of(const ViewerRobot& robot) {
    return nlohmann::json::parse(viewer_page(robot, written_template("/*ROBOT*/")));
}

}  // namespace

TEST_CASE("viewer: any text and all numbers come back from the page") {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    std::string text = "</script>\"\\é\n\t";
    for (char c = 1; c < 127; ++c) text += c;
    for (int size = 0; size < 4; ++size) {
        ViewerRobot robot{.files = {{text, bytes.substr(0, 253 + static_cast<std::size_t>(size))}, {"b", ""}},
                          .q = {0.1, -1e300, 3},
                          .record = text};
        const nlohmann::json slot = slot_of(robot);
        CHECK(slot["files"][0]["path"] == text);
        CHECK(http::decoded(slot["files"][0]["base64"].get<std::string>()) == robot.files[0].content);
        CHECK(slot["files"][1]["base64"] == "");
        CHECK(slot["main"] == nlohmann::json({text}));
        CHECK(slot["record"] == text);
        CHECK(http::numbers(slot["q"].get<std::string>()) == robot.q);
    }
}

TEST_CASE("viewer: the page has the options that change coordinates") {
    const std::string file = std::string(GRBDA_ROBOTS) + "/four_bar/four_bar.urdf";
    LoadOptions options;
    options.coupling_ratio = CouplingRatio::successor_over_predecessor;
    options.spherical_joints = options.floating_base = options.adjust = true;
    options.rotor_reduction = false;
    const nlohmann::json slot = slot_of(viewer_robot({file}, options, load(file, options)));
    CHECK(slot["options"] == nlohmann::json({{"spherical", true},
                                             {"floating", true},
                                             {"rotors", true},
                                             {"adjust", true},
                                             {"ratio", "successor/predecessor"}}));
    CHECK_FALSE(slot.contains("record"));
    CHECK_FALSE(slot.contains("q"));
    CHECK_FALSE(slot.contains("feed"));
    CHECK_THROWS_AS(viewer_robot({}, options, load(file)), std::invalid_argument);
}

TEST_CASE("viewer: the template is the one that is named") {
    CHECK(viewer_template("a.html") == "a.html");
    ::setenv("GRBDA_VIEW_TEMPLATE", "/nowhere/b.html", 1);
    CHECK(viewer_template() == "/nowhere/b.html");
    CHECK_THROWS_WITH(viewer_page(ViewerRobot{}),
                      Catch::Contains("/nowhere/b.html: expected a file, found none"));
    ::unsetenv("GRBDA_VIEW_TEMPLATE");
    CHECK_THROWS_WITH(viewer_page(ViewerRobot{}, written_template("<p>")),
                      Catch::Contains("expected a template of scripts/view.sh"));
}
