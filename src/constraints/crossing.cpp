#include "crossing.hpp"

#include <algorithm>
#include <cmath>

#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "kernels/body/configuration.hpp"

namespace grbda {

Result close_behind(const Model& model, Workspace<double>& data, int cluster, const VectorX<double>& straight,
                    const VectorX<double>& yd, const VectorX<double>& qd, double h, VectorX<double>& closed) {
    constexpr double alike = 0.1;  // of the fastest joint: by how much positions and velocities may be off
    closed = straight;
    if (const Result result = close_loops<double>(model, data, closed); !result.ok()) return result;
    if (const Result result = spanning_velocity<double>(model, data, closed, yd); !result.ok()) return result;
    double largest = 0, missed = 0;
    for (const Body& body : model.bodies) {
        if (body.cluster != cluster || body.rotor) continue;
        double off[6];
        kernels::joint_difference(body.joint, straight.data() + body.q, closed.data() + body.q, off);
        for (int k = 0; k < velocity_size(body.joint); ++k) {
            const double scale = model.column_scale[body.dof + k];
            const double before = qd[body.v + k], after = data.qd[body.v + k];
            largest = std::max(largest, std::abs(before) / scale);
            missed = std::max({missed, std::abs(off[k]) / (h * scale), std::abs(after - before) / scale});
        }
    }
    return missed <= alike * largest ? Result{} : Result{Status::fold, cluster};
}

}  // namespace grbda
