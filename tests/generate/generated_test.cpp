#include <limits>
#include <memory>

#include "generate/generated_fixture.hpp"
#include "grbda/compile/build.hpp"
#include "constraints/closure.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/rnea.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Statuses, many states, closing, dialects of C, and refusals.

using namespace generated_code;
using namespace test_robots;
using Catch::Matchers::Contains;
using grbda::GeneratedAlgorithm;
using grbda::GenerateOptions;

namespace {

GenerateOptions only(std::vector<GeneratedAlgorithm> algorithms) {
    GenerateOptions options;
    options.algorithms = std::move(algorithms);
    return options;
}

std::vector<State> states_of(const Robot& robot, int count) {
    std::vector<State> states;
    at_random_states({&robot}, count, 7,
                     [&](const Robot&, const State& state, Random&) { states.push_back(state); });
    return states;
}

int library_status(const Robot& robot, const State& s, Vector& ydd) {
    grbda::Workspace<double> data(robot.model);
    const grbda::Result result = grbda::aba<double>(robot.model, data, s.q, s.yd, s.tau);
    ydd = data.ydd;
    return static_cast<int>(result.status);
}

/// Invalid states: a number in each argument that is not finite, one that is too large, an angle far away.
std::vector<State> spoilt(const State& good) {
    std::vector<State> states;
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e120, 1e7})
        for (Vector State::*argument : {&State::q, &State::yd, &State::tau}) {
            State state = good;
            (state.*argument)[(state.*argument).size() - 1] = bad;
            states.push_back(state);
        }
    return states;
}

}  // namespace

TEST_CASE("Generated functions report the library's status") {
    for (const char* name : {"four_bar", "slider_crank", "mini_cheetah", "tello", "double_pendulum"}) {
        const Robot& robot = named(name);
        const Compiled code(robot.model, only({GeneratedAlgorithm::aba}));
        std::vector<State> states = spoilt(states_of(robot, 1).at(0));
        State neutral = states_of(robot, 1).at(0);
        neutral.q = Eigen::Map<const Vector>(robot.model.neutral.data(), robot.model.nq);
        states.push_back(neutral);
        State stretched = neutral;  // many mechanisms are at a dead centre there
        stretched.q.tail(std::min<Eigen::Index>(3, robot.model.nq)).setZero();
        states.push_back(stretched);
        for (const grbda::Body& body : robot.model.bodies) {
            if (!grbda::has_quaternion(body.joint)) continue;
            states.push_back(neutral);
            states.back().q.segment(body.q + grbda::position_size(body.joint) - 4, 4).setZero();
        }
        for (const State& state : states) {
            INFO(name << ", q " << state.q.transpose());
            Vector expected, found(robot.model.nv);
            const int status = library_status(robot, state, expected);
            REQUIRE(code.call("aba", in(state.q), in(state.yd), in(state.tau), found.data()) == status);
            if (status != 0) CHECK(found.array().isNaN().all());
            if (status == 0) CHECK((found - expected).norm() <= 1e-7 * expected.norm());
        }
    }
}

TEST_CASE("A generated free body reports the library's status for a quaternion without direction") {
    grbda::LoadOptions options;
    options.floating_base = true;
    for (const double offset : {0., 0.1}) {
        grbda::LinkDescription link;
        link.name = "body";
        link.inertial = grbda::Inertial{2, {offset, 0, 0}, 0.1 * Eigen::Matrix3d::Identity()};
        grbda::RobotDescription description;
        description.links = {link};
        const Robot robot{"body", {}, {}, grbda::build_model(description, options)};
        GenerateOptions generated = only({GeneratedAlgorithm::aba});
        generated.batch = 4;
        const Compiled code(robot.model, generated);
        const Vector zero = Vector::Zero(6);
        const State state{Vector::Zero(7), zero, zero, zero, {}};
        Vector expected, found(6);
        const int status = library_status(robot, state, expected);
        CHECK(status != 0);
        CHECK(code.call("aba", in(state.q), in(state.yd), in(state.tau), found.data()) == status);
        int of_batch = 0;
        code.call<long>("aba_batch", 1L, in(state.q), in(state.yd), in(state.tau), found.data(), &of_batch);
        CHECK(of_batch == status);
        CHECK(found.array().isNaN().all());
    }
}

TEST_CASE("The self check of altered code fails, whichever number is NaN") {
    const Robot& robot = named("double_pendulum");
    GenerateOptions options = only({GeneratedAlgorithm::aba});
    REQUIRE(Compiled(robot.model, options).call("self_check") == 0);
    for (int i = 0; i < robot.model.nv; ++i) {
        const auto spoil = [i](std::string& source) {
            const std::size_t end = source.find("    return status;");
            REQUIRE(end != std::string::npos);
            source.insert(end, "    ydd[" + std::to_string(i) + "] = NAN;\n");
        };
        CHECK(Compiled(robot.model, options, c99, spoil).call("self_check") != 0);
    }
}

TEST_CASE("A generated four-bar is singular where the library's is") {
    const Robot& robot = named("four_bar");
    const Compiled code(robot.model, only({GeneratedAlgorithm::aba}));
    int singular = 0;
    State state = states_of(robot, 1).at(0);
    Random random(3);
    for (int i = 0; i < 4000; ++i) {  // open configurations count as well: the rows do not ask
        state.q = random_vector(random, robot.model.nq, 4e-4 * (i % 100));
        Vector expected, found(robot.model.nv);
        const int status = library_status(robot, state, expected);
        REQUIRE(code.call("aba", in(state.q), in(state.yd), in(state.tau), found.data()) == status);
        singular += status == static_cast<int>(grbda::Status::singular_constraint) ? 1 : 0;
    }
    CHECK(singular > 10);
    CHECK(singular < 4000);
}

TEST_CASE("Generated functions for many states agree with those for one") {
    for (const auto& [name, width] : {std::pair{"four_bar", 8}, {"tello", 4}, {"ur10e", 4}, {"ur10e", 8}}) {
        const Robot& robot = named(name);
        const int nq = robot.model.nq, nv = robot.model.nv;
        GenerateOptions options = only({GeneratedAlgorithm::aba, GeneratedAlgorithm::crba});
        options.batch = width;
        const Compiled code(robot.model, options);
        std::vector<State> states = states_of(robot, 12);
        for (const State& state : spoilt(states[0])) states.push_back(state);
        const auto n = static_cast<Eigen::Index>(states.size());
        for (const Eigen::Index count : {Eigen::Index{1}, Eigen::Index{8}, n}) {
            INFO(name << ", " << count << " states");
            Eigen::MatrixXd q(nq, count), yd(nv, count), tau(nv, count), ydd(nv, count), M(nv * nv, count);
            for (Eigen::Index i = 0; i < count; ++i) {
                q.col(i) = states[static_cast<std::size_t>(i)].q;
                yd.col(i) = states[static_cast<std::size_t>(i)].yd;
                tau.col(i) = states[static_cast<std::size_t>(i)].tau;
            }
            std::vector<int> status(static_cast<std::size_t>(count), -1);
            long failures = 0;
            const long told =
                code.call<long>("aba_batch", static_cast<long>(count), const_cast<const double*>(q.data()),
                                const_cast<const double*>(yd.data()), const_cast<const double*>(tau.data()),
                                ydd.data(), status.data());
            code.call<long>("crba_batch", static_cast<long>(count), const_cast<const double*>(q.data()),
                            M.data(), static_cast<int*>(nullptr));
            for (Eigen::Index i = 0; i < count; ++i) {
                const State& state = states[static_cast<std::size_t>(i)];
                Vector alone(nv), mass(nv * nv);
                const int expected = code.call("aba", in(state.q), in(state.yd), in(state.tau), alone.data());
                CHECK(status[static_cast<std::size_t>(i)] == expected);
                failures += expected != 0;
                INFO("state " << i << ": " << state.q.transpose() << ", " << alone.transpose() << " not "
                              << ydd.col(i).transpose());
                CHECK((expected != 0 ? ydd.col(i).array().isNaN().all()
                                     : (ydd.col(i) - alone).norm() <= 1e-5 * alone.norm()));
                if (code.call("crba", in(state.q), mass.data()) == 0)
                    CHECK((M.col(i) - mass).norm() <= 1e-12 * mass.norm());
                else
                    CHECK(M.col(i).array().isNaN().all());
            }
            CHECK(told == failures);
        }
    }
}

TEST_CASE("Equal limbs are computed side by side, with the same results") {
    for (const auto& [name, lanes] :
         {std::pair{"mini_cheetah", 4}, {"mit_humanoid", 4}, {"tello", 2}, {"ur10e", 1}}) {
        const Robot& robot = named(name);
        GenerateOptions options = only({GeneratedAlgorithm::aba});
        std::vector<std::unique_ptr<Compiled>> codes;
        for (const int most : {0, 1, 2, 4}) {
            options.lanes = most;
            codes.push_back(std::make_unique<Compiled>(robot.model, options));
        }
        INFO(name);
        CHECK(codes[0]->code.functions[0].lanes == lanes);
        CHECK(codes[1]->code.functions[0].lanes == 1);
        CHECK((lanes == 1 ||
               codes[0]->code.functions[0].operations < 0.6 * codes[1]->code.functions[0].operations));
        for (const State& s : states_of(robot, 5)) {
            Vector expected(robot.model.nv), found(robot.model.nv);
            REQUIRE(codes[1]->call("aba", in(s.q), in(s.yd), in(s.tau), expected.data()) == 0);
            for (const auto& code : codes) {
                REQUIRE(code->call("aba", in(s.q), in(s.yd), in(s.tau), found.data()) == 0);
                CHECK((found - expected).norm() <= 1e-10 * expected.norm());
            }
        }
    }
}

TEST_CASE("Inertias that are given are those of the body") {
    const auto with_load = [](const Robot& robot, const std::string& link, double mass,
                              const Eigen::Vector3d& com) {
        grbda::RobotDescription changed = robot.description;
        for (grbda::LinkDescription& each : changed.links)
            if (each.name == link) {
                Eigen::Matrix3d inertia;
                inertia << 0.04, 0.001, -0.002, 0.001, 0.05, 0.003, -0.002, 0.003, 0.06;
                each.inertial = grbda::Inertial{mass, com, inertia};
            }
        return grbda::build_model(changed, robot.options);
    };
    const double tensor[6] = {0.04, 0.05, 0.06, 0.001, -0.002, 0.003};
    for (const auto& [name, link] : {std::pair{"four_bar", "link2"}, {"ur10e", "forearm_link"}}) {
        const Robot& robot = named(name);
        GenerateOptions options =
            only({GeneratedAlgorithm::aba, GeneratedAlgorithm::rnea, GeneratedAlgorithm::crba});
        options.parameters = {link};
        const Compiled code(robot.model, options);
        CHECK(code.call("self_check") == 0);
        Vector parameters(11);
        const Eigen::Vector3d com(0.1, -0.05, 0.2);
        code.call<void>("set_inertia", parameters.data(), 0, 2.5, com.data(),
                        static_cast<const double*>(tensor));
        const Robot loaded{name, {}, {}, with_load(robot, link, 2.5, com)};
        for (const State& s : states_of(robot, 5)) {
            INFO(name);
            Vector expected, found(robot.model.nv);
            REQUIRE(library_status(loaded, s, expected) == 0);
            REQUIRE(code.call("aba", in(s.q), in(s.yd), in(s.tau), in(parameters), found.data()) == 0);
            CHECK((found - expected).norm() < 1e-10 * expected.norm());
            grbda::Workspace<double> data(loaded.model);
            must(grbda::rnea<double>(loaded.model, data, s.q, s.yd, s.ydd));
            REQUIRE(code.call("rnea", in(s.q), in(s.yd), in(s.ydd), in(parameters), found.data()) == 0);
            CHECK((found - data.tau).norm() < 1e-11 * (1 + data.tau.norm()));
        }
    }
}

TEST_CASE("Generated code is ISO C and C++, and compiles with Clang") {
    const GenerateOptions options =
        only({GeneratedAlgorithm::aba, GeneratedAlgorithm::crba, GeneratedAlgorithm::close});
    for (const char* name : {"four_bar", "tello"}) {
        const grbda::Model& model = named(name).model;
        CHECK(Compiled(model, options, "c++ -x c++ -O0").call("self_check") == 0);
        GenerateOptions iso = options;
        iso.iso = true;
        CHECK(Compiled(model, iso, "cc -x c -std=c99 -pedantic -O0").call("self_check") == 0);
        if (std::system("command -v clang > /dev/null") == 0)
            CHECK(
                Compiled(model, options, "clang -x c -std=gnu99 -O1 -ffp-contract=fast").call("self_check") ==
                0);
    }
}

TEST_CASE("Generated code has no warning when optimised") {
    GenerateOptions options = only({GeneratedAlgorithm::bias});
    options.wrenches = true;
    CHECK(Compiled(named("delta").model, options, "cc -x c -std=gnu99 -O2").call("self_check") == 0);
}

TEST_CASE("Clang keeps eight states in one register if the machine has it") {
    if (std::system("command -v clang > /dev/null") != 0) return;
    GenerateOptions options = only({GeneratedAlgorithm::aba});
    options.batch = 8;
    const std::string assembly = (folder() / "eight.s").string(),
                      compiler = "clang -x c -std=gnu99 -O2 -ffp-contract=fast -march=skylake-avx512 -S";
    const grbda::GeneratedCode code = grbda::generate(named("four_bar").model, options);
    std::ofstream(folder() / "robot.h") << code.header;
    std::ofstream(folder() / "robot.c") << code.source;
    const std::string whole = "cd '" + folder().string() + "' && " + compiler + " robot.c -o eight.s";
    REQUIRE(std::system(whole.c_str()) == 0);
    std::ifstream lines(assembly);
    int wide = 0, half = 0;
    for (std::string line; std::getline(lines, line);) {
        const bool multiplies =
            line.find("mulpd") != std::string::npos || line.find("fmadd") != std::string::npos;
        wide += multiplies && line.find("zmm") != std::string::npos;
        half += multiplies && line.find("ymm") != std::string::npos;
    }
    CHECK(wide > 4 * half);
}

TEST_CASE("Names of robots, links and joints do no harm in C") {
    const std::string odd = "a*/ int x; /*b\\ \xe2\x80\xae";
    grbda::RobotDescription robot = named("ur10e").description;
    robot.name = odd;
    for (grbda::LinkDescription& link : robot.links)
        if (link.name == "forearm_link") link.name = odd;
    for (grbda::JointDescription& joint : robot.joints)
        for (std::string* name : {&joint.parent, &joint.child})
            if (*name == "forearm_link") *name = odd;
    robot.self_collision = {};  // which knows the link by its name
    const grbda::Model model = grbda::build_model(robot, {});
    GenerateOptions options;
    options.algorithms.push_back(GeneratedAlgorithm::poses);
    options.name = "ICub";
    options.batch = 8;
    options.parameters = options.frames = {odd};
    CHECK(Compiled(model, options).call("self_check") == 0);
}

TEST_CASE("Generated code is the same each time, and differs for another model") {
    const grbda::Model& model = named("tello").model;
    const grbda::GeneratedCode once = grbda::generate(model, {}), again = grbda::generate(model, {});
    CHECK(once.header == again.header);
    CHECK(once.source == again.source);
    const grbda::Model moon = grbda::with_gravity(model, {0, 0, -1.62});
    CHECK(grbda::generate(moon, {}).source != once.source);
}

TEST_CASE("Code that cannot be generated is refused with the reason") {
    const grbda::Model& model = named("ur10e").model;
    const auto refused = [&](const GenerateOptions& options, const std::string& reason) {
        CHECK_THROWS_WITH(grbda::generate(model, options), Contains(reason));
    };
    GenerateOptions options;
    for (const char* name : {"", "7axis", "my-robot", "a b", "int x"}) {
        options.name = name;
        refused(options, "no identifier");
    }
    for (const char* name : {"math", "String", "features", "xmmintrin"}) {
        options.name = name;
        refused(options, "header of the system");
    }
    options = {};
    options.lanes = 3;
    refused(options, "expected 1, 2 or 4");
    options = {};
    options.algorithms.clear();
    refused(options, "no algorithm");
    refused(only({GeneratedAlgorithm::close}), "no loops");
    options = only({GeneratedAlgorithm::poses});
    options.frames = {"no_such_frame"};
    refused(options, "no_such_frame");
    options = {};
    options.iso = true;
    options.batch = 8;
    refused(options, "ISO C");
}
