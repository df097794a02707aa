#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

// Results never overwrite an input, are written completely or not at all, and go to devices and pipes.

using cli::quoted;
using cli::Run;

namespace {

namespace fs = std::filesystem;

/// A separate folder, so that leftover files can be seen.
fs::path new_folder(const std::string& name) {
    const fs::path path = cli::folder() / name;
    fs::create_directories(path);
    return path;
}

std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

struct Command {
    std::string call;  ///< all but -o
    std::vector<std::string> inputs;
    std::string result;
};

/// The commands with an -o, on files in a folder.
std::vector<Command> commands(const fs::path& folder) {
    const std::string model = (folder / "robot.urdf").string(), states = (folder / "states.json").string();
    fs::copy_file(cli::robot("four_bar"), model, fs::copy_options::overwrite_existing);
    std::ofstream(states) << R"({"states": [{}, {"yd": {"joint1": 1}}]})";
    const std::string compute = "compute -q " + quoted(model) + " --states " + quoted(states);
    const std::string convert = "convert -q " + quoted(model);
    return {{compute, {model, states}, cli::run(compute).out}, {convert, {model}, cli::run(convert).out}};
}

}  // namespace

TEST_CASE("no command overwrites an input, by whatever name") {
    const fs::path folder = new_folder("inputs");
    for (const Command& command : commands(folder)) {
        for (const std::string& input : command.inputs) {
            const std::string text = cli::content(input);
            const fs::path soft = folder / "soft", hard = folder / "hard", twice = folder / "twice";
            for (const fs::path& old : {soft, hard, twice}) fs::remove(old);
            fs::create_symlink(input, soft);
            fs::create_symlink(soft, twice);
            fs::create_hard_link(input, hard);
            const std::string around = (folder / ".." / "inputs" / fs::path(input).filename()).string();
            for (const std::string& output : {input, soft.string(), hard.string(), twice.string(), around}) {
                INFO(command.call << " -o " << output);
                const Run run = cli::run(command.call + " -o " + quoted(output));
                CHECK(run.exit == 2);
                CHECK(run.err.find("is an input") != std::string::npos);
                CHECK(cli::content(input) == text);
            }
        }
    }
}

TEST_CASE("States come by standard input under either of its names, from a file or a pipe") {
    const std::string states = cli::written("piped.json", R"({"states": [{"q": {"shoulder": 0.3}}]})");
    const std::string tool = std::string("'") + GRBDA_TOOL + "' ",
                      robot = "'" + cli::robot("double_pendulum") + "'";
    const std::string compute = tool + "compute -q " + robot + " --states ";
    const cli::Run expected = cli::shell(compute + "'" + states + "'");
    REQUIRE(expected.exit == 0);
    for (const std::string name : {"-", "/dev/stdin"}) {
        CHECK(cli::shell(compute + name + " < '" + states + "'").out == expected.out);
        CHECK(cli::shell("cat '" + states + "' | " + compute + name).out == expected.out);
        CHECK(cli::shell("cat '" + states + "' | " + tool + "simulate -q " + robot +
                         " --duration 0.01 --start " + name)
                  .exit == 0);
    }
}

TEST_CASE("compute does not overwrite the states that come by standard input") {
    const fs::path folder = new_folder("stdin");
    commands(folder);
    const std::string states = (folder / "states.json").string(), before = cli::content(states);
    const Run run = cli::run("compute -q " + quoted((folder / "robot.urdf").string()) + " --states - -o " +
                             quoted(states) + " < " + quoted(states));
    CHECK(run.exit == 2);
    CHECK(run.err.find("is an input") != std::string::npos);
    CHECK(cli::content(states) == before);
}

TEST_CASE("an output replaces what was there, keeps its mode, and leaves nothing beside it") {
    const fs::path folder = new_folder("replace");
    for (const Command& command : commands(folder)) {
        const fs::path out = folder / "out", link = folder / "link";
        std::ofstream(out) << "old";
        fs::permissions(out, fs::perms(0640));
        fs::remove(link);
        fs::create_symlink("out", link);
        for (const fs::path& output : {out, link}) {
            const std::size_t before = entries(folder);
            CHECK(cli::run(command.call + " -o " + quoted(output.string())).exit == 0);
            CHECK(cli::content(out) == command.result);
            CHECK(fs::is_symlink(link));
            CHECK(fs::status(out).permissions() == fs::perms(0640));
            CHECK(entries(folder) == before);
        }
        const fs::path fresh = folder / "fresh";
        fs::remove(fresh);
        const Run run = cli::run(command.call + " -o " + quoted(fresh.string()), "umask 027;");
        CHECK(run.exit == 0);
        CHECK(fs::status(fresh).permissions() == fs::perms(0640));
    }
}

TEST_CASE("a full disk leaves the old output and nothing beside it") {
    const fs::path folder = new_folder("full");
    for (const Command& command : commands(folder)) {
        REQUIRE(command.result.size() > 1024);
        const fs::path out = folder / "out";
        std::ofstream(out) << "old";
        const std::size_t before = entries(folder);
        // no file above one block of 512 or 1024 bytes; the fixture's own files stay below
        const Run run = cli::run(command.call + " -o " + quoted(out.string()), "ulimit -f 1;");
        CHECK(run.exit == 1);
        CHECK(run.err.find("out: cannot be written: File too large") != std::string::npos);
        CHECK(cli::content(out) == "old");
        CHECK(entries(folder) == before);
        const Run full = cli::run(command.call + " -o /dev/full");
        CHECK(full.exit == 1);
        CHECK(full.err.find("/dev/full: cannot be written") != std::string::npos);
        CHECK(cli::run(command.call + " -o - >/dev/full").exit == 1);
    }
}

TEST_CASE("standard output, pipes and devices are written to as they are") {
    const fs::path folder = new_folder("devices");
    for (const Command& command : commands(folder)) {
        for (const char* output : {"-", "/dev/stdout", "/proc/self/fd/1"}) {
            INFO(output);
            const Run run = cli::run(command.call + " -o " + output);
            CHECK(run.exit == 0);
            CHECK(run.out == command.result);
        }
        CHECK(cli::run(command.call + " -o /dev/stderr").err == command.result);
        CHECK(cli::run(command.call + " -o /dev/null").exit == 0);
        CHECK(fs::is_character_file("/dev/null"));
        CHECK(fs::is_symlink("/dev/stdout"));

        const fs::path pipe = folder / "pipe";
        fs::remove(pipe);
        REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
        const std::string got = (folder / "got").string();
        const Run run = cli::run(command.call + " -o " + quoted(pipe.string()),
                                 "cat " + quoted(pipe.string()) + " > " + quoted(got) + " & ");
        CHECK(run.exit == 0);
        for (int wait = 0; wait < 500 && cli::content(got).size() < command.result.size(); ++wait)
            std::system("sleep 0.01");
        CHECK(cli::content(got) == command.result);
        CHECK(fs::is_fifo(pipe));
    }
}

TEST_CASE("an impossible output is an error that says why") {
    const fs::path folder = new_folder("cannot");
    for (const Command& command : commands(folder)) {
        fs::remove(folder / "loop");
        fs::create_symlink("loop", folder / "loop");
        const std::string missing = (folder / "no" / "such" / "file").string();
        const std::string loop = (folder / "loop").string();
        for (const std::string& output : {folder.string(), missing, loop, std::string(5000, 'x')}) {
            INFO(output);
            const Run run = cli::run(command.call + " -o " + quoted(output));
            CHECK(run.exit == 1);
            CHECK(run.err.find("cannot be written: ") != std::string::npos);
        }
    }
}

TEST_CASE("notes are counted in one line unless --notes shows them") {
    const std::string call = "simulate '" + cli::robot("digit_leg") + "' --duration 0.001 --summary";
    const Run counted = cli::run(call), whole = cli::run(call + " --notes"), quiet = cli::run(call + " -q");
    CHECK(counted.err.find(" notes (--notes shows them)\n") != std::string::npos);
    CHECK(counted.err.find("note: ") == std::string::npos);
    CHECK(whole.err.find("note: ") != std::string::npos);
    CHECK(whole.err.find("--notes") == std::string::npos);
    CHECK(quiet.err.empty());
}

#if !defined(GRBDA_SANITIZED)  // sanitizers need more address space than the limit leaves
TEST_CASE("if memory is too small for the mass matrices, the error says how large they are") {
    const fs::path folder = new_folder("memory");
    std::string bodies;
    for (int i = 0; i < 300; ++i) bodies += "<body><freejoint/><geom size=\"0.1\"/></body>";
    const std::string model =
        cli::written("many.xml", "<mujoco><worldbody>" + bodies + "</worldbody></mujoco>");
    const std::string states = cli::written("none.json", "{\"states\": [{}, {}]}");
    const std::string output = (folder / "out.json").string();
    const Run run =
        cli::run("compute --quiet " + quoted(model) + " --states " + quoted(states) + " -o " + quoted(output),
                 "ulimit -v 150000;");
    CHECK(run.exit == 1);
    CHECK(
        run.err.find("1800 degrees of freedom takes 0.0259 GB, and all of 2 states as JSON about 0.311 GB") !=
        std::string::npos);
    CHECK_FALSE(fs::exists(output));
}
#endif
