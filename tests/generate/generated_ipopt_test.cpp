#include <cmath>
#include <cstdio>
#include <sstream>
#include <vector>

#include "generate/generated_fixture.hpp"
#include "grbda/io/load.hpp"

// A solver of optimal control problems finds plans on generated steps.

using namespace generated_code;

namespace {

const std::filesystem::path& root() {
    static const std::filesystem::path path = std::filesystem::path(GRBDA_ROBOTS).parent_path();
    return path;
}

bool has_ipopt() {
    if (std::system("pkg-config --exists ipopt 2> /dev/null") == 0) return true;
    WARN("skipped: Ipopt is missing (scripts/install_dependencies.sh --solvers)");
    return false;
}

/// Output of a command.
std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    char part[256];
    while (std::fgets(part, sizeof part, pipe)) text += part;
    REQUIRE(pclose(pipe) == 0);
    return text;
}

/// The program of these sources with the robot's code.
std::string built(const std::string& name, const std::vector<std::filesystem::path>& sources,
                  const grbda::Model& model, const grbda::GenerateOptions& options) {
    const grbda::GeneratedCode code = grbda::generate(model, options);
    const std::filesystem::path place = folder() / name;
    std::filesystem::create_directories(place);
    std::ofstream(place / "robot.h") << code.header;
    std::ofstream(place / "robot.c") << code.source;
    std::string command = "cd '" + place.string() + "' && cc -O1 -Wall -Wextra -I. ";
    for (const std::filesystem::path& source : sources) command += "'" + source.string() + "' ";
    output_of(command + "robot.c -o " + name + " $(pkg-config --cflags --libs ipopt) -lm");
    return "'" + (place / name).string() + "' ";
}

struct Plan {
    int status = -1;
    double cost = 0;
    int iterations = 0;
    std::vector<double> numbers;  ///< that follow
};
Plan planned(const std::string& program, const std::string& hessian) {
    std::istringstream answer(output_of(program + hessian));
    Plan plan;
    answer >> plan.status >> plan.cost >> plan.iterations;
    REQUIRE(answer);
    for (double x = 0; answer >> x;) plan.numbers.push_back(x);
    return plan;
}

}  // namespace

TEST_CASE("Ipopt finds the swing-up of docs/mpc.md on generated steps") {
    if (!has_ipopt()) return;
    const grbda::Model crank = grbda::load((root() / "examples" / "mpc" / "four_bar.urdf").string());
    grbda::GenerateOptions options;
    options.step = grbda::Integrator::semi_implicit_euler;
    options.joint_forces = options.hessian = true;
    const std::filesystem::path examples = root() / "examples" / "solvers";
    const std::string program =
        built("swing_up",
              {examples / "swing_up.c", examples / "problem.c", examples / "plan.c", examples / "tracking.c"},
              grbda::with_gravity(crank, {0, -9.81, 0}), options);
    for (const char* hessian : {"", "limited-memory"}) {
        const std::string answer = output_of(program + hessian);
        INFO(hessian << ": " << answer);
        int status = -1, iterations = 0;
        double cost = 0;
        REQUIRE(std::sscanf(answer.c_str(), "plan: status %d, %d iterations, cost %lf", &status, &iterations,
                            &cost) == 3);
        CHECK(status == 0);
        CHECK(std::abs(cost - 159.0749) < 1e-4);
    }
}

TEST_CASE("Ipopt plans through a flat pose, with a reference on each side of it") {
    if (!has_ipopt()) return;
    const grbda::Model leg =
        grbda::load((root() / "robots" / "planar_leg_linkage" / "planar_leg_linkage.urdf").string());
    grbda::GenerateOptions options;
    options.step = grbda::Integrator::semi_implicit_euler;
    options.hessian = true;
    options.motors = false;
    const std::string program = built("knee", {root() / "tests" / "generate" / "knee.c"},
                                      grbda::with_gravity(leg, {0, -9.81, 0}), options);
    for (const char* hessian : {"exact", "limited-memory"}) {
        const Plan plan = planned(program, hessian);
        INFO(hessian);
        CHECK(plan.status == 0);
        CHECK(std::abs(plan.cost - 11.2106) < 1e-4);
        REQUIRE(plan.numbers.size() == 51);
        CHECK(plan.numbers.front() == Approx(0.9));
        CHECK(plan.numbers.back() == Approx(-0.9).margin(1e-3));
    }
}
