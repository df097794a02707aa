#include <catch2/catch.hpp>

#include <cmath>
#include <sstream>

#include "cli/cli_fixture.hpp"

// `grbda simulate`: its record, its summary, and its inputs.

using cli::Json;
using cli::Run;

namespace {

/// A ball of 2 kg that may fall, 1 m above where it begins to touch z = 0.
const char* const ball = R"(<robot name="ball"><link name="ground"/>
<link name="ball"><inertial><mass value="2"/><inertia ixx="0.008" iyy="0.008" izz="0.008" ixy="0" ixz="0" iyz="0"/>
</inertial><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="free" type="floating"><parent link="ground"/><child link="ball"/><origin xyz="0 0 1.1"/></joint></robot>)";

/// A pendulum of 1 kg at 1 m, about y.
const char* const pendulum = R"(<robot name="pendulum"><link name="base"/>
<link name="arm"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>)";

Run simulate(const std::string& file, const std::string& options) {
    return cli::run("simulate -q " + cli::quoted(file) + " " + options);
}

/// Columns by name.
std::map<std::string, std::vector<double>> table(const std::string& csv) {
    std::istringstream lines(csv);
    std::string line, name;
    std::getline(lines, line);
    std::vector<std::string> names;
    for (std::istringstream header(line); std::getline(header, name, ',');) names.push_back(name);
    std::map<std::string, std::vector<double>> columns;
    while (std::getline(lines, line)) {
        std::istringstream row(line);
        for (const std::string& column : names) {
            std::getline(row, name, ',');
            columns[column].push_back(std::stod(name));
        }
    }
    return columns;
}

}  // namespace

TEST_CASE("a mesh falls on the ground by its hull, unless that is turned off or its file is missing") {
    const auto robot = [](const std::string& mesh) {
        std::string text = ball;
        const std::string sphere = "<sphere radius=\"0.1\"/>";
        return text.replace(text.find(sphere), sphere.size(), "<mesh filename=\"" + mesh + "\"/>");
    };
    cli::written(
        "die.obj",
        "v -.1 -.1 -.1\nv .1 -.1 -.1\nv -.1 .1 -.1\nv .1 .1 -.1\nv -.1 -.1 .1\nv .1 -.1 .1\nv -.1 .1 .1\n"
        "v .1 .1 .1\nf 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    const std::string good = cli::written("die.urdf", robot("die.obj")),
                      bad = cli::written("gone.urdf", robot("gone.obj"));
    const auto height = [](const std::string& file, const std::string& more) {
        const Run run = simulate(file, "--duration 1 --ground 0 " + more);
        REQUIRE(run.exit == 0);
        return table(run.out).at("q:free[2]").back();
    };
    CHECK(height(good, "") == Approx(-1).margin(1e-4));
    CHECK(height(good, "--no-meshes") < -4);
    CHECK(height(bad, "") < -4);
    const std::string call = " --duration 0.01 --ground 0";
    CHECK(cli::run("simulate " + cli::quoted(good) + call).err.find("mesh") == std::string::npos);
    const std::string warning = cli::run("simulate " + cli::quoted(bad) + call).err;
    INFO(warning);
    CHECK(warning.find("mesh 'gone.obj' of link 'ball'") != std::string::npos);
    CHECK(warning.find("1 collision shape of the robot touches nothing: a mesh without a convex hull") !=
          std::string::npos);
}

TEST_CASE("a ball falls on the ground and lies there") {
    const std::string file = cli::written("ball.urdf", ball);
    const Run run = simulate(file, "--duration 1 --ground 0 --every 10");
    REQUIRE(run.exit == 0);
    const auto record = table(run.out);
    REQUIRE(record.at("time").size() == 101);
    CHECK(record.at("time").back() == Approx(1));
    CHECK(record.at("q:free[2]").front() == 0);
    CHECK(record.at("q:free[2]").back() == Approx(-1).margin(1e-4));
    CHECK(record.at("qd:free[2]")[40] == Approx(-9.81 * 0.4).margin(1e-6));
    CHECK(record.at("contacts").back() == 1);
    CHECK(record.at("normal_impulse").back() == Approx(2 * 9.81 * 1e-3).epsilon(1e-3));
    CHECK(record.at("energy").back() < record.at("energy").front() - 19);
    const Run summary = simulate(file, "--duration 1 --ground 0 --summary");
    REQUIRE(summary.exit == 0);
    const Json found = summary.json();
    CHECK(found.at("status") == "ok");
    CHECK(found.at("steps") == 1000);
    CHECK(found.at("most_contacts") == 1);
    CHECK(found.at("energy_end").get<double>() == Approx(record.at("energy").back()));
    CHECK(found.at("work").at("impulses").get<double>() == Approx(-2 * 9.81).epsilon(0.02));
    CHECK(found.at("work").at("controls") == 0);
    CHECK(found.at("largest_violation").get<double>() < 1e-4);
    CHECK(found.at("most_parts") == 1);
    const std::string out = (cli::folder() / "ball.json").string();
    REQUIRE(simulate(file, "--duration 0.01 --ground 0 -o " + cli::quoted(out)).exit == 0);
    const Json json = Json::parse(cli::content(out));
    CHECK(json.at("columns").size() == json.at("rows").at(0).size());
    CHECK(json.at("rows").size() == 11);
}

TEST_CASE("the record contains the end, whichever other rows it has") {
    const std::string file = cli::written("ball.urdf", ball);
    const auto record = table(simulate(file, "--duration 0.025 --every 10").out);
    REQUIRE(record.at("time").size() == 4);
    CHECK(record.at("time").back() == Approx(0.025));
}

namespace {

/// A long run that gets a signal once its record has begun to grow.
Run ended_by(const std::string& signal, const std::string& record) {
    const std::string file = cli::written("ball.urdf", ball);
    return cli::shell(std::string("'") + GRBDA_TOOL + "' simulate -q " + cli::quoted(file) +
                      " --duration 1000 --step 1e-5 --summary -o " + cli::quoted(record) +
                      " & until [ \"$(wc -c < " + cli::quoted(record) +
                      ")\" -gt 100000 ]; do sleep 0.02; done; kill -" + signal + " $!; wait $!");
}

}  // namespace

TEST_CASE("a run that is interrupted leaves a complete record and a summary") {
    for (const std::string name : {"ended.csv", "ended.json"}) {
        const std::string out = cli::written(name, "");
        const Run run = ended_by("TERM", out);
        CHECK(run.exit == 128 + 15);
        const Json summary = Json::parse(run.out);
        CHECK(summary.at("status") == "interrupted");
        const std::string text = cli::content(out);
        const double last = name == "ended.csv" ? table(text).at("time").back()
                                                : Json::parse(text).at("rows").back().at(0).get<double>();
        CHECK(last == Approx(summary.at("time").get<double>()));
        CHECK(last > 0);
    }
}

TEST_CASE("a run that is killed leaves complete rows, except for the one that it was writing") {
    for (const std::string name : {"killed.csv", "killed.json"}) {
        const std::string out = cli::written(name, "");
        (void)ended_by("KILL", out);
        const std::string text = cli::content(out);
        if (name == "killed.json")
            CHECK(Json::parse(text.substr(0, text.rfind("],") + 1) + "]}").at("rows").size() > 100);
        else
            CHECK(table(text.substr(0, text.rfind('\n') + 1)).at("time").size() > 100);
    }
}

TEST_CASE("a place that cannot be written to is refused before the run") {
    const std::string file = cli::written("ball.urdf", ball);
    const Run run = simulate(file, "--duration 1000 --step 1e-6 -o " +
                                       cli::quoted((cli::folder() / "no" / "such" / "folder.csv").string()));
    CHECK(run.exit == 1);
    CHECK(run.err.find("cannot be written") != std::string::npos);
}

TEST_CASE("a servo holds a joint against its weight, and follows its target") {
    const std::string file = cli::written("pendulum.urdf", pendulum);
    const std::string targets = cli::written("targets.csv", "time,target:hinge\n0,0\n0.5,1\n");
    const auto record = table(
        simulate(file, "--duration 3 --servo hinge=1e6,2e3 --every 100 --controls " + cli::quoted(targets))
            .out);
    CHECK(record.at("q:hinge").back() == Approx(1 - 9.81 * std::sin(1.) / 1e6).margin(1e-6));
    CHECK(std::abs(record.at("qd:hinge").back()) < 1e-6);
}

TEST_CASE("a force of the table turns the joint") {
    const std::string file = cli::written("pendulum.urdf", pendulum);
    const std::string forces = cli::written("forces.csv", "time,hinge\n0,9.81\n10,9.81\n");
    const auto record =
        table(simulate(file, "--duration 0.1 --integrator rk4 --controls " + cli::quoted(forces)).out);
    // θ̈ = (9.81 − 9.81 sin θ) / 1.01 from rest
    CHECK(record.at("qd:hinge")[10] == Approx(9.81 / 1.01 * 0.01).epsilon(1e-3));
}

TEST_CASE("moving ground lifts a ball, and turning ground lets it roll") {
    const std::string file = cli::written("ball.urdf", ball);
    const Run run = simulate(file, "--duration 2 --ground 1 --ground-motion 0,0,0.5 --summary");
    REQUIRE(run.exit == 0);
    // it takes on the speed in an impact, and is lifted by 1 m
    const Json work = run.json().at("work");
    CHECK(work.at("ground").get<double>() == Approx(2 * 0.5 * 0.5 + 2 * 9.81 * 1).epsilon(1e-3));
    CHECK(run.json().at("largest_overlap").get<double>() < 1e-3);
    const auto lifted =
        table(simulate(file, "--duration 2 --ground 1 --ground-motion 0,0,0.5 --every 2000").out);
    CHECK(lifted.at("q:free[2]").back() == Approx(1).margin(1e-3));
    const auto turned =
        table(simulate(file, "--duration 1 --ground 1 --ground-motion 0,0,0,0,0.2,0 --every 1000").out);
    CHECK(turned.at("q:free[0]").back() > 0.2);
}

TEST_CASE("a push acts on its link during its time") {
    const std::string file = cli::written("ball.urdf", ball);
    const Run run =
        simulate(file, "--duration 0.4 --push ball=4,0,0,0.1,0.3 --push ball=0,0,19.62 --every 100");
    REQUIRE(run.exit == 0);
    const auto record = table(run.out);
    const auto& speed = record.at("qd:free[0]");
    REQUIRE(speed.size() == 5);
    CHECK(speed[1] == Approx(0).margin(1e-12));
    CHECK(speed[2] == Approx(0.2));
    CHECK(speed[3] == Approx(0.4));
    CHECK(speed[4] == Approx(0.4));
    CHECK(record.at("qd:free[2]").back() == Approx(0).margin(1e-12));
}

TEST_CASE("dampers of the robot act unless they are disabled") {
    std::string damped = pendulum;
    damped.replace(damped.find("<axis"), 0, "<dynamics damping=\"0.5\"/>");
    const std::string file = cli::written("damped.urdf", damped);
    const std::string options =
        "--duration 0.5 --start " +
        cli::quoted(cli::written("bent.json", R"({"states": [{"q": {"hinge": 1}}]})")) + " --summary";
    const auto loss = [&](const std::string& more) {
        return simulate(file, options + more).json().at("simulations").at(0).at("work").at("passive");
    };
    CHECK(loss("").get<double>() < -0.1);
    CHECK(loss(" --no-passive") == 0);
}

TEST_CASE("a rule of fourth order keeps the energy of a linkage") {
    const Json found = cli::run("simulate -q " + cli::quoted(cli::robot("four_bar")) +
                                " --duration 2 --integrator rk4 --no-limits --summary")
                           .json();
    CHECK(found.at("status") == "ok");
    CHECK(found.at("energy_end").get<double>() ==
          Approx(found.at("energy_start").get<double>()).margin(1e-6));
    CHECK(found.at("largest_residual").get<double>() < 1e-12);
}

TEST_CASE("adaptive steps keep the energy of a linkage to their tolerance") {
    const Json found = cli::run("simulate -q " + cli::quoted(cli::robot("four_bar")) +
                                " --duration 2 --integrator adaptive --step 0.05 --tolerance 1e-10 "
                                "--no-limits --summary")
                           .json();
    CHECK(found.at("status") == "ok");
    CHECK(found.at("steps") == 40);
    CHECK(found.at("energy_end").get<double>() ==
          Approx(found.at("energy_start").get<double>()).margin(1e-9));
}

TEST_CASE("adaptive steps have rows within them, which agree with the ends of shorter steps") {
    const std::string file = cli::written("pendulum.urdf", pendulum);
    const std::string rule = "--duration 0.4 --integrator adaptive --no-limits --tolerance 1e-11 ";
    const auto within = table(simulate(file, rule + "--step 0.1 --every 0.25").out);
    const auto ends = table(simulate(file, rule + "--step 0.025").out);
    REQUIRE(within.at("time").size() == 17);
    REQUIRE(within.size() == ends.size());
    for (const auto& [column, values] : within) {
        INFO(column);
        REQUIRE(ends.at(column).size() == 17);
        for (std::size_t i = 0; i < values.size(); ++i)
            CHECK(values[i] == Approx(ends.at(column)[i]).margin(1e-7));
    }
    const auto uneven = table(simulate(file, rule + "--step 0.1 --every 1.5").out);
    const std::vector<double>& times = uneven.at("time");
    REQUIRE(times.size() == 4);
    CHECK(times[1] == Approx(0.15));
    CHECK(times[2] == Approx(0.3));
    CHECK(times[3] == Approx(0.4));
}

TEST_CASE("a duration that is no multiple of the step is reported") {
    const std::string file = cli::written("pendulum.urdf", pendulum);
    const Run run = cli::run("simulate " + cli::quoted(file) + " --duration 0.0105 --step 1e-3 --summary");
    CHECK(run.exit == 0);
    CHECK(run.err.find("the run ends at 0.011 s") != std::string::npos);
    CHECK(cli::run("simulate " + cli::quoted(file) + " --duration 0.3 --step 1e-3 --summary")
              .err.find("multiple") == std::string::npos);
}

TEST_CASE("impossible simulations are refused with a message") {
    const std::string file = cli::written("pendulum.urdf", pendulum);
    const auto refused = [&](const std::string& options, const std::string& word) {
        const Run run = simulate(file, options);
        INFO(run.err);
        CHECK((run.exit == 1 || run.exit == 2));
        CHECK(run.err.find(word) != std::string::npos);
    };
    refused("", "--duration");
    refused("--duration 0", "--duration");
    refused("--duration nan", "--duration");
    refused("--duration 1 --step nan", "--step");
    refused("--duration 0.1 --step 0.2", "longer than --duration");
    refused("--duration 1e6 --step 1e-9", "at most 1e9");
    refused("--duration 1 --integrator rk4 --tolerance 1e-9", "--integrator adaptive");
    refused("--duration 1 --integrator adaptive --ground 0", "contacts");
    refused("--duration 1 --every 0.5", "--integrator adaptive");
    refused("--duration 1 --every 0", "--every");
    refused("--duration 1 --push nothing=1,2,3", "nothing");
    refused("--duration 1 --push base=1,2,3", "fixed in the world");
    refused("--duration 1 --push arm=1,2", "LINK=FX,FY,FZ");
    refused("--duration 1 --push arm=1,2,3,2,1", "FROM,UNTIL");
    refused("--duration 1 --servo elbow=1", "elbow");
    refused("--duration 1 --servo hinge=-1", "not negative");
    refused("--duration 1 --integrator rk4 --ground 0", "contacts");
    refused("--duration 1 --ground 0 --terrain x.asc", "--terrain");
    refused("--duration 1 --ground-motion 1,0,0", "--ground or --terrain");
    refused("--duration 1 --ground 0 --ground-motion 1,0", "VX,VY,VZ");
    refused("--duration 1 --controls " + cli::quoted(cli::written("f.csv", "time,target:hinge\n0,1\n")),
            "--servo");
    refused("--duration 1 --controls " + cli::quoted(cli::written("g.csv", "time,hinge,hinge\n0,1,1\n")),
            "two");
    refused("--duration 1 --controls " + cli::quoted(cli::written("h.csv", "time,hinge[x]\n0,1\n")),
            "hinge[x]");
    refused("--duration 1 --controls " + cli::quoted(cli::written("a.csv", "time,elbow\n0,1\n")), "elbow");
    refused("--duration 1 --controls " + cli::quoted(cli::written("b.csv", "time,hinge\n0,x\n")), "b.csv:2");
    refused("--duration 1 --controls " + cli::quoted(cli::written("c.csv", "time,hinge\n0\n")), "2 values");
    refused("--duration 1 --controls " + cli::quoted(cli::written("d.csv", "time,hinge\n1,0\n1,0\n")),
            "after");
    refused("--duration 1 --controls " + cli::quoted(cli::written("e.csv", "\n")), "header");
}

TEST_CASE("a rule for smooth motion reports that it ignores limits") {
    const std::string bounded =
        std::string(pendulum).replace(std::string(pendulum).find("<axis"), 0,
                                      "<limit lower=\"-0.1\" upper=\"0.1\" effort=\"1\" velocity=\"1\"/>");
    std::string revolute = bounded;
    revolute.replace(revolute.find("continuous"), 10, "revolute");
    const std::string file = cli::written("bounded.urdf", revolute);
    const Run run = cli::run("simulate " + cli::quoted(file) + " --duration 0.01 --integrator rk4 --summary");
    CHECK(run.exit == 0);
    CHECK(run.err.find("keeps no limits of joints, as that of 'hinge'") != std::string::npos);
    CHECK(cli::run("simulate " + cli::quoted(file) + " --duration 0.01 --integrator rk4 --no-limits")
              .err.empty());
}

TEST_CASE("simulations start from the states of a file, alike with one thread and with two") {
    const std::string file = cli::written("pendulum.urdf", pendulum);
    const std::string states =
        cli::written("starts.json",
                     R"({"states": [{"q": {"hinge": 0.5}}, {"q": {"hinge": 0.1}, "qd": {"hinge": 2}}, {}]})");
    const std::string options = "--duration 0.2 --integrator rk4 --start " + cli::quoted(states);
    const Run one = simulate(file, options);
    REQUIRE(one.exit == 0);
    const auto record = table(one.out);
    REQUIRE(record.at("time").size() == 3 * 201);
    CHECK(record.at("simulation")[201] == 1);
    CHECK(record.at("q:hinge")[0] == 0.5);
    CHECK(record.at("q:hinge")[201] == 0.1);
    CHECK(record.at("qd:hinge")[201] == 2);
    CHECK(record.at("q:hinge")[402] == 0);
    for (std::size_t i = 0; i < 3 * 201; ++i) {
        CHECK(record.at("energy")[i] ==
              Approx(record.at("energy")[i / 201 * 201]).epsilon(1e-5).margin(1e-5));
        CHECK(record.at("energy")[i] ==
              Approx(record.at("kinetic")[i] + record.at("gravity")[i] + record.at("elastic")[i]));
    }
    CHECK(simulate(file, options + " --threads 2").out == one.out);
    const Json summary = simulate(file, options + " --summary --threads 2").json();
    CHECK(summary.at("status") == "ok");
    CHECK(summary.at("failures") == 0);
    REQUIRE(summary.at("simulations").size() == 3);
    CHECK(summary.at("simulations").at(1).at("time") == Approx(0.2));
    const std::string out = (cli::folder() / "motions.json").string();
    REQUIRE(simulate(file, options + " --every 100 -o " + cli::quoted(out)).exit == 0);
    const Json json = Json::parse(cli::content(out));
    CHECK(json.at("simulations").size() == 3);
    CHECK(json.at("simulations").at(2).size() == 3);
    const std::string forces = cli::written("forces.json", R"({"states": [{"tau": {"hinge": 1}}]})");
    const Run refused = simulate(file, "--duration 1 --start " + cli::quoted(forces));
    CHECK(refused.exit != 0);
    CHECK(refused.err.find("--controls") != std::string::npos);
    CHECK(simulate(file, "--duration 1 --start nowhere").exit != 0);
    CHECK(simulate(file, "--duration 1 --threads 0").exit != 0);
}
