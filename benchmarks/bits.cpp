#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/constraint_forces.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/energy.hpp"
#include "grbda/dynamics/factor.hpp"
#include "grbda/dynamics/regressor.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/simulation/simulator.hpp"
#include "subject.hpp"

// Prints a hash of the bits of each algorithm's results for every robot and form: same_bits.sh compares those
// of two versions. The hashes of one version depend on the machine and the compiler.

namespace {

using namespace grbda;

/// FNV-1a of numbers, by their bytes.
class Hash {
public:
    void add(const double* x, Eigen::Index size) {
        for (Eigen::Index i = 0; i < size; ++i) {
            std::uint64_t bits;
            std::memcpy(&bits, x + i, sizeof bits);
            for (int byte = 0; byte < 8; ++byte) {
                value_ ^= (bits >> (8 * byte)) & 0xff;
                value_ *= 1099511628211u;
            }
        }
    }
    template <class Matrix>
    void add(const Matrix& x) {
        add(x.data(), x.size());
    }
    /// A status counts as a number.
    void add(const Result& result) {
        const double status = static_cast<double>(result.status);
        add(&status, 1);
    }
    void print(const std::string& robot, const char* algorithm) const {
        std::printf("%s %s %016llx\n", robot.c_str(), algorithm, static_cast<unsigned long long>(value_));
    }

private:
    std::uint64_t value_ = 14695981039346656037u;
};

void print_hashes(const std::string& name, const benchmarks::Subject& subject) {
    const Model& model = subject.model;
    Data data(model);
    const auto hash = [&](const char* algorithm, const auto& compute) {
        Hash sum;
        for (const benchmarks::State& state : subject.states) compute(state, sum);
        sum.print(name, algorithm);
    };
    using State = benchmarks::State;
    hash("aba", [&](const State& s, Hash& sum) {
        sum.add(aba(model, data, s.q, s.yd, s.tau));
        sum.add(data.ydd);
    });
    hash("rnea", [&](const State& s, Hash& sum) {
        sum.add(rnea(model, data, s.q, s.yd, s.ydd));
        sum.add(data.tau);
    });
    hash("crba", [&](const State& s, Hash& sum) {
        sum.add(crba(model, data, s.q));
        sum.add(data.M);
    });
    hash("aba_derivatives", [&](const State& s, Hash& sum) {
        sum.add(aba_derivatives(model, data, s.q, s.yd, s.tau));
        for (const MatrixX<double>* part : {&data.dydd_dy, &data.dydd_dyd, &data.M_inverse}) sum.add(*part);
    });
    hash("rnea_derivatives", [&](const State& s, Hash& sum) {
        sum.add(rnea_derivatives(model, data, s.q, s.yd, s.ydd));
        for (const MatrixX<double>* part : {&data.dtau_dy, &data.dtau_dyd, &data.M}) sum.add(*part);
    });
    hash("inverse_mass_times", [&](const State& s, Hash& sum) {
        VectorX<double> x = s.tau;
        sum.add(factor(model, data, s.q));
        sum.add(inverse_mass_times(model, data, s.tau, x));
        sum.add(x);
    });
    hash("embedding", [&](const State& s, Hash& sum) {
        sum.add(constraint_embedding(model, data, s.q, s.yd));
        sum.add(data.G);
        sum.add(data.g);
    });
    hash("close_loops", [&](const State& s, Hash& sum) {
        VectorX<double> q = s.guess;
        sum.add(close_loops(model, data, q));
        sum.add(q);
    });
    hash("integrate", [&](const State& s, Hash& sum) {
        VectorX<double> q = s.q;
        sum.add(integrate(model, data, s.q, 0.02 * s.yd, q));
        sum.add(q);
    });
    hash("momentum", [&](const State& s, Hash& sum) {
        sum.add(momentum_matrix(model, data, s.q));
        sum.add(data.A);
    });
    hash("simulation", [&](const State& s, Hash& sum) {
        if (&s - subject.states.data() >= 4) return;
        Simulator simulator(model);
        sum.add(simulator.set_state(s.q, VectorX<double>::Zero(model.nv_tree)));
        for (int step = 0; step < 25; ++step) sum.add(simulator.step({}).result);
        sum.add(simulator.q());
        sum.add(simulator.velocity());
    });
}

}  // namespace

int main() {
    for (const std::string& name : benchmarks::robot_names()) {
        print_hashes(name, benchmarks::robot(name));
        for (const Form form : all_forms) {
            LoadOptions options;
            options.form = form;
            options.rod_reduction = false;
            options.rotor_reduction = false;
            const benchmarks::Subject subject =
                benchmarks::make_subject(benchmarks::load_robot(name, options));
            print_hashes(name + "/" + to_string(form), subject);
        }
    }
}
