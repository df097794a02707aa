#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "grbda/description.hpp"
#include "grbda/diagnostics.hpp"
#include "grbda/mechanism.hpp"

// Result of reading a text, and checks of its findings.

namespace reading_test {

struct Reading {
    grbda::RobotDescription robot;
    grbda::Diagnostics diagnostics;

    int count(grbda::Severity severity) const {
        int found = 0;
        for (const grbda::Diagnostic& entry : diagnostics) found += entry.severity == severity ? 1 : 0;
        return found;
    }
    const grbda::LinkDescription& link(const std::string& name) const {
        return named("link", robot.links, name);
    }
    const grbda::JointDescription& joint(const std::string& name) const {
        return named("joint", robot.joints, name);
    }

private:
    template <class Entry>
    static const Entry& named(const char* kind, const std::vector<Entry>& entries, const std::string& name) {
        for (const Entry& entry : entries)
            if (entry.name == name) return entry;
        FAIL("no " << kind << " " << name);
        return entries.front();
    }
};

/// Every finding names its place, its element and what was expected.
inline void check_findings(const Reading& reading, const std::string& file) {
    for (const grbda::Diagnostic& entry : reading.diagnostics) {
        UNSCOPED_INFO(grbda::to_string(entry));
        CHECK(entry.where.file == file);
        CHECK(entry.where.line > 0);
        CHECK(entry.where.column > 0);
        CHECK_FALSE(entry.subject.kind.empty());
        CHECK_FALSE(entry.subject.text.empty());
        CHECK_FALSE(entry.expected.empty());
    }
}

using Reader = grbda::RobotDescription (*)(const std::string&, const std::string&, grbda::Diagnostics&);

inline Reading read_as(Reader reader, const std::string& text, const std::string& file) {
    Reading reading;
    reading.robot = reader(text, file, reading.diagnostics);
    check_findings(reading, file);
    return reading;
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Is there a finding of this severity in this line, about this element, with these words?
inline bool has(const Reading& reading, grbda::Severity severity, int line, const std::string& element,
                const std::string& words) {
    for (const grbda::Diagnostic& entry : reading.diagnostics) {
        const bool same_place = entry.severity == severity && entry.where.line == line;
        if (same_place && contains(entry.subject.text, element) && contains(to_string(entry), words))
            return true;
    }
    return false;
}

using Read = Reading (*)(const std::string& text);  // of one format

/// Reads a text that has one error and otherwise only notes, and checks that error.
template <Read read>
void check_error(const std::string& text, int line, const std::string& element, const std::string& words) {
    INFO(text);
    const Reading reading = read(text);
    CHECK(reading.count(grbda::Severity::error) == 1);
    CHECK(has(reading, grbda::Severity::error, line, element, words));
}

/// Reads a text that has one warning and otherwise only notes, and checks that warning.
template <Read read>
Reading check_warning(const std::string& text, int line, const std::string& element,
                      const std::string& words) {
    INFO(text);
    Reading reading = read(text);
    CHECK(reading.count(grbda::Severity::error) == 0);
    CHECK(reading.count(grbda::Severity::warning) == 1);
    CHECK(has(reading, grbda::Severity::warning, line, element, words));
    return reading;
}

/// Reads a text that must bring no error and no warning.
template <Read read>
Reading accept(const std::string& text) {
    INFO(text);
    Reading reading = read(text);
    CHECK(reading.count(grbda::Severity::error) == 0);
    CHECK(reading.count(grbda::Severity::warning) == 0);
    return reading;
}

/// Reads a text without an error of the reader, in which make_mechanism finds one of this code, or a warning.
template <Read read, grbda::Severity severity>
void check_later(grbda::Code code, const std::string& text, int line, const std::string& element,
                 const std::string& words) {
    INFO(text);
    Reading found = accept<read>(text);
    found.diagnostics.clear();
    found.robot.links.push_back(
        {"link_of_its_own", std::nullopt, {}});  // without links nothing else is looked at
    make_mechanism(found.robot, {}, found.diagnostics);
    std::erase_if(found.diagnostics,
                  [code](const grbda::Diagnostic& finding) { return finding.code != code; });
    CHECK(found.diagnostics.size() == 1);
    CHECK(has(found, severity, line, element, words));
}

template <Read read>
void check_later_error(grbda::Code code, const std::string& text, int line, const std::string& element,
                       const std::string& words) {
    check_later<read, grbda::Severity::error>(code, text, line, element, words);
}
template <Read read>
void check_later_warning(grbda::Code code, const std::string& text, int line, const std::string& element,
                         const std::string& words) {
    check_later<read, grbda::Severity::warning>(code, text, line, element, words);
}

}  // namespace reading_test
