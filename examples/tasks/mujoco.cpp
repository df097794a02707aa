#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include <mujoco/mujoco.h>

#include "floating_base.hpp"
#include "grbda/io/load.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "tasks.hpp"

// Loads a floating robot without loops from one file in both libraries. MuJoCo's inverse dynamics and mass
// matrix at converted states must equal ours.

namespace tasks {
namespace {

using Numbers = Eigen::Map<Vector>;
constexpr double tolerance = 1e-10;  // relative; rounding of two different algorithms

struct Mujoco {
    explicit Mujoco(const std::string& file) {
        char why[500] = "";
        model.reset(mj_loadXML(file.c_str(), nullptr, why, sizeof why));
        if (!model) throw std::runtime_error(why);
        data.reset(mj_makeData(model.get()));
    }

    std::unique_ptr<mjModel, void (*)(mjModel*)> model{nullptr, mj_deleteModel};
    std::unique_ptr<mjData, void (*)(mjData*)> data{nullptr, mj_deleteData};
};

/// MuJoCo's τ in grbda's conventions.
Vector mujoco_inverse_dynamics(Mujoco& mujoco, const Vector& q, const Vector& yd, const Vector& ydd) {
    const Position base = q.head<7>();
    const Velocity v = yd.head<6>();
    mjData& data = *mujoco.data;
    Numbers qpos(data.qpos, q.size()), qvel(data.qvel, yd.size()), qacc(data.qacc, yd.size());
    qpos = q;
    qvel = yd;
    qacc = ydd;
    qpos.head<7>() = w_first(base);
    qvel.head<6>() = to_world(base, v);
    qacc.head<6>() = acceleration_to_world(base, v, ydd.head<6>());
    mj_inverse(mujoco.model.get(), &data);
    Vector tau = Numbers(data.qfrc_inverse, yd.size());
    tau.head<6>() = to_body(base, tau.head<6>());
    return tau;
}

/// M in grbda's conventions, after mujoco_inverse_dynamics(): rows and columns of the base are rotated like
/// forces.
Matrix mujoco_mass_matrix(Mujoco& mujoco, const Position& base) {
    const int n = mujoco.model->nv;
    Matrix M(n, n);
    mj_fullM(mujoco.model.get(), M.data(), mujoco.data->qM);  // row by row, but symmetric
    for (int turn = 0; turn < 2; ++turn) {
        for (int column = 0; column < n; ++column)
            M.col(column).head<6>() = to_body(base, M.col(column).head<6>());
        M.transposeInPlace();
    }
    return M;
}

bool agree(const char* what, const Matrix& a, const Matrix& b) {
    const double off = (a - b).norm() / b.norm();
    std::printf("%-20s %8.1e of %.0e\n", what, off, tolerance);
    return off <= tolerance;  // false for NaN
}

}  // namespace
}  // namespace tasks

int main(int argc, char** argv) try {
    if (argc != 2) throw std::runtime_error("usage: grbda_tasks_mujoco FILE, an MJCF file without loops");
    const grbda::Model model = grbda::load(argv[1]);
    tasks::Data data(model);
    tasks::Mujoco mujoco(argv[1]);
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> uniform(-2, 2);
    bool good = model.nq == mujoco.model->nq && model.nv == mujoco.model->nv;
    for (int i = 0; good && i < 20; ++i) {
        const tasks::Vector q = grbda::random_configuration(model, generator);
        const auto random = [&] {
            return tasks::Vector::NullaryExpr(model.nv, [&] { return uniform(generator); }).eval();
        };
        const tasks::Vector yd = random(), ydd = random();
        good = tasks::agree("inverse dynamics", tasks::mujoco_inverse_dynamics(mujoco, q, yd, ydd),
                            tasks::inverse_dynamics(model, data, q, yd, ydd));
        good = tasks::agree("mass matrix", tasks::mujoco_mass_matrix(mujoco, q.head<7>()),
                            tasks::mass_matrix(model, data, q)) &&
               good;
    }
    return good ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
