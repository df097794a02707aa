#pragma once

#include <cstddef>
#include <string>

#include "grbda/collision/height_field.hpp"
#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Limit on the size of a file of heights, in bytes.
inline constexpr std::size_t largest_height_field_file = std::size_t{512} << 20;

/// Reads an Esri ASCII grid (.asc) from `text`. `file` is the name that diagnostics show. Findings are
/// appended; the field is valid only without errors.
///   ncols, nrows            samples along x and along y, two or more
///   xllcorner, yllcorner    corner of the cell around the first sample of the last row
///   xllcenter, yllcenter    alternatively, the position of that sample
///   cellsize                distance between samples along x and along y
///   NODATA_value            marks an unknown height, as NaN does; default −9999
///   then the heights, row by row, from the largest y to the smallest
/// Lengths in m. In the field, rows go from the smallest y to the largest.
/// cost    8 bytes for each height
GRBDA_EXPORT HeightField read_height_field(const std::string& text, const std::string& file,
                                           Diagnostics& diagnostics);

/// Reads an Esri ASCII grid from a file.
/// errors  LoadError with all findings, also if the file cannot be read
GRBDA_EXPORT HeightField load_height_field(const std::string& path);

}  // namespace grbda
