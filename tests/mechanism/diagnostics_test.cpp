#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "grbda/diagnostics.hpp"

using namespace grbda;

namespace {

Diagnostic finding(Severity severity) {
    const SourceLocation where{"robot.urdf", 12, 5};
    return {severity,   Code::unknown_name,     where, Subject::of("joint", "knee"), "a known link",
            "'thigh_'", "did you mean 'thigh'?"};
}

/// Edit distance by the textbook recurrence over the whole table.
std::size_t full_edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            d[i][j] = std::min({replaced, d[i - 1][j] + 1, d[i][j - 1] + 1});
        }
    }
    return d[a.size()][b.size()];
}

}  // namespace

TEST_CASE("a diagnostic reads as place, severity, element, expectation, finding and hint") {
    CHECK(to_string(finding(Severity::error)) ==
          "robot.urdf:12:5: error: joint 'knee': expected a known link, found 'thigh_' "
          "(did you mean 'thigh'?)");
    CHECK(to_string(finding(Severity::note)) ==
          "robot.urdf:12:5: note: joint 'knee': a known link, 'thigh_' (did you mean 'thigh'?)");
}

TEST_CASE("a diagnostic omits unknown parts") {
    Diagnostic diagnostic = finding(Severity::warning);
    diagnostic.where = {};
    CHECK(to_string(diagnostic) ==
          "warning: joint 'knee': expected a known link, found 'thigh_' (did you mean 'thigh'?)");
    diagnostic.hint.clear();
    CHECK(to_string(diagnostic) == "warning: joint 'knee': expected a known link, found 'thigh_'");
    diagnostic.found.clear();
    CHECK(to_string(diagnostic) == "warning: joint 'knee': expected a known link");
    diagnostic.subject = {};
    CHECK(to_string(diagnostic) == "warning: expected a known link");
    diagnostic.where.file = "robot.urdf";
    CHECK(to_string(diagnostic) == "robot.urdf: warning: expected a known link");
    diagnostic.where.line = 3;
    CHECK(to_string(diagnostic) == "robot.urdf:3: warning: expected a known link");
    diagnostic.expected.clear();
    diagnostic.found = "nothing";
    CHECK(to_string(diagnostic) == "robot.urdf:3: warning: found nothing");
}

TEST_CASE("each code has a name of its own, in words joined by hyphens") {
    std::set<std::string> names;
    for (int code = 0; code < code_count; ++code) {
        const std::string name = to_string(static_cast<Code>(code));
        INFO(name);
        CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos);
        CHECK(name != "unknown");
        CHECK(names.insert(name).second);
    }
}

TEST_CASE("a subject has kind and name, and is called by both") {
    const Subject knee = Subject::of("joint", "knee");
    CHECK(knee.kind == "joint");
    CHECK(knee.name == "knee");
    CHECK(knee.text == "joint 'knee'");
}

TEST_CASE("only errors count as errors") {
    CHECK_FALSE(has_errors({}));
    CHECK_FALSE(has_errors({finding(Severity::note), finding(Severity::warning)}));
    CHECK(has_errors({finding(Severity::note), finding(Severity::error)}));
}

TEST_CASE("a load error lists every error and counts the warnings") {
    Diagnostic second = finding(Severity::error);
    second.subject = Subject::of("joint", "hip");
    const Diagnostics all{finding(Severity::error), finding(Severity::warning), finding(Severity::note),
                          second};
    const LoadError error(all);
    CHECK(error.what() == "the robot cannot be loaded: 2 errors, 1 warning\n  " + to_string(all[0]) + "\n  " +
                              to_string(second));
    CHECK(error.diagnostics().size() == all.size());
    CHECK(LoadError({second}).what() == "the robot cannot be loaded: 1 error\n  " + to_string(second));
}

TEST_CASE("a hint offers at most three names, the nearest first") {
    CHECK(nearest_name_hint("left_kne", {"right_hip", "left_knee", "torso"}) == "did you mean 'left_knee'?");
    CHECK(nearest_name_hint("knee_0", {"knee_12", "knee_1", "hip"}) == "did you mean 'knee_1' or 'knee_12'?");
    CHECK(nearest_name_hint("joint", {"joint1", "joint23", "joint4", "joint5", "joints"}) ==
          "did you mean 'joint1', 'joint4' or 'joint5'?");
    CHECK(nearest_name_hint("crank", {"slider_joint", "Crank_joint", "left_crank_joint"}) ==
          "did you mean 'Crank_joint' or 'left_crank_joint'?");
    CHECK(nearest_name_hint("cr", {"slider_joint", "long_crank_joint"}).empty());
    CHECK(nearest_name_hint("elbow", {"knee", "hip", ""}).empty());
    CHECK(nearest_name_hint("ab", {"xy"}).empty());
    CHECK(nearest_name_hint("", {"a", "b"}).empty());
    CHECK(nearest_name_hint("name", {}).empty());
}

TEST_CASE(
    "a hint appears exactly up to an edit distance of two or a third of the name, or for a part of it") {
    // All words over {a, b} up to length 6 against one another: every shape of the distance table.
    std::vector<std::string> words;
    for (std::size_t length = 1; length <= 6; ++length) {
        for (unsigned bits = 0; bits < (1u << length); ++bits) {
            std::string word;
            for (std::size_t i = 0; i < length; ++i) word += (bits >> i) & 1u ? 'b' : 'a';
            words.push_back(word);
        }
    }
    std::size_t wrong = 0;
    for (const std::string& a : words) {
        for (const std::string& b : words) {
            const std::size_t distance = full_edit_distance(a, b);
            const bool part = a.size() >= 3 && b.find(a) != std::string::npos;
            const bool near = part || (distance <= 2 && distance < std::max(a.size(), b.size()));
            if (nearest_name_hint(a, {b}).empty() == near) ++wrong;
        }
    }
    CHECK(wrong == 0);
    const std::string longer = "left_front_knee_joint";  // 21 letters: up to 7
    CHECK_FALSE(nearest_name_hint(longer, {"_front_knee_jo"}).empty());
    CHECK(nearest_name_hint(longer, {"_front_knee_j"}).empty());
}
