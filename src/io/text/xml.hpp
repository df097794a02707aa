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

// An XML file of any robot format, read strictly: every finding becomes a
// diagnostic with the line and column of its element. What is absent and what
// was refused with a diagnostic both come back as nothing, so that a reader
// goes on with its default and collects the other findings. Elements of other files can be put into it; they
// keep their places, and so do copies of elements.

namespace grbda::xml {

/// What a robot is called whose file does not name it.
inline constexpr const char* unnamed_robot = "robot";

/// "<joint>".
inline std::string tag(std::string_view element) { return "<" + std::string(element) + ">"; }

enum class Range { finite, infinity_allowed };

/// Elements and attributes that a robot may have, those of included files and copies too: several hundred
/// bytes are needed for each.
inline constexpr std::size_t most_elements = 2'000'000;

/// The same where copies are made of them: a few lines can ask for any number.
inline constexpr std::size_t most_elements_with_copies = 500'000;

/// A file that is not large may hold more: 4 times its size is not much then.
inline constexpr std::size_t small_file = 128 << 20, most_elements_of_small_file = 8'000'000;

template <class Value>
using Keywords = std::vector<std::pair<const char*, Value>>;

class Document {
public:
    /// Parses; a syntax error is reported and leaves no root.
    Document(std::string text, std::string file, Diagnostics& diagnostics);
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    /// The outermost element; empty after a syntax error.
    pugi::xml_node root() const { return root_; }

    /// Parses another file and puts its outermost element into `holder`; empty after an error, which is
    /// reported in that file.
    pugi::xml_node include(std::string text, std::string file, pugi::xml_node holder);
    /// An element outside of the root, for elements that are copied from there.
    pugi::xml_node make_holder() { return document_.append_child("holder"); }
    std::size_t file_count() const { return sources_.size(); }
    /// Says that elements will be made of others, by copying. False and an error if they are too many. From
    /// then on a finding about several copies of an element is told once.
    bool make_room(std::size_t elements, pugi::xml_node reason);
    /// Were they too many?
    bool is_full() const { return is_full_; }

    /// Of a copy, that of what it was copied from; of a made element, that of the one around it.
    SourceLocation where(pugi::xml_node element) const;
    /// Number of the file that it stands in: 0 for the first, then in the order in which they were included.
    std::size_t file_of(pugi::xml_node element) const;
    /// The name of that file.
    const std::string& file_name(pugi::xml_node element) const { return sources_[file_of(element)].file; }
    /// "line 7", or "line 7 of arm.xml" where that is not the file of `from`.
    std::string line_of(pugi::xml_node element, pugi::xml_node from) const;
    /// "joint 'knee'"; for an element without a name of its own that of the one around it, in the text
    /// "<mass> of link 'shank'".
    Subject subject_of(pugi::xml_node element) const;

    /// Appearance never refuses a robot: an error about it is reported as a warning, as is one about an
    /// element that is not needed, or below one.
    void report(Severity severity, Code code, pugi::xml_node element, std::string expected, std::string found,
                std::string hint = {});
    void error(Code code, pugi::xml_node element, std::string expected, std::string found,
               std::string hint = {}) {
        report(Severity::error, code, element, std::move(expected), std::move(found), std::move(hint));
    }

    /// Says that the motion does not depend on this element and what stands in it.
    void mark_not_needed(pugi::xml_node element) { not_needed_.insert(element.internal_object()); }
    /// Errors that became warnings so far.
    int spared() const { return spared_; }

    /// A warning, marked strict: what the element says would change the motion, and is left out.
    void report_left_out(pugi::xml_node element, std::string expected, std::string found, std::string hint);

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

    /// The child element of that name; a second one is an error unless it says the same.
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
    struct Source {
        std::string file;
        std::string bytes;            ///< UTF-8; an included file's behind a mark for the parser
        std::string_view text;        ///< in `bytes`: the file's
        std::vector<char> buffer;     ///< the parser works in here
        const char* begin = nullptr;  ///< where the parser has the text; its names stay at their offsets
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
    /// That of a text in it; nullptr for what no file holds.
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
    std::set<std::string> told_;  ///< what was reported of elements that may have copies
    pugi::xml_document document_;
    pugi::xml_node root_;
    std::set<const char*> refused_;
    std::set<std::string> attribute_names_;
    std::map<const void*, std::vector<const std::string*>> expected_;  ///< element → names of attributes
    std::vector<std::pair<std::string, int>> ignored_;  ///< name and count, in order of first occurrence
    std::map<std::string, std::size_t> ignored_index_;
    pugi::xml_node first_ignored_;
};

/// The element tells how the robot looks or what touches it, and nothing that moves it: it is a <visual>,
/// <collision>, <shape>, <material> or <texture>, or stands in one.
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
