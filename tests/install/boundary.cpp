#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <grbda/dynamics/aba.hpp>
#include <grbda/kinematics/configuration.hpp>
#include <grbda/dynamics/crba.hpp>
#include <grbda/constraints/embedding.hpp>
#include <grbda/dynamics/energy.hpp>
#include <grbda/kinematics/kinematics.hpp>
#include <grbda/dynamics/rnea.hpp>
#include <grbda/baselines/baselines.hpp>
#include <grbda/io/load.hpp>
#include <grbda/compile/build.hpp>

// Passes everything that can cross the boundary between a program and the library: vectors allocated on one
// side and freed on the other, fixed-size vectors by value, structs filled here and read there.
//   boundary write FILE MODEL     writes the numbers
//   boundary compare FILE MODEL   computes them again and compares
// Built with one -march for writing and another for comparing, it must find the same numbers.

namespace {

using namespace grbda;

// The same operations on both sides, but for contraction to fused multiply-add and the order of sums.
constexpr double rounding = 1e-9;

using Numbers = std::vector<double>;

template <class Derived>
void append(Numbers& numbers, const Eigen::MatrixBase<Derived>& matrix) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        for (Eigen::Index i = 0; i < matrix.rows(); ++i) numbers.push_back(static_cast<double>(matrix(i, j)));
}

Numbers dynamics(const Model& model, std::mt19937_64& generator) {
    Data data(model);
    baselines::Workspace work(model);
    VectorX<double> q = neutral_configuration(model);
    q = random_configuration(model, generator);
    const VectorX<double> yd = VectorX<double>::LinSpaced(model.nv, -1, 1);
    VectorX<double> tau = VectorX<double>::LinSpaced(model.nv, 3, -2);
    Numbers numbers;
    append(numbers, q);
    if (!aba(model, data, q, yd, tau)) return {};
    append(numbers, data.ydd);
    VectorX<double> ydd = std::move(data.ydd);   // allocated by the library, freed here
    data.ydd = VectorX<double>::Zero(model.nv);  // allocated here, freed by whom it may
    if (!rnea(model, data, q, yd, ydd)) return {};
    append(numbers, data.tau);
    if (!crba(model, data, q)) return {};
    append(numbers, data.M);
    if (!constraint_embedding(model, data, q, yd)) return {};
    append(numbers, data.G);
    append(numbers, data.g);
    if (!mechanical_state(model, data, q, yd)) return {};
    append(numbers, data.mechanics.com);
    append(numbers, data.mechanics.angular_momentum);
    if (!forward_kinematics(model, data, q, yd, ydd)) return {};
    const int frame = static_cast<int>(model.frames.size()) - 1;
    append(numbers, frame_position(model, data, frame));
    append(numbers, frame_orientation(model, data, frame));
    append(numbers, frame_velocity(model, data, frame, ReferenceFrame::local));
    append(numbers, frame_acceleration(model, data, frame, ReferenceFrame::world_aligned));
    const MatrixX<double> no_wrenches(6, 0);
    if (!baselines::forward_dynamics(baselines::Method::projection, model, work, q, yd, tau, no_wrenches))
        return {};
    append(numbers, work.ydd);
    work.H.resize(0, 0);
    baselines::Workspace moved = std::move(work);
    append(numbers, moved.M);
    return numbers;
}

RobotDescription pendulum() {
    RobotDescription robot;
    robot.name = "pendulum";
    robot.links.resize(2);
    robot.links[0].name = "base";
    robot.links[1].name = "bob";
    Inertial inertial;
    inertial.mass = 2;
    inertial.com = {0, 0.1, -0.5};
    inertial.inertia = Eigen::Vector3d(0.1, 0.1, 0.02).asDiagonal();
    robot.links[1].inertial = inertial;
    JointDescription joint;
    joint.name = "swing";
    joint.parent = "base";
    joint.child = "bob";
    joint.axis = {1, 1, 0};
    robot.joints.push_back(joint);
    return robot;
}

Numbers all_numbers(const std::string& path) {
    std::mt19937_64 generator(5);
    Numbers numbers = dynamics(load(path), generator);
    const Numbers own = dynamics(build_model(pendulum()), generator);
    if (numbers.empty() || own.empty()) return {};
    numbers.insert(numbers.end(), own.begin(), own.end());
    return numbers;
}

Numbers read(const std::string& path) {
    Numbers numbers;
    if (std::FILE* file = std::fopen(path.c_str(), "r")) {
        double number = 0;
        while (std::fscanf(file, "%lf", &number) == 1) numbers.push_back(number);
        std::fclose(file);
    }
    return numbers;
}

bool write(const std::string& path, const Numbers& numbers) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file) return false;
    for (const double number : numbers) std::fprintf(file, "%.17g\n", number);
    return std::fclose(file) == 0;
}

bool same(const Numbers& a, const Numbers& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= rounding * (std::abs(a[i]) + 1))) return false;
    return true;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 4) return 2;
    const std::string mode = argv[1];
    const Numbers numbers = all_numbers(argv[3]);
    if (numbers.empty()) return 1;
    if (mode == "write") return write(argv[2], numbers) ? 0 : 1;
    if (same(read(argv[2]), numbers)) return 0;
    std::fprintf(stderr, "the numbers differ from those in %s\n", argv[2]);
    return 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
