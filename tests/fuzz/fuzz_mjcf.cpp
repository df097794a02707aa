#include "grbda/io/mjcf.hpp"
#include "robot.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    grbda::Diagnostics findings;
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::check(grbda::read_mjcf(text, "robot", findings), findings);
    return 0;
}
