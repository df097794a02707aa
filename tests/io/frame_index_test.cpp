#include <limits>

#include <catch2/catch.hpp>

#include "grbda/io/load.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"

using grbda::ReferenceFrame;

namespace {

grbda::Model four_bar() { return grbda::load(std::string(GRBDA_ROBOTS) + "/four_bar/four_bar.urdf"); }

}  // namespace

TEST_CASE("an index that no frame or body has is refused with the range") {
    const grbda::Model model = four_bar();
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, grbda::neutral_configuration(model)).ok());
    const int frames = static_cast<int>(model.frames.size());
    const grbda::Matrix6X<double> before = grbda::Matrix6X<double>::Ones(6, model.nv);
    grbda::Matrix6X<double> J = before;
    const auto axes = ReferenceFrame::local;
    using Limits = std::numeric_limits<int>;
    for (const int wrong : {-1, -7, frames, frames + 1, Limits::max(), Limits::min()}) {
        CHECK_THROWS_WITH(grbda::frame_position(model, data, wrong),
                          Catch::Contains("frame " + std::to_string(wrong)) &&
                              Catch::Contains("from 0 to " + std::to_string(frames - 1)) &&
                              Catch::Contains("model.frame(name) finds"));
        CHECK_THROWS_AS(grbda::frame_position(model, data, wrong), std::invalid_argument);
        CHECK_THROWS_AS(grbda::frame_orientation(model, data, wrong), std::invalid_argument);
        CHECK_THROWS_AS(grbda::frame_velocity(model, data, wrong, axes), std::invalid_argument);
        CHECK_THROWS_AS(grbda::frame_acceleration(model, data, wrong, axes), std::invalid_argument);
        CHECK_THROWS_AS(grbda::frame_jacobian<double>(model, data, wrong, axes, J), std::invalid_argument);
    }
    for (const int wrong : {-1, model.body_count()}) {
        CHECK_THROWS_WITH(grbda::body_jacobian<double>(model, data, wrong, axes, J),
                          Catch::Contains("body " + std::to_string(wrong)) &&
                              Catch::Contains("from 0 to " + std::to_string(model.body_count() - 1)));
        CHECK_THROWS_AS(grbda::body_jacobian<double>(model, data, wrong, axes, J), std::invalid_argument);
    }
    CHECK(J == before);
}

TEST_CASE("a name that no frame or joint has is refused with the nearest") {
    const grbda::Model model = four_bar();
    CHECK_THROWS_WITH(model.frame("lnk1").index, Catch::Contains("'lnk1': did you mean 'link1'"));
    CHECK_THROWS_WITH(model.frame("elbow").index, Catch::Contains("'elbow'; there are 'base_link'"));
    CHECK_THROWS_WITH(model.joint("jont2").index, Catch::Contains("did you mean 'joint2'"));
    CHECK_THROWS_AS(model.frame("").index, std::invalid_argument);
}
