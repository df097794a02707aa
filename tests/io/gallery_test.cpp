#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/io/load.hpp"

// Broken files, and every message that they cause, word by word: tests/data/broken/README.md.

namespace {

namespace fs = std::filesystem;

constexpr int fewest_cases = 75;

/// Files of one folder with the same name but for the ending.
struct Case {
    fs::path folder;
    std::vector<std::string> files;
    fs::path expectation() const { return folder / (fs::path(files.front()).stem().string() + ".txt"); }
};

const fs::path gallery = GRBDA_BROKEN_FILES;

std::map<std::string, Case> cases() {
    std::map<std::string, Case> found;
    for (const auto& entry : fs::recursive_directory_iterator(gallery)) {
        const fs::path& path = entry.path();
        if (!entry.is_regular_file() || path.extension() == ".md" || path.extension() == ".txt") continue;
        const fs::path folder = path.parent_path();
        Case& one = found[(fs::relative(folder, gallery) / path.stem()).string()];
        one.folder = folder;
        one.files.push_back(path.filename().string());
    }
    for (auto& [name, one] : found) std::sort(one.files.begin(), one.files.end());
    return found;
}

std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// Run in the case's folder, so that messages name files without their folder.
std::string messages(const Case& one) {
    const fs::path before = fs::current_path();
    fs::current_path(one.folder);
    grbda::Diagnostics findings;
    std::string text;
    try {
        findings = grbda::load(one.files).diagnostics;
    } catch (const grbda::LoadError& error) {
        findings = error.diagnostics();
    }
    fs::current_path(before);
    for (const grbda::Diagnostic& finding : findings) {
        INFO(to_string(finding));
        CHECK_FALSE(finding.subject.kind.empty());
        CHECK_FALSE(finding.subject.text.empty());
        text += to_string(finding) + " [" + to_string(finding.code) + "]\n";
    }
    return text;
}

/// Behind each message, in brackets.
std::set<std::string> codes_in(const std::string& text) {
    std::set<std::string> codes;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t open = line.rfind('[');
        REQUIRE((open != std::string::npos && line.back() == ']'));
        codes.insert(line.substr(open + 1, line.size() - open - 2));
    }
    return codes;
}

bool updating() { return std::getenv("GRBDA_UPDATE_GALLERY") != nullptr; }

}  // namespace

TEST_CASE("the messages for broken files are as expected, word by word") {
    const auto all = cases();
    for (const auto& [name, one] : all) {
        INFO(name);
        const std::string found = messages(one);
        CHECK_FALSE(found.empty());
        if (updating()) std::ofstream(one.expectation(), std::ios::binary) << found;
        REQUIRE(fs::exists(one.expectation()));
        CHECK(found == text_of(one.expectation()));
    }
    CHECK(all.size() >= fewest_cases);
}

TEST_CASE("every message expected of broken files belongs to one") {
    const auto all = cases();
    for (const auto& entry : fs::recursive_directory_iterator(gallery)) {
        if (entry.path().extension() != ".txt") continue;
        const fs::path place = fs::relative(entry.path(), gallery);
        INFO(place);
        CHECK(all.count((place.parent_path() / place.stem()).string()) == 1);
    }
}

TEST_CASE("every error in a broken file names its place, its element and what was expected") {
    for (const auto& [name, one] : cases()) {
        std::istringstream lines(text_of(one.expectation()));
        for (std::string line; std::getline(lines, line);) {
            INFO(name << ": " << line);
            const bool named =
                std::any_of(one.files.begin(), one.files.end(), [&line](const std::string& file) {
                    return line.compare(0, file.size() + 1, file + ":") == 0;
                });
            CHECK(named);
            if (line.find(": error: ") != std::string::npos)
                CHECK(line.find(": expected ") != std::string::npos);
        }
    }
}

TEST_CASE("each code of a finding is that of some broken file") {
    std::set<std::string> shown{"unreadable"};  // no file that is there shows it: test_load does
    for (const auto& [name, one] : cases()) {
        INFO(name);
        shown.merge(codes_in(text_of(one.expectation())));
    }
    for (int code = 0; code < grbda::code_count; ++code) {
        const std::string name = to_string(static_cast<grbda::Code>(code));
        INFO(name);
        CHECK(shown.erase(name) == 1);
    }
    CHECK(shown.empty());
}
