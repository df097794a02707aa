#pragma once

#include <string>
#include <vector>

#include "grbda/model/data.hpp"
#include "describe/json_text.hpp"

// Reads the states file of `grbda compute` for a model.

namespace grbda::tool {

using describe::Json;

/// A wrench on a link that is a rod, in the link's frame at its origin.
struct RodWrench {
    int frame = 0;  ///< in Model::frames
    Eigen::Matrix<double, 6, 1> wrench;
};

/// One state of the input; missing values are completed.
struct StateInput {
    VectorX<double> q;      ///< start guess [nq]
    VectorX<double> from;   ///< closed configuration from which the independents of q are led; empty: none
    bool complete = false;  ///< q names every joint
    VectorX<double> yd;     ///< [nv]; zero if `qd` is used
    bool has_qd = false;
    bool qd_complete = false;    ///< for every joint
    VectorX<double> qd;          ///< [nv_tree]
    std::vector<char> qd_given;  ///< per entry of qd: given, or independent and therefore zero
    bool has_ydd = false;
    VectorX<double> ydd;        ///< [nv]
    VectorX<double> tau;        ///< on spanning joints [nv_tree]
    Matrix6X<double> wrenches;  ///< body frames [6 × bodies], or [6 × 0] for none
    std::vector<RodWrench> rod_wrenches;
};

struct StatesInput {
    Vector3<double> gravity;
    std::vector<StateInput> states;
    std::vector<std::string> ignored;  ///< joints of rods, which have no coordinates
};

/// Joints that a state does not name are as in `start`; if that is empty,
/// at zero, or as assembled. Throws InputError with all problems of the
/// file: unknown names, wrong lengths, values that are not numbers.
StatesInput match_states(const Json& json, const std::string& file, const Model& model,
                         const VectorX<double>& start);

/// Prints a note of the joints in the file that have no coordinates.
void print_ignored(const StatesInput& input, const std::string& file);

}  // namespace grbda::tool
