#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"

// Strict reader of a YAML file: locations of all nodes, unique keys,
// no unknown keys ignored silently, bounded depth and size. Findings
// become diagnostics with line and column. As with XML, absent and
// refused content are both returned as nothing. Exported for its test.

namespace grbda::yaml {

enum class Kind { null, scalar, sequence, mapping };

struct Entry;

struct GRBDA_EXPORT Node {
    Kind kind = Kind::null;
    std::string scalar;
    bool quoted = false;         ///< a scalar in quotes is text, whatever its form
    std::string path;            ///< "cspace.joint_names[2]", for messages; empty for the root
    int line = 0, column = 0;    ///< from 1
    std::vector<Entry> entries;  ///< mapping, in file order
    std::vector<Node> items;     ///< sequence
    const Node* find(std::string_view key) const;  ///< nullptr: no such key, or not a mapping
};

struct Entry {
    std::string first;  ///< key
    Node second;        ///< value
};

class GRBDA_EXPORT Document {
public:
    /// Parses the text; after a syntax error, which is reported, the root is null.
    Document(const std::string& text, std::string file, Diagnostics& diagnostics);
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    /// Null after a syntax error, and for an empty file.
    const Node& root() const { return root_; }
    SourceLocation where(const Node& node) const;
    /// Adds a strict warning: content elsewhere in the file would change the motion, and is dropped.
    void report_left_out(const Node& node, std::string expected, std::string found, std::string hint);
    void report(Severity severity, Code code, const Node& node, std::string expected, std::string found,
                std::string hint = {});
    void error(Code code, const Node& node, std::string expected, std::string found, std::string hint = {});

    // Each reports the problem if the node is of another kind.
    std::optional<std::string> text(const Node& node);
    std::optional<double> number(const Node& node);  ///< finite; YAML 1.2 forms
    std::optional<std::vector<double>> numbers(const Node& node, std::size_t count);
    std::optional<std::vector<std::string>> texts(const Node& node);  ///< a sequence of scalars
    bool is_mapping(const Node& node);
    bool is_sequence(const Node& node);
    /// Returns the entry; a missing one is an error at the mapping.
    const Node* required(const Node& mapping, std::string_view key);

    /// Counts the other keys as ignored.
    void ignore_keys_except(const Node& mapping, const std::vector<std::string_view>& keys);
    /// Adds one note that lists all ignored keys, if there are any.
    void report_ignored();

private:
    std::string file_;
    Diagnostics& diagnostics_;
    Node root_;
    std::vector<std::pair<std::string, int>> ignored_;  ///< key and count, in order of first occurrence
    std::map<std::string, std::size_t> ignored_index_;
    const Node* first_ignored_ = nullptr;
};

}  // namespace grbda::yaml
