#pragma once

#include <span>
#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// Forces on links over a time, from "LINK=FX,FY,FZ" or "LINK=FX,FY,FZ,FROM,UNTIL".

namespace grbda::tool {

class Pushes {
public:
    /// Throws CallError with the text that cannot be read.
    Pushes(const Model& model, const std::vector<std::string>& texts);

    /// External wrenches of a step from this time; valid until the next call.
    std::span<const ExternalWrench> at(double time);

private:
    struct Push {
        ExternalWrench wrench;
        double from = 0, until = 0;  ///< s
    };
    std::vector<Push> pushes_;
    std::vector<ExternalWrench> acting_;
};

}  // namespace grbda::tool
