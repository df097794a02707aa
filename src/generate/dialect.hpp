#pragma once

#include <string>
#include <string_view>
#include <vector>

// What the functions of a file share.

namespace grbda::generated {

struct Dialect {
    std::string name;                   ///< all names begin with it
    std::string macro;                  ///< and macros with this
    bool vectors = true;                ///< of GNU C; without them, ISO C
    int states = 1;                     ///< that what is written now does side by side; then it has no lanes
    double others = 0;                  ///< |gravity|², which counts among what is given
    std::vector<int> quaternions = {};  ///< where they begin in q

    std::string constant(const std::string& which) const { return macro + "_" + which; }
    /// Of `width` numbers, or of one for each state.
    std::string type(int width) const {
        return lanes(width) == 1 ? "double" : name + "_v" + std::to_string(lanes(width));
    }
    std::string mask_type(int width) const {
        return lanes(width) == 1 ? "int" : name + "_i" + std::to_string(lanes(width));
    }
    int lanes(int width) const { return states > 1 ? states : width; }
};

/// Shortest text that reads as the same number.
std::string number_text(double x);

/// `text` with the name of the functions and that of their macros in place of @ and $.
std::string filled(const Dialect& dialect, std::string_view text);

/// Functions on so many states. Clang halves vectors of eight numbers for machines on which it takes 512 bits
/// for slow; states side by side are faster whole.
std::string with_whole_vectors(int states, const std::string& functions);

/// Types, and functions that those of a robot call; of so many states side by side too, or 1.
std::string support(const Dialect& dialect, int states);
/// What a Product calls.
std::string support_of_products(const Dialect& dialect);

}  // namespace grbda::generated
