// One call into each library of an installed grbda: a slider-crank let go, by all of them.
#include <cstdio>
#include <exception>
#include <random>

#include <grbda/dynamics/aba.hpp>
#include <grbda/kinematics/configuration.hpp>
#include <grbda/constraints/coordinates.hpp>
#include <grbda/derivatives/dynamics_derivatives.hpp>
#include <grbda/baselines/baselines.hpp>
#include <grbda/batch/batch_data.hpp>
#include <grbda/generate/generate.hpp>
#include <grbda/io/load.hpp>
#include <grbda/simulation/simulator.hpp>

int main() try {
    const grbda::Model model = grbda::load(ROBOT);
    std::mt19937_64 generator(1);
    const Eigen::VectorXd q = grbda::random_configuration(model, generator);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
    const auto same = [&](const char* component, const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
        const double gap = (a - b).norm() / (1 + b.norm());
        std::printf("%-11s %.2g\n", component, gap);
        return gap < 1e-9;
    };

    grbda::Data data(model);
    if (!grbda::aba(model, data, q, zero, zero)) return 1;
    const Eigen::VectorXd ydd = data.ydd;
    if (!(ydd.norm() > 0.1)) return 1;  // it does fall

    // linear in τ: what τ adds to ÿ is ∂ÿ/∂τ τ
    const Eigen::VectorXd tau = Eigen::VectorXd::Ones(model.nv);
    if (!grbda::aba_derivatives(model, data, q, zero, zero)) return 1;
    if (!grbda::aba(model, data, q, zero, tau) || !same("derivatives", data.M_inverse * tau, data.ydd - ydd))
        return 1;

    grbda::baselines::Workspace work(model);
    const grbda::MatrixX<double> no_wrenches(6, 0);
    if (!grbda::baselines::forward_dynamics(grbda::baselines::Method::dense_kkt, model, work, q, zero, zero,
                                            no_wrenches) ||
        !same("baselines", work.ydd, ydd))
        return 1;

    for (const grbda::Simd simd : {grbda::Simd::portable, grbda::widest_simd()}) {
        grbda::BatchData batch(model, 1, simd);
        Eigen::MatrixXd all(model.nv, 9);
        if (!grbda::aba(model, batch, q.replicate(1, 9), zero.replicate(1, 9), zero.replicate(1, 9), all) ||
            !same(grbda::to_string(simd), all.col(8), ydd))
            return 1;
    }

    grbda::SimulatorOptions options;
    options.step = 1e-7;  // short: what it gains over it is the acceleration
    options.passive = options.limits = false;
    grbda::Simulator simulator(model, options);
    if (!simulator.set_state(q, Eigen::VectorXd::Zero(model.nv_tree)) || !simulator.step().result) return 1;
    Eigen::VectorXd yd(model.nv);  // from rest
    grbda::independent_part(model, data, simulator.velocity(), yd);
    const double gap = (yd / options.step - ydd).norm() / (1 + ydd.norm());
    std::printf("simulation %.2g\n", gap);
    if (!(gap < 1e-4)) return 1;

    const grbda::GeneratedCode code = grbda::generate(model, {});
    std::printf("generate   %zu functions\n", code.functions.size());
    return code.source.find("robot_aba") != std::string::npos ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
