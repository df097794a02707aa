#include "json_text.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <utility>

#include "grbda/io/file.hpp"

namespace grbda::describe {
namespace {

constexpr std::size_t deepest = 8;  ///< of nesting; the states file needs 5

/// Builds the value event by event, and tracks the path to it.
class Reader {
public:
    using number_integer_t = Json::number_integer_t;
    using number_unsigned_t = Json::number_unsigned_t;
    using number_float_t = Json::number_float_t;
    using string_t = Json::string_t;
    using binary_t = Json::binary_t;

    bool null() { return value(nullptr); }
    bool boolean(bool x) { return value(x); }
    bool number_integer(number_integer_t x) { return value(x); }
    bool number_unsigned(number_unsigned_t x) { return value(x); }
    bool number_float(number_float_t x, const string_t&) { return value(x); }
    bool string(string_t& x) { return value(x); }
    bool binary(binary_t&) { return stop("binary data"); }
    bool start_object(std::size_t) { return open(Json::object()); }
    bool start_array(std::size_t) { return open(Json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(string_t& name) {
        levels_.back().key = name;
        if (levels_.back().keys.insert(name).second) return true;
        return stop("the key is given twice");
    }
    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& error) {
        position_ = position;
        // a prefix [json.exception.…] does not help a user
        const std::string what = error.what();
        const auto from = what.find("] ");
        problem_ = from == std::string::npos ? what : what.substr(from + 2);
        if (error.id == not_finite) problem_ = "expected a finite number, found '" + token + "'";
        return false;
    }

    std::string path() const {
        std::string text;
        for (const Level& level : levels_) {
            if (!level.value.is_object() && !level.value.is_array()) continue;
            if (level.value.is_array())
                text += "[" + std::to_string(level.value.size()) + "]";
            else if (!level.key.empty())
                text += (text.empty() ? "" : ".") + level.key;
        }
        return text;
    }
    const std::string& problem() const { return problem_; }
    std::size_t position() const { return position_; }
    Json result() { return std::move(root_); }

private:
    static constexpr int not_finite = 406;  ///< the parser's number for an overflow
    struct Level {
        Json value;
        std::string key;
        std::set<std::string> keys;
    };

    bool stop(const std::string& problem) {
        problem_ = problem;
        return false;
    }
    bool open(Json&& empty) {
        if (levels_.size() == deepest) return stop("nested too deeply");
        levels_.push_back({std::move(empty), {}, {}});
        return true;
    }
    bool close() {
        Json done = std::move(levels_.back().value);
        levels_.pop_back();
        return value(std::move(done));
    }
    bool value(Json&& x) {
        if (levels_.empty())
            root_ = std::move(x);
        else if (levels_.back().value.is_array())
            levels_.back().value.push_back(std::move(x));
        else
            levels_.back().value[levels_.back().key] = std::move(x);
        return true;
    }

    std::vector<Level> levels_;
    Json root_;
    std::string problem_;
    std::size_t position_ = 0;
};

std::string line_and_column(const std::string& text, std::size_t position) {
    std::size_t line = 1, column = 0;
    for (std::size_t i = 0; i < std::min(position, text.size()); ++i) {
        ++column;
        if (text[i] == '\n') {
            ++line;
            column = 0;
        }
    }
    return ":" + std::to_string(line) + ":" + std::to_string(std::max<std::size_t>(column, 1));
}

std::string scalar(const OrderedJson& json) {
    return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

bool is_number_list(const OrderedJson& json) {
    if (!json.is_structured()) return true;
    if (!json.is_array()) return false;
    for (const OrderedJson& entry : json)
        if (entry.is_structured()) return false;
    return true;
}

/// True for a value that fits one line: a plain value, a list of plain values, or an object of such.
bool is_short(const OrderedJson& json) {
    if (!json.is_object()) return is_number_list(json);
    for (const OrderedJson& entry : json)
        if (!is_number_list(entry)) return false;
    return true;
}

/// Recursion is as deep as the tool's own output.
void write(const OrderedJson& json, int depth, std::string& out) {
    if (!json.is_structured() || json.empty()) {
        out += scalar(json);
        return;
    }
    const bool in_one_line = depth > 0 && is_short(json);
    const std::string indent(static_cast<std::size_t>(2 * depth + 2), ' ');
    out += json.is_object() ? "{" : "[";
    bool first = true;
    for (const auto& item : json.items()) {
        if (in_one_line)
            out += first ? "" : ", ";
        else
            out += (first ? "\n" : ",\n") + indent;
        first = false;
        if (json.is_object()) out += scalar(OrderedJson(item.key())) + ": ";
        write(item.value(), depth + 1, out);
    }
    if (!in_one_line) out += "\n" + indent.substr(2);
    out += json.is_object() ? "}" : "]";
}

std::string read_standard_input() {
    constexpr std::size_t piece = 65536;
    std::string text;
    while (std::cin && text.size() <= largest_states_file) {
        const std::size_t size = text.size();
        text.resize(size + piece);
        std::cin.read(text.data() + size, static_cast<std::streamsize>(piece));
        text.resize(size + static_cast<std::size_t>(std::cin.gcount()));
    }
    if (text.size() <= largest_states_file) return text;
    throw InputError("standard input: expected at most " + size_in_words(largest_states_file) +
                     ", found more");
}

}  // namespace

std::string read_text(const std::string& path) {
    if (path == "-" || path == "/dev/stdin") return read_standard_input();
    std::string found;
    std::optional<std::string> text = read_file(path, largest_states_file, found);
    if (text && text->empty()) found = "an empty one";
    if (text && !text->empty()) return std::move(*text);
    throw InputError(path + ": expected a readable file that is not empty, found " + found);
}

Json read_json(const std::string& text, const std::string& file) {
    Reader reader;
    if (Json::sax_parse(text, &reader)) return reader.result();
    const std::string place = reader.position() > 0 ? line_and_column(text, reader.position()) : "";
    const std::string path = reader.path();
    throw InputError(file + place + ": " + (path.empty() ? "" : path + ": ") + reader.problem());
}

std::string write_json(const OrderedJson& json) {
    std::string out;
    write(json, 0, out);
    return out + "\n";
}

OrderedJson to_json(const Diagnostics& diagnostics) {
    OrderedJson list = OrderedJson::array();
    for (const Diagnostic& entry : diagnostics)
        list.push_back({{"severity", to_string(entry.severity)},
                        {"code", to_string(entry.code)},
                        {"file", entry.where.file},
                        {"line", entry.where.line},
                        {"column", entry.where.column},
                        {"subject", {{"kind", entry.subject.kind}, {"name", entry.subject.name}}},
                        {"element", entry.subject.text},
                        {"expected", entry.expected},
                        {"found", entry.found},
                        {"hint", entry.hint},
                        {"text", to_string(entry)}});
    return list;
}

}  // namespace grbda::describe
