#pragma once

#include "describe/describe.hpp"
#include "evaluate.hpp"
#include "describe/json_text.hpp"

namespace grbda::tool {

using describe::OrderedJson;

/// Writes the results of `grbda compute` for states as maps by joint, loop and coupling.
class StateWriter {
public:
    explicit StateWriter(const Model& model);

    /// Independent coordinates as [joint, component].
    OrderedJson coordinates() const;
    OrderedJson state(const Evaluation& evaluation) const;

private:
    OrderedJson coordinates(const std::vector<Coordinate>& those) const;
    OrderedJson by_coordinate(const std::vector<describe::IndependentPart>& parts,
                              const VectorX<double>& y) const;
    void put_dynamics(const Evaluation& evaluation, const std::vector<describe::IndependentPart>& parts,
                      OrderedJson& out) const;
    void put_forces(const ConstraintForces& forces, OrderedJson& out) const;
    OrderedJson undetermined(const Determinacy& determinacy) const;
    OrderedJson frames(const std::vector<FrameState>& frames) const;

    const Model& model_;
    std::vector<int> order_;
    std::vector<describe::IndependentPart> parts_;
};

}  // namespace grbda::tool
