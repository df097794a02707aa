#include "record.hpp"

#include <algorithm>

#include "describe/describe.hpp"

namespace grbda::tool {
namespace {

std::string component(const std::string& joint, int size, int k) {
    return size == 1 ? joint : joint + "[" + std::to_string(k) + "]";
}

}  // namespace

Record::Record(const Model& model) : columns_{"time"} {
    const std::vector<int> bodies = describe::bodies_in_user_order(model);
    const auto add = [&](const char* what, auto size_of) {
        for (const int i : bodies) {
            const int size = size_of(model.bodies[i].joint);
            for (int k = 0; k < size; ++k)
                columns_.push_back(what + component(model.names.joints[i], size, k));
        }
    };
    add("q:", [](JointType joint) { return position_size(joint); });
    add("qd:", [](JointType joint) { return velocity_size(joint); });
    for (const char* name :
         {"energy", "kinetic", "gravity", "elastic", "contacts", "normal_impulse", "overlap", "residual"})
        columns_.push_back(name);
}

std::vector<double> Record::row(Simulator& simulator, double residual) const {
    std::vector<double> row{simulator.time()};
    const VectorX<double>& q = simulator.q();
    row.insert(row.end(), q.data(), q.data() + q.size());
    const VectorX<double>& qd = simulator.velocity();
    row.insert(row.end(), qd.data(), qd.data() + qd.size());
    double impulse = 0, overlap = 0;
    int touching = 0;
    for (const ContactState& x : simulator.contacts()) {
        touching += x.impulse[2] > 0 ? 1 : 0;
        impulse += x.impulse[2];
        overlap = std::max(overlap, -x.gap);
    }
    const Energies energies = simulator.energies();
    for (const double x : {energies.sum(), energies.kinetic, energies.gravity, energies.elastic,
                           static_cast<double>(touching), impulse, overlap, residual})
        row.push_back(x);
    return row;
}

}  // namespace grbda::tool
