#include "yaml_builder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "yaml_source.hpp"

namespace grbda::yaml {

namespace {

// Far more than any robot's file has. Copies of anchored nodes
// count too, so that aliases cannot multiply without bound.
constexpr std::size_t most_levels = 64;
constexpr std::size_t most_nodes = 500'000;
constexpr std::size_t most_characters_in_copies = 10'000'000;

constexpr std::size_t longest_path = 200;
constexpr std::size_t longest_quote = 80;

/// Thrown through the parser after a finding that prevents further reading.
struct Refused {};

struct Size {
    std::size_t nodes = 1, characters = 0, levels = 1;
};

/// Size of a node and all below. most_levels bounds the recursion.
Size size_of(const Node& node) {
    Size size;
    size.characters = node.scalar.size();
    const auto add = [&](const Node& inner, std::size_t key) {
        const Size other = size_of(inner);
        size.nodes += other.nodes;
        size.characters += other.characters + key;
        size.levels = std::max(size.levels, other.levels + 1);
    };
    for (const Node& item : node.items) add(item, 0);
    for (const auto& [key, value] : node.entries) add(value, key.size());
    return size;
}

/// The end of a path that is too long for messages about each node below.
std::string shortened(const std::string& path) {
    return path.size() <= longest_path
               ? path
               : "..." + path.substr(start_of_character(path, path.size() - longest_path));
}

std::string path_of_entry(const Node& mapping, const std::string& key) {
    return shortened(mapping.path.empty() ? key : mapping.path + "." + key);
}

std::string path_of_item(const Node& sequence, std::size_t index) {
    return shortened(sequence.path + "[" + std::to_string(index) + "]");
}

/// Sets the paths in a copy, which still has those of its original. most_levels bounds the recursion.
void set_path(Node& node, std::string path) {
    node.path = std::move(path);
    for (std::size_t i = 0; i < node.items.size(); ++i) set_path(node.items[i], path_of_item(node, i));
    for (auto& [key, value] : node.entries) set_path(value, path_of_entry(node, key));
}

Place place_of(const Places& places, const YAML::Mark& mark) {
    return places.at(mark.pos, mark.line, mark.column);
}

/// A sequence or mapping whose end has not been read.
struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  ///< mapping: the key was read, the value comes next
    bool keep = false;     ///< mapping: the value belongs to the robot, since its key was not refused
    std::string key;
    Place key_place;
    std::map<std::string, int> lines;  ///< of the keys
};

/// Builds the tree from the parser's events.
class Builder : public YAML::EventHandler {
public:
    Builder(Findings& findings, const Places& places) : findings_(findings), places_(places) {}

    Node take_root() { return std::move(root_); }

    /// Start of the innermost list or mapping that is still open; nothing at the outermost level.
    std::optional<Place> open_since() const {
        if (open_.empty()) return std::nullopt;
        return Place{open_.back().node.line, open_.back().node.column};
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ == 1) return;
        root_ = {};
        refuse(Code::syntax, place_of(places_, mark), findings_.whole(), "one YAML document", "a second one",
               "put it into a file of its own, or take away the line '---'");
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        Node node = begin(mark, Kind::null, "");
        // For a missing value the parser reports the place of the next item.
        if (!open_.empty() && open_.back().has_key) set_place(node, open_.back().key_place);
        finish(std::move(node), anchor);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        Node node = begin(mark, Kind::scalar, tag);
        node.scalar = value;
        node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
        finish(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto named = anchors_.find(anchor);
        if (named == anchors_.end()) {
            refuse(Code::syntax, place_of(places_, mark), {"alias", "", "alias"},
                   "an alias after the end of what it stands for", "one inside of it", "");
        }
        const auto& [original, size] = named->second;
        charge(size, place_of(places_, mark));
        check_levels(open_.size() + size.levels, place_of(places_, mark));
        Node copy = original;
        set_path(copy, next_path());
        add(std::move(copy));
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(begin(mark, Kind::sequence, tag), anchor);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(begin(mark, Kind::mapping, tag), anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    [[noreturn]] void refuse(Code code, Place place, Subject subject, std::string expected, std::string found,
                             std::string hint) {
        findings_.error(code, place, std::move(subject), std::move(expected), std::move(found),
                        std::move(hint));
        throw Refused{};
    }

    static void set_place(Node& node, Place place) {
        node.line = place.line;
        node.column = place.column;
    }

    void check_levels(std::size_t levels, Place place) {
        if (levels <= most_levels) return;
        refuse(Code::too_large, place, findings_.whole(),
               "at most " + std::to_string(most_levels) + " levels of nesting", "more", "");
    }

    /// Counts copies, which the length of the file does not bound.
    void charge(const Size& size, Place place) {
        characters_in_copies_ += size.characters;
        count_nodes(size.nodes, place);
        if (characters_in_copies_ <= most_characters_in_copies) return;
        refuse(Code::too_large, place, findings_.whole(),
               "aliases for at most " + std::to_string(most_characters_in_copies) + " characters", "more",
               "write out what is needed, without anchors and aliases");
    }

    void count_nodes(std::size_t count, Place place) {
        nodes_ += count;
        if (nodes_ <= most_nodes) return;
        refuse(Code::too_large, place, findings_.whole(),
               "at most " + std::to_string(most_nodes) + " values, aliases written out", "more", "");
    }

    /// The path of the next finished node.
    std::string next_path() const {
        if (open_.empty()) return {};
        const Open& parent = open_.back();
        if (parent.node.kind == Kind::sequence) return path_of_item(parent.node, parent.node.items.size());
        return parent.has_key ? path_of_entry(parent.node, parent.key) : parent.node.path;
    }

    Node begin(const YAML::Mark& mark, Kind kind, const std::string& tag) {
        Node node;
        node.kind = kind;
        node.path = next_path();
        set_place(node, place_of(places_, mark));
        count_nodes(1, place_of(places_, mark));
        check_tag(node, tag);
        return node;
    }

    /// Tags of YAML's own types agree with the readers' checks; others could change a value's meaning.
    void check_tag(const Node& node, const std::string& tag) {
        constexpr std::array<const char*, 10> known = {"",
                                                       "?",
                                                       "!",
                                                       "tag:yaml.org,2002:str",
                                                       "tag:yaml.org,2002:int",
                                                       "tag:yaml.org,2002:float",
                                                       "tag:yaml.org,2002:bool",
                                                       "tag:yaml.org,2002:null",
                                                       "tag:yaml.org,2002:seq",
                                                       "tag:yaml.org,2002:map"};
        if (std::find(known.begin(), known.end(), tag) != known.end()) return;
        findings_.error(Code::unexpanded, {node.line, node.column}, subject_of(node, findings_.file),
                        "a value without a tag", quoted(tag),
                        "write the value that the tag stands for, in SI units and radians");
    }

    void open(Node node, YAML::anchor_t anchor) {
        check_levels(open_.size() + 1, {node.line, node.column});
        Open entry;
        entry.node = std::move(node);
        entry.anchor = anchor;
        open_.push_back(std::move(entry));
    }

    void close() {
        Node node = std::move(open_.back().node);
        const YAML::anchor_t anchor = open_.back().anchor;
        open_.pop_back();
        finish(std::move(node), anchor);
    }

    void finish(Node node, YAML::anchor_t anchor) {
        if (anchor != 0) {
            const Size size = size_of(node);
            charge(size, {node.line, node.column});
            anchors_[anchor] = {node, size};
        }
        add(std::move(node));
    }

    void add(Node node) {
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = open_.back();
        if (parent.node.kind == Kind::sequence) {
            parent.node.items.push_back(std::move(node));
        } else if (!parent.has_key) {
            add_key(parent, node);
        } else {
            parent.has_key = false;
            if (parent.keep) parent.node.entries.push_back({std::move(parent.key), std::move(node)});
        }
    }

    void add_key(Open& mapping, const Node& key) {
        mapping.has_key = true;
        mapping.key = key.scalar;
        mapping.key_place = {key.line, key.column};
        mapping.keep = key.kind == Kind::scalar && !(key.scalar == "<<" && !key.quoted);
        const auto error = [&](Code code, std::string expected, std::string found, std::string hint) {
            findings_.error(code, mapping.key_place, subject_of(mapping.node, findings_.file),
                            std::move(expected), std::move(found), std::move(hint));
        };
        if (key.kind != Kind::scalar) {
            error(Code::syntax, "a name as key", key.kind == Kind::null ? "none" : "a list or mapping as key",
                  "");
        } else if (!mapping.keep) {
            error(Code::syntax, "keys written out", "the merge key '<<'", "copy the keys to this place");
        } else {
            const auto [first, is_new] = mapping.lines.try_emplace(key.scalar, key.line);
            mapping.keep = is_new;
            if (is_new) return;
            error(Code::syntax, "each key once",
                  quoted(key.scalar) + " again, first in line " + std::to_string(first->second), "");
        }
    }

    Findings& findings_;
    const Places& places_;
    Node root_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, std::pair<Node, Size>> anchors_;
    std::size_t nodes_ = 0;
    std::size_t characters_in_copies_ = 0;
    int documents_ = 0;
};

/// A probable cause of a syntax error.
std::string syntax_hint(const std::string& source, const YAML::Exception& exception, Place place,
                        std::optional<Place> open_since) {
    if (is_indented_by_tab(source, place.line)) return "indent with spaces, not tabs";
    const bool bracket = exception.msg.find("flow not found") != std::string::npos;
    if (!bracket || !open_since) return {};
    return "is the bracket in line " + std::to_string(open_since->line) + ", column " +
           std::to_string(open_since->column) + " closed?";
}

}  // namespace

std::string quoted(const std::string& text) {
    if (text.size() <= longest_quote) return "'" + text + "'";
    return "'" + text.substr(0, start_of_character(text, longest_quote)) + "...'";
}

Subject subject_of(const Node& node, const std::string& file) {
    return node.path.empty() ? Subject{"file", file, "file"} : Subject::of("key", node.path);
}

Node parse(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
    Findings findings{file, diagnostics};
    const std::optional<std::string> decoded = decode(text, findings);
    if (!decoded) return {};
    const std::string& source = *decoded;
    const Places places(source);
    Builder builder(findings, places);
    try {
        std::istringstream stream(source);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) continue;
    } catch (const Refused&) {
        return {};
    } catch (const YAML::Exception& exception) {
        const Place place = place_of(places, exception.mark);
        findings.error(Code::syntax, place, findings.whole(), "well-formed YAML", exception.msg,
                       syntax_hint(source, exception, place, builder.open_since()));
        return {};
    }
    return builder.take_root();
}

}  // namespace grbda::yaml
