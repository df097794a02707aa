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

// A YAML file read strictly: places of all nodes, each key once, no unknown
// keys passed over, bounded depth and size. Findings become diagnostics with
// line and column. As with XML, what is absent and what was refused with a
// diagnostic both come back as nothing. Exported for the test of it.

namespace grbda::yaml {

enum class Kind { null, scalar, sequence, mapping };

struct Entry;

struct GRBDA_EXPORT Node {
    Kind kind = Kind::null;
    std::string scalar;
    bool quoted = false;         ///< a scalar in quotes is text, whatever it looks like
    std::string path;            ///< "cspace.joint_names[2]", what messages call it; empty for the root
    int line = 0, column = 0;    ///< from 1
    std::vector<Entry> entries;  ///< mapping, in file order
    std::vector<Node> items;     ///< sequence
    const Node* find(std::string_view key) const;  ///< nullptr: none, or not a mapping
};

struct Entry {
    std::string first;  ///< key
    Node second;        ///< value
};

class GRBDA_EXPORT Document {
public:
    /// Parses; a syntax error is reported and leaves a null root.
    Document(const std::string& text, std::string file, Diagnostics& diagnostics);
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    /// Null after a syntax error, and of a file with nothing in it.
    const Node& root() const { return root_; }
    SourceLocation where(const Node& node) const;
    /// A warning, marked strict: what the file says elsewhere would change the motion, and is left out.
    void report_left_out(const Node& node, std::string expected, std::string found, std::string hint);
    void report(Severity severity, Code code, const Node& node, std::string expected, std::string found,
                std::string hint = {});
    void error(Code code, const Node& node, std::string expected, std::string found, std::string hint = {});

    // Each says what is wrong with the node otherwise.
    std::optional<std::string> text(const Node& node);
    std::optional<double> number(const Node& node);  ///< finite; YAML 1.2 forms
    std::optional<std::vector<double>> numbers(const Node& node, std::size_t count);
    std::optional<std::vector<std::string>> texts(const Node& node);  ///< a sequence of scalars
    bool is_mapping(const Node& node);
    bool is_sequence(const Node& node);
    /// The entry; missing is an error at the mapping.
    const Node* required(const Node& mapping, std::string_view key);

    /// Counts the keys other than these as ignored.
    void ignore_keys_except(const Node& mapping, const std::vector<std::string_view>& keys);
    /// One note that lists all ignored keys, if there are any.
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
