#pragma once

#include <string>
#include <string_view>
#include <vector>

// Settings shared by the functions of a file.

namespace grbda::generated {

struct Dialect {
    std::string name;                   ///< prefix of all names
    std::string macro;                  ///< prefix of macros
    bool vectors = true;                ///< use vectors of GNU C; otherwise ISO C
    int states = 1;                     ///< side by side in the present function; several have no lanes
    double others = 0;                  ///< |gravity|², part of the size of the input
    std::vector<int> quaternions = {};  ///< their first indices in q
    bool columns = false;               ///< matrices are stored column by column; otherwise row by row

    std::string constant(const std::string& which) const { return macro + "_" + which; }
    /// Returns the type of `width` numbers, or of one number per state.
    std::string type(int width) const {
        return lanes(width) == 1 ? "double" : name + "_v" + std::to_string(lanes(width));
    }
    std::string mask_type(int width) const {
        return lanes(width) == 1 ? "int" : name + "_i" + std::to_string(lanes(width));
    }
    int lanes(int width) const { return states > 1 ? states : width; }
};

/// Returns the shortest text that reads back as the same number.
std::string number_text(double x);

/// Replaces @ and $ in `text` by the prefixes of functions and macros.
std::string filled(const Dialect& dialect, std::string_view text);

/// Encloses functions on this number of states. Clang halves vectors of eight numbers on machines with slow
/// 512-bit instructions; for states side by side, whole vectors are faster.
std::string with_whole_vectors(int states, const std::string& functions);

/// Writes types and the functions that those of a robot call; also for this number of states side by side, or
/// 1.
std::string support(const Dialect& dialect, int states);
/// Writes the functions that a Product calls.
std::string support_of_products(const Dialect& dialect);

}  // namespace grbda::generated
