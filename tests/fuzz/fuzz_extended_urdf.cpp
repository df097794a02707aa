#include "grbda/io/side_files.hpp"
#include "grbda/io/urdf.hpp"
#include "robot.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto [robot_text, side_text] = fuzz::split(data, size);
    grbda::Diagnostics findings;
    grbda::RobotDescription robot = grbda::read_urdf(robot_text, "robot", findings);
    if (robot.links.empty()) return 0;  // as load() does
    grbda::apply_extended_urdf(side_text, "side", robot, findings);
    fuzz::check(robot, findings);
    return 0;
}
