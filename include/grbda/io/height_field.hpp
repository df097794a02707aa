#pragma once

#include <cstddef>
#include <string>

#include "grbda/collision/height_field.hpp"
#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// The largest file of heights that is read, in bytes.
inline constexpr std::size_t largest_height_field_file = std::size_t{512} << 20;

/// Reads an ASCII grid of Esri (.asc) from `text`. `file` is the name that diagnostics show. Findings are
/// appended; the field is meaningful only if none is an error.
///   ncols, nrows            samples along x and along y, two or more
///   xllcorner, yllcorner    where the area around the first sample of the last row begins
///   xllcenter, yllcenter    or that sample itself
///   cellsize                spacing; samples are that far apart along x and along y
///   NODATA_value            what stands for an unknown height, as NaN does; −9999 if it is not said
///   then the heights, row by row, from the largest y to the smallest
/// Lengths in m. In the field, rows go from the smallest y to the largest.
/// cost    8 bytes for each height
GRBDA_EXPORT HeightField read_height_field(const std::string& text, const std::string& file,
                                           Diagnostics& diagnostics);

/// The same from a file.
/// errors  LoadError with every finding, also if the file cannot be read
GRBDA_EXPORT HeightField load_height_field(const std::string& path);

}  // namespace grbda
