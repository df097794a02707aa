#include "grbda/io/height_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "grbda/io/file.hpp"
#include "io/text/number.hpp"

namespace grbda {
namespace {

struct Word {
    std::string_view text;  ///< empty: the end of the file
    int line = 1, column = 1;
};

/// Splits a text into words.
class Words {
public:
    explicit Words(std::string_view text) : text_(text) {}

    Word next() {
        while (place_ < text_.size() && is_space(text_[place_])) step();
        Word word{{}, line_, static_cast<int>(place_ - line_start_) + 1};
        const std::size_t first = place_;
        while (place_ < text_.size() && !is_space(text_[place_])) ++place_;
        word.text = text_.substr(first, place_ - first);
        return word;
    }

private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
    void step() {
        if (text_[place_++] != '\n') return;
        ++line_;
        line_start_ = place_;
    }

    std::string_view text_;
    std::size_t place_ = 0, line_start_ = 0;
    int line_ = 1;
};

std::string in_words(const Word& word) {
    constexpr std::size_t longest = 40;
    if (word.text.empty()) return "the end of the file";
    if (word.text.size() <= longest) return quoted(std::string(word.text));
    return quoted(std::string(word.text.substr(0, longest)) + "…");
}

std::string lower_case(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return result;
}

class HeightFieldReader {
public:
    HeightFieldReader(const std::string& text, const std::string& file, Diagnostics& diagnostics)
        : words_(text), size_(text.size()), file_(file), diagnostics_(diagnostics) {}

    HeightField read() {
        HeightField field;
        if (!read_header()) return field;
        field.columns = count_of(columns);
        field.rows = count_of(rows);
        field.spacing_x = field.spacing_y = number_of(cell_size, 1);
        if (!(field.spacing_x > 0)) error(Code::out_of_range, *header_[cell_size], "a cellsize above zero");
        field.origin.x = origin(x_corner, x_center, field.spacing_x);
        field.origin.y = origin(y_corner, y_center, field.spacing_y);
        if (!failed_) read_heights(field);
        return field;
    }

private:
    enum Key { columns, rows, x_corner, y_corner, x_center, y_center, cell_size, no_data, key_count };
    static inline const std::array<std::string, key_count> key_names = {
        "ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize", "NODATA_value"};

    struct Entry {
        double value = 0;
        Word word;  ///< of the value
    };

    void report(Code code, const Word& place, std::string element, std::string expected, std::string found,
                std::string hint = {}) {
        failed_ = true;
        diagnostics_.push_back({Severity::error,
                                code,
                                {file_, place.line, place.column},
                                {"file", file_, std::move(element)},
                                std::move(expected),
                                std::move(found),
                                std::move(hint)});
    }
    void error(Code code, const Entry& entry, std::string expected) {
        report(code, entry.word, "header", std::move(expected), in_words(entry.word));
    }

    /// Reads keys and values up to the first height; returns false if one of them is invalid.
    bool read_header() {
        for (word_ = words_.next(); !word_.text.empty() && !parse_number(word_.text); word_ = words_.next()) {
            const std::string name = lower_case(word_.text);
            const auto* const found = std::find_if(key_names.begin(), key_names.end(),
                                                   [&](const auto& key) { return lower_case(key) == name; });
            if (found == key_names.end()) return refuse_key();
            std::optional<Entry>& entry = header_[static_cast<std::size_t>(found - key_names.begin())];
            if (entry) report(Code::repeated, word_, "header", *found + " once", "it again");
            const Word value = words_.next();
            const std::optional<double> number = parse_number(value.text);
            if (!number || (std::isinf(*number) || (std::isnan(*number) && *found != key_names[no_data])))
                report(Code::bad_number, value, "header", "a finite number as " + *found, in_words(value));
            if (!number) return false;
            entry = {*number, value};
        }
        for (const Key key : {columns, rows, cell_size})
            if (!header_[key])
                report(Code::missing, word_, "header", key_names[key] + " before the heights", "none");
        return !failed_;
    }
    bool refuse_key() {
        report(
            Code::unknown_word, word_, "header",
            "a height, or one of ncols, nrows, xllcorner, yllcorner, xllcenter, yllcenter, cellsize, "
            "NODATA_value",
            in_words(word_),
            nearest_name_hint(std::string(word_.text.substr(0, 40)), {key_names.begin(), key_names.end()}));
        return false;
    }

    double number_of(Key key, double otherwise) const {
        return header_[key] ? header_[key]->value : otherwise;
    }

    int count_of(Key key) {
        const double count = header_[key]->value;

        if (count >= 2 && count == std::floor(count) && count < std::numeric_limits<int>::max())
            return static_cast<int>(count);
        error(Code::out_of_range, *header_[key], "a whole number of 2 or more as " + key_names[key]);
        return 0;
    }

    /// Coordinate of the first sample, from the corner of its cell or from its centre.
    double origin(Key corner, Key center, double spacing) {
        if (header_[corner] && header_[center])
            report(Code::conflict, header_[center]->word, "header",
                   key_names[corner] + " or " + key_names[center], "both");
        if (!header_[corner] && !header_[center])
            report(Code::missing, word_, "header",
                   key_names[corner] + " or " + key_names[center] + " before the heights", "none");
        return header_[center] ? header_[center]->value : number_of(corner, 0) + 0.5 * spacing;
    }

    void read_heights(HeightField& field) {
        const double count = static_cast<double>(field.columns) * field.rows;
        if (count > 0.5 * static_cast<double>(size_)) {
            report(Code::wrong_shape, header_[rows]->word, "header", "no more heights than the file can hold",
                   key_names[columns] + " · " + key_names[rows] + " of them");
            return;
        }
        const double unknown = number_of(no_data, -9999);
        field.heights.resize(at(field.columns) * at(field.rows));
        for (int row = field.rows - 1; row >= 0; --row)
            for (int column = 0; column < field.columns; ++column, word_ = words_.next()) {
                const std::optional<double> height = parse_number(word_.text);
                if (!height || std::isinf(*height)) {
                    refuse_height(field, field.rows - row, column + 1);
                    return;
                }
                field.heights[row * field.columns + column] =
                    *height == unknown ? std::numeric_limits<double>::quiet_NaN() : *height;
            }
        if (!word_.text.empty())
            report(Code::wrong_shape, word_, "heights", "the end of the file after " + shape(field),
                   in_words(word_));
    }
    void refuse_height(const HeightField& field, int row, int column) {
        const bool ended = word_.text.empty();
        report(ended ? Code::wrong_shape : Code::bad_number, word_,
               "row " + std::to_string(row) + ", column " + std::to_string(column),
               ended ? shape(field) : "a finite number as height", in_words(word_));
    }
    static std::string shape(const HeightField& field) {
        return std::to_string(field.rows) + " rows of " + std::to_string(field.columns) + " heights";
    }

    Words words_;
    Word word_;  ///< the next one to read
    std::size_t size_;
    const std::string& file_;
    Diagnostics& diagnostics_;
    std::array<std::optional<Entry>, key_count> header_;
    bool failed_ = false;
};

}  // namespace

HeightField read_height_field(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
    return HeightFieldReader(text, file, diagnostics).read();
}

HeightField load_height_field(const std::string& path) {
    Diagnostics diagnostics;
    std::string found;
    const std::optional<std::string> text = read_file(path, largest_height_field_file, found);
    if (!text)
        diagnostics.push_back({Severity::error,
                               Code::unreadable,
                               {path, 0, 0},
                               {"file", path, "file"},
                               "a readable file",
                               found,
                               "check the path and its permissions"});
    HeightField field = text ? read_height_field(*text, path, diagnostics) : HeightField{};
    if (has_errors(diagnostics)) throw LoadError(std::move(diagnostics));
    return field;
}

}  // namespace grbda
