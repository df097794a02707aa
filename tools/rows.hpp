#pragma once

#include <string>
#include <vector>

#include "grbda/model/data.hpp"

// Rows of a record as they come, one after the other.

namespace grbda::tool {

/// Cells of a line of comma-separated values; quotes may enclose one.
std::vector<std::string> csv_cells(const std::string& line);

/// A finite number; throws InputError with `where`.
double finite_number(const std::string& text, const std::string& where);

/// Configurations from lines of comma-separated values with a header, as `grbda simulate` writes them: a
/// column `q:JOINT` for each coordinate, or `q:JOINT[0]` and so on. Other columns are values with names.
class RowReader {
public:
    /// Throws InputError if a coordinate has no column; `where` is "file:line".
    RowReader(const Model& model, const std::string& header, const std::string& where);

    const std::vector<std::string>& value_names() const { return names_; }
    /// Reads a line into q and values. Throws InputError.
    void read(const std::string& line, const std::string& where);

    VectorX<double> q, values;

private:
    std::vector<std::string> names_;
    std::vector<Eigen::Index> place_;  ///< per column: in q, or −1 − its place in values
};

}  // namespace grbda::tool
