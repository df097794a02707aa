#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "describe/describe.hpp"
#include "describe/json_text.hpp"
#include "record.hpp"

namespace grbda::tool {

using describe::InputError;

std::vector<std::string> csv_cells(const std::string& line) {
    std::vector<std::string> result(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            result.emplace_back();
        else if (c != '\r')
            result.back() += c;
    }
    return result;
}

double finite_number(const std::string& text, const std::string& where) {
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(x))
        throw InputError(where + ": expected a finite number, found '" + text + "'");
    return x;
}

RowReader::RowReader(const Model& model, const std::string& header, const std::string& where) {
    const std::vector<std::string> cells = csv_cells(header), all = Record(model).columns();
    const std::vector<std::string> wanted(all.begin() + 1, all.begin() + 1 + model.nq);
    for (const std::string& column : wanted) {
        const auto count = std::count(cells.begin(), cells.end(), column);
        if (count != 1)
            throw InputError(where + ": expected one column '" + column + "', found " +
                             (count == 0 ? "none" : std::to_string(count)));
    }
    for (const std::string& cell : cells) {
        const auto found = std::find(wanted.begin(), wanted.end(), cell);
        if (cell.rfind("q:", 0) == 0 && found == wanted.end())
            throw InputError(where + ": " +
                             describe::with_hint("no coordinate is called '" + cell + "'", cell, wanted));
        if (found == wanted.end()) names_.push_back(cell);
        place_.push_back(found != wanted.end() ? found - wanted.begin()
                                               : -static_cast<Eigen::Index>(names_.size()));
    }
    q.setZero(model.nq);
    values.setZero(static_cast<Eigen::Index>(names_.size()));
}

void RowReader::read(const std::string& line, const std::string& where) {
    const std::vector<std::string> cells = csv_cells(line);
    if (cells.size() != place_.size())
        throw InputError(where + ": expected " + std::to_string(place_.size()) + " values, found " +
                         std::to_string(cells.size()));
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const double x = finite_number(cells[k], where);
        if (place_[k] < 0)
            values[-1 - place_[k]] = x;
        else
            q[place_[k]] = x;
    }
}

}  // namespace grbda::tool
