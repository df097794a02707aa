#pragma once

#include <cstddef>
#include <deque>
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

// Strict reader of an XML file of any robot format: every finding becomes a
// diagnostic with the line and column of its element. Both absent content and content
// refused with a diagnostic are returned as nothing, so that a reader continues with
// its default and collects the other findings. Elements of other files can be
// inserted; they keep their source locations, and so do copies of elements.

namespace grbda::xml {

/// The name of a robot whose file does not name it.
inline constexpr const char* unnamed_robot = "robot";

/// "<joint>".
inline std::string tag(std::string_view element) { return "<" + std::string(element) + ">"; }

enum class Range { finite, infinity_allowed };

/// Limit on elements and attributes of a robot, with included
/// files and copies: each needs several hundred bytes.
inline constexpr std::size_t most_elements = 2'000'000;

/// The limit if copies are made: a few lines can produce any number.
inline constexpr std::size_t most_elements_with_copies = 500'000;

/// Limit for a file that is not large: memory of 4 times its size is acceptable there.
inline constexpr std::size_t small_file = 128 << 20, most_elements_of_small_file = 8'000'000;

template <class Value>
using Keywords = std::vector<std::pair<const char*, Value>>;

class Document {
public:
    /// Parses the text; after a syntax error, which is reported, there is no root.
    Document(std::string text, std::string file, Diagnostics& diagnostics);
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    /// The outermost element; empty after a syntax error.
    pugi::xml_node root() const { return root_; }

    /// Parses another file and puts its outermost element into
    /// `holder`; empty after an error, which is reported for that file.
    pugi::xml_node include(std::string text, std::string file, pugi::xml_node holder);
    /// Creates an element outside the root, for elements that are copied from there.
    pugi::xml_node make_holder() { return document_.append_child("holder"); }
    std::size_t file_count() const { return sources_.size(); }
    /// Reserves elements that will be made by copying others. Returns false after an error if they
    /// are too many. From then on, a finding about several copies of an element is reported once.
    bool make_room(std::size_t elements, pugi::xml_node reason);
    /// True if they were too many.
    bool is_full() const { return is_full_; }

    /// For a copy, the location of its original; for a new element, that of the enclosing one.
    SourceLocation where(pugi::xml_node element) const;
    /// Number of the file that contains it: 0 for the first, then in the order of inclusion.
    std::size_t file_of(pugi::xml_node element) const;
    /// The name of that file.
    const std::string& file_name(pugi::xml_node element) const { return sources_[file_of(element)].file; }
    /// "line 7", or "line 7 of arm.xml" if that is not the file of `from`.
    std::string line_of(pugi::xml_node element, pugi::xml_node from) const;
    /// "joint 'knee'"; an element without a name uses that of
    /// the enclosing one, in the text "<mass> of link 'shank'".
    Subject subject_of(pugi::xml_node element) const;

    /// Appearance never makes a robot invalid: errors about it are reported as
    /// warnings, as are errors about elements that are not needed, or inside one.
    void report(Severity severity, Code code, pugi::xml_node element, std::string expected, std::string found,
                std::string hint = {});
    void error(Code code, pugi::xml_node element, std::string expected, std::string found,
               std::string hint = {}) {
        report(Severity::error, code, element, std::move(expected), std::move(found), std::move(hint));
    }

    /// Declares that the motion does not depend on this element and its content.
    void mark_not_needed(pugi::xml_node element) { not_needed_.insert(element.internal_object()); }
    /// Number of errors that became warnings.
    int spared() const { return spared_; }

    /// Adds a strict warning: the content of the element would change the motion, and is dropped.
    void report_left_out(pugi::xml_node element, std::string expected, std::string found, std::string hint);

    /// Declares that the element could have this attribute, for report_ignored(). Reading it does so too.
    void expect(pugi::xml_node element, const char* attribute);
    /// Marks an attribute as already reported: reading it returns nothing, without a finding.
    void refuse(pugi::xml_attribute attribute) { refused_.insert(attribute.name()); }

    std::optional<std::string> text(pugi::xml_node element, const char* attribute);
    /// A missing or empty text is an error.
    std::optional<std::string> required_text(pugi::xml_node element, const char* attribute);
    std::optional<double> number(pugi::xml_node element, const char* attribute, Range range = Range::finite);
    std::optional<double> required_number(pugi::xml_node element, const char* attribute);
    /// Returns exactly `count` finite numbers.
    std::optional<std::vector<double>> numbers(pugi::xml_node element, const char* attribute,
                                               std::size_t count);
    /// Returns one of a closed list of words; any other is an error that names the list and the nearest word.
    template <class Value>
    std::optional<Value> keyword(pugi::xml_node element, const char* attribute,
                                 const Keywords<Value>& keywords);

    /// Returns the child element of that name; a second, different one is an error.
    pugi::xml_node child(pugi::xml_node element, const char* name);
    /// The same; a missing one is an error.
    pugi::xml_node required_child(pugi::xml_node element, const char* name);

    /// Counts an element as ignored; a probable misspelling of a name in `known` is an error.
    void ignore(pugi::xml_node element, std::initializer_list<std::string_view> known = {});
    /// The same for the child elements with other names.
    void ignore_children_except(pugi::xml_node element, std::initializer_list<std::string_view> names);
    /// Adds one note that lists all ignored elements, if there are any; and an error
    /// for each unread attribute that is a probable misspelling of an expected one.
    void report_ignored();

private:
    struct Source {
        std::string file;
        std::string bytes;            ///< UTF-8; for an included file after a mark for the parser
        std::string_view text;        ///< in `bytes`: the file's text
        std::vector<char> buffer;     ///< the parser works in it
        const char* begin = nullptr;  ///< the parser's text; its names stay at their offsets
        std::optional<Lines> lines;
    };

    bool decode(Source& source, std::size_t begin);
    bool count_elements(std::size_t elements, std::size_t most);
    bool parse(Source& source);
    bool parse_into(Source& source, pugi::xml_node holder);
    void report_syntax(const Source& source, const pugi::xml_parse_result& result, std::size_t place);
    void check_one_root(pugi::xml_node root);
    void check_attributes_occur_once(pugi::xml_node root);
    bool is_not_needed(pugi::xml_node element) const;
    /// The source that contains a text; nullptr if no file does.
    const Source* source_of(const char* text) const;
    void report_misspelt_attributes();
    void report_at(Code code, const Source& source, std::size_t offset, std::string expected,
                   std::string found, std::string hint);
    /// The attribute's value as written, before references are replaced.
    std::string_view raw_value(pugi::xml_attribute attribute) const;
    void keyword_error(pugi::xml_node element, const char* attribute, const std::string& found,
                       const std::vector<std::string>& names);

    Diagnostics& diagnostics_;
    std::deque<Source> sources_;
    std::map<const char*, std::size_t> begins_;  ///< of the texts → source
    std::size_t elements_ = 0;
    bool has_copies_ = false;
    bool is_full_ = false;
    std::set<const void*> not_needed_;
    int spared_ = 0;
    std::set<std::string> told_;  ///< findings on elements that may have copies
    pugi::xml_document document_;
    pugi::xml_node root_;
    std::set<const char*> refused_;
    std::set<std::string> attribute_names_;
    std::map<const void*, std::vector<const std::string*>> expected_;  ///< element → names of attributes
    std::vector<std::pair<std::string, int>> ignored_;  ///< name and count, in order of first occurrence
    std::map<std::string, std::size_t> ignored_index_;
    pugi::xml_node first_ignored_;
};

/// True if the element concerns only appearance or contact, and not motion: it
/// is a <visual>, <collision>, <shape>, <material> or <texture>, or inside one.
bool is_appearance(pugi::xml_node element);

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
