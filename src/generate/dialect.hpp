#pragma once

#include <string>

// What the functions of a file share.

namespace grbda::generated {

struct Dialect {
    std::string name;     ///< all names begin with it
    std::string macro;    ///< and macros with this
    bool vectors = true;  ///< of GNU C; without them, ISO C
    bool batch = false;   ///< what is written now does eight states side by side
    double others = 0;    ///< |gravity|², which counts among what is given

    std::string constant(const std::string& which) const { return macro + "_" + which; }
    /// Of `width` numbers, or of eight states.
    std::string type(int width) const {
        return lanes(width) == 1 ? "double" : name + "_v" + std::to_string(lanes(width));
    }
    std::string mask_type(int width) const {
        return lanes(width) == 1 ? "int" : name + "_i" + std::to_string(lanes(width));
    }
    int lanes(int width) const { return batch ? batch_width : width; }

    static constexpr int batch_width = 8;
};

/// Shortest text that reads as the same number.
std::string number_text(double x);

/// Types, and functions that those of a robot call; of eight states too.
std::string support(const Dialect& dialect, bool batch);

}  // namespace grbda::generated
