#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "grbda/diagnostics.hpp"
#include "number.hpp"
#include "xml_source.hpp"

// An XML file of any robot format, read strictly: every finding becomes a
// diagnostic with the line and column of its element. What is absent and what
// was refused with a diagnostic both come back as nothing, so that a reader
// goes on with its default and collects the other findings.

namespace grbda::xml {

enum class Range { finite, infinity_allowed };

template <class Value>
using Keywords = std::vector<std::pair<const char*, Value>>;

class Document {
public:
    /// Parses; a syntax error is reported and leaves no root.
    Document(const std::string& text, std::string file, Diagnostics& diagnostics);
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    /// The outermost element; empty after a syntax error.
    pugi::xml_node root() const { return root_; }

    SourceLocation where(pugi::xml_node element) const;
    /// "joint 'knee'", or "<mass> of link 'shank'" for an element without a name of its own.
    std::string describe(pugi::xml_node element) const;

    void report(Severity severity, pugi::xml_node element, std::string expected, std::string found,
                std::string hint = {});
    void error(pugi::xml_node element, std::string expected, std::string found, std::string hint = {}) {
        report(Severity::error, element, std::move(expected), std::move(found), std::move(hint));
    }

    /// Says that the element could have this attribute, for report_ignored(). Reading it says so too.
    void expect(pugi::xml_node element, const char* attribute);
    /// Marks an attribute as already reported: reading it gives nothing and says nothing.
    void refuse(pugi::xml_attribute attribute) { refused_.insert(attribute.name()); }

    std::optional<std::string> text(pugi::xml_node element, const char* attribute);
    /// Missing or empty is an error.
    std::optional<std::string> required_text(pugi::xml_node element, const char* attribute);
    std::optional<double> number(pugi::xml_node element, const char* attribute, Range range = Range::finite);
    std::optional<double> required_number(pugi::xml_node element, const char* attribute);
    /// Exactly `count` finite numbers.
    std::optional<std::vector<double>> numbers(pugi::xml_node element, const char* attribute,
                                               std::size_t count);
    /// One of a closed list of words; anything else is an error that names the list and the nearest word.
    template <class Value>
    std::optional<Value> keyword(pugi::xml_node element, const char* attribute,
                                 const Keywords<Value>& keywords);

    /// The child element of that name; a second one is a warning.
    pugi::xml_node child(pugi::xml_node element, const char* name);
    /// The same; none is an error.
    pugi::xml_node required_child(pugi::xml_node element, const char* name);

    /// Counts an element as ignored; one that seems to be a misspelling of a name in `known` is an error.
    void ignore(pugi::xml_node element, std::initializer_list<std::string_view> known = {});
    /// The same for the child elements of other names than these.
    void ignore_children_except(pugi::xml_node element, std::initializer_list<std::string_view> names);
    /// One note that lists all ignored elements, if there are any; and an error for each attribute that was
    /// not read and seems to be a misspelling of one that could be there.
    void report_ignored();

private:
    bool decode();
    void parse();
    void report_syntax(const pugi::xml_parse_result& result);
    void check_attributes_occur_once();
    void report_misspelt_attributes();
    void report_at(std::size_t offset, std::string expected, std::string found, std::string hint);
    /// The attribute's value as written, before references are replaced.
    std::string_view raw_value(pugi::xml_attribute attribute) const;
    void keyword_error(pugi::xml_node element, const char* attribute, const std::string& found,
                       const std::vector<std::string>& names);

    std::string file_;
    Diagnostics& diagnostics_;
    std::string source_;        ///< UTF-8
    std::vector<char> buffer_;  ///< the parser works in here; its names stay at their offsets in source_
    std::optional<Lines> lines_;
    pugi::xml_document document_;
    pugi::xml_node root_;
    std::set<const char*> refused_;
    std::set<std::string> attribute_names_;
    std::map<const void*, std::vector<const std::string*>> expected_;  ///< element → names of attributes
    std::vector<std::pair<std::string, int>> ignored_;  ///< name and count, in order of first occurrence
    std::map<std::string, std::size_t> ignored_index_;
    pugi::xml_node first_ignored_;
};

/// The element after `element` in document order within `top`; empty after the last.
pugi::xml_node next_element(pugi::xml_node element, pugi::xml_node top);

template <class Value>
std::optional<Value> Document::keyword(pugi::xml_node element, const char* attribute,
                                       const Keywords<Value>& keywords) {
    const std::optional<std::string> word = text(element, attribute);
    if (!word) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& [name, value] : keywords) {
        if (trim(*word) == name) return value;
        names.emplace_back(name);
    }
    keyword_error(element, attribute, *word, names);
    return std::nullopt;
}

}  // namespace grbda::xml
