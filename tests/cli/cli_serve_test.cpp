#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"
#include "viewer/http_client.hpp"

// `grbda view --serve`: browsers read the numbers in the rows that a program writes.

using cli::quoted;
using cli::Run;

namespace {

std::string page() {
    return cli::written("live.html", "<meta content=\"default-src 'none'\"><script>/*ROBOT*/</script>");
}
std::string serving(const std::string& robot, const std::string& options = "--serve --rows -") {
    return quoted(GRBDA_TOOL) + " view -q " + quoted(cli::robot(robot)) + " --template " + quoted(page()) +
           " " + options;
}
/// A record of a robot: the header, and rows.
std::vector<std::string> record(const std::string& robot) {
    std::vector<std::string> lines;
    std::istringstream text(cli::run("simulate -q " + quoted(cli::robot(robot)) + " --duration 0.01").out);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}
std::vector<double> numbers_of(const std::string& row) {
    std::vector<double> numbers;
    std::istringstream text(row);
    for (std::string cell; std::getline(text, cell, ',');) numbers.push_back(std::stod(cell));
    return numbers;
}
Run with_rows(const std::string& rows) {
    return cli::shell("printf '" + rows + "' | " + serving("four_bar"));
}

}  // namespace

TEST_CASE("serve: browsers read the rows of a program, and its end") {
    const std::vector<std::string> lines = record("digit_leg");
    REQUIRE(lines.size() > 5);
    const std::string out = cli::written("address", "");
    std::FILE* const rows = ::popen((serving("digit_leg") + " > " + quoted(out)).c_str(), "w");
    REQUIRE(rows != nullptr);
    const auto write = [&](const std::string& line) {
        std::fputs((line + "\n").c_str(), rows);
        std::fflush(rows);
    };
    write(lines.front());
    std::string address;
    while (address.find('\n') == std::string::npos) address = cli::content(out);
    const http::Address page = http::parse(address.substr(0, address.find('\n')));
    CHECK(http::get(page).body.find("\"feed\":{\"values\":[\"time\",") != std::string::npos);
    CHECK(http::get({page.port, "/"}).status == 403);
    http::Events events(page);
    const auto first = static_cast<std::size_t>(
        std::count(lines[0].begin(), lines[0].begin() + static_cast<long>(lines[0].find(",qd:")), ','));
    for (std::size_t i = 1; i < 5; ++i) {
        write(lines[i]);
        const std::vector<double> expected = numbers_of(lines[i]),
                                  read = http::numbers(events.next().substr(5));
        REQUIRE(read.size() == expected.size() + 1);
        CHECK(
            std::equal(read.begin() + 1, read.begin() + 1 + static_cast<long>(first), expected.begin() + 1));
        CHECK(read[1 + first] == expected[0]);
        CHECK(std::equal(read.begin() + 2 + static_cast<long>(first), read.end(),
                         expected.begin() + 1 + static_cast<long>(first)));
    }
    CHECK(::pclose(rows) == 0);
    CHECK(events.next() == "event: end\ndata:");
}

TEST_CASE("serve: a signal ends it, with success") {
    for (const char* signal : {"INT", "TERM"}) {
        const Run run = cli::shell("timeout --preserve-status -s " + std::string(signal) + " 0.5 " +
                                   serving("four_bar", "--serve"));
        CHECK(run.exit == 0);
        CHECK(http::parse(run.out).path.size() == 35);
    }
}

TEST_CASE("serve: rows of another form are errors that name the line") {
    const std::string header = record("four_bar").front(), q = header.substr(header.find("q:"), 8);
    CHECK(with_rows("").exit == 0);
    for (const auto& [rows, message] :
         {std::pair<std::string, std::string>{"time,x\\n", "standard input:1: expected one column '" + q},
          {header + "," + header.substr(5) + "\\n", "found 2"},
          {header + ",q:joint77\\n", "no coordinate is called 'q:joint77'"},
          {"\\n" + header + "\\n1,2\\n", "standard input:3: expected "},
          {header + "\\n" + record("four_bar")[1] + "x\\n", "standard input:2: expected a finite number"}}) {
        const Run run = with_rows(rows);
        INFO(rows << run.err);
        CHECK(run.exit == 1);
        CHECK(run.err.find(message) != std::string::npos);
    }
}

TEST_CASE("serve: options") {
    const auto refused = [](const std::string& options, int exit, const std::string& message) {
        const Run run = cli::shell(serving("four_bar", options));
        INFO(options << run.err);
        CHECK(run.exit == exit);
        CHECK(run.err.find(message) != std::string::npos);
    };
    refused("--serve 65536", 2, "expected a port from 0 to 65535, found '65536'");
    refused("--serve -o a.html", 2, "--output");
    refused("--rows -", 2, "--serve");
    refused("--serve --rows /nowhere", 1, "/nowhere: cannot be read");
}
