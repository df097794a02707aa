#include "box.hpp"

namespace mpc {

bool minimise_in_box(const Eigen::MatrixXd& H, const Eigen::VectorXd& g, const Eigen::VectorXd& lower,
                     const Eigen::VectorXd& upper, const Eigen::MatrixXd& R, Eigen::VectorXd& x,
                     Eigen::MatrixXd& gain) {
    constexpr int most = 50;
    constexpr double enough = 1e-12;  // relative, of the gradient
    const auto value = [&](const Eigen::VectorXd& at) { return at.dot(0.5 * (H * at) + g); };
    x = Eigen::VectorXd::Zero(g.size()).cwiseMax(lower).cwiseMin(upper);
    Eigen::MatrixXd free;  // H with the rows and columns of active limits replaced by those of the identity
    Eigen::LLT<Eigen::MatrixXd> factor;
    for (int iteration = 0; iteration < most; ++iteration) {
        Eigen::VectorXd gradient = g + H * x;
        free = H;
        gain = R;
        for (Eigen::Index i = 0; i < g.size(); ++i) {
            const bool touches =
                (x[i] <= lower[i] && gradient[i] > 0) || (x[i] >= upper[i] && gradient[i] < 0);
            if (!touches) continue;
            gradient[i] = 0;
            free.row(i).setZero();
            free.col(i).setZero();
            free(i, i) = 1;
            gain.row(i).setZero();
        }
        factor.compute(free);
        if (factor.info() != Eigen::Success) return false;
        if (gradient.norm() <= enough * (1 + g.norm())) break;
        const Eigen::VectorXd way = -factor.solve(gradient);
        const double before = value(x);
        Eigen::VectorXd next = x;
        double part = 1;
        do {
            next = (x + part * way).cwiseMax(lower).cwiseMin(upper);
            part /= 2;
        } while (part > 1e-8 && value(next) > before + 0.1 * gradient.dot(next - x));
        if ((next - x).norm() <= enough * (1 + x.norm())) break;
        x = next;
    }
    gain = -factor.solve(gain);
    return gain.allFinite() && x.allFinite();
}

}  // namespace mpc
