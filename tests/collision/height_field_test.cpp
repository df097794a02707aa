#include <fstream>
#include <limits>
#include <random>

#include "grbda/io/height_field.hpp"
#include "io/folder_fixture.hpp"

// ASCII grids: their content, and each error with its place.

using folder_test::contains;
using folder_test::Folder;
using grbda::HeightField;

namespace {

const std::string header = "ncols 3\nnrows 2\nxllcorner 10\nyllcorner -4\ncellsize 0.5\n";

HeightField reading(const std::string& text) {
    grbda::Diagnostics diagnostics;
    HeightField field = grbda::read_height_field(text, "hill.asc", diagnostics);
    for (const grbda::Diagnostic& finding : diagnostics) UNSCOPED_INFO(to_string(finding));
    CHECK(diagnostics.empty());
    CHECK(is_consistent(field));
    return field;
}

/// The one finding, as messages show it.
std::string refusal(const std::string& text, grbda::Code code) {
    grbda::Diagnostics diagnostics;
    grbda::read_height_field(text, "hill.asc", diagnostics);
    INFO(text);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].code == code);
    return to_string(diagnostics[0]);
}

std::string without(std::string text, const std::string& part) {
    return text.erase(text.find(part), part.size());
}

}  // namespace

TEST_CASE("an ASCII grid is read from its last row on") {
    const HeightField field = reading(header + "NODATA_value -1\n1 2 3\n4 -1 6\n");
    CHECK(field.columns == 3);
    CHECK(field.rows == 2);
    CHECK(field.spacing_x == 0.5);
    CHECK(field.spacing_y == 0.5);
    CHECK(field.origin.x == 10.25);
    CHECK(field.origin.y == -3.75);
    CHECK(field.origin.z == 0);
    CHECK(field.height(0, 0) == 4);
    CHECK(std::isnan(field.height(1, 0)));
    CHECK(field.height(2, 0) == 6);
    CHECK(field.height(0, 1) == 1);
    CHECK(ground_height(reading(header + "1 2 3 4 5 6"), 10.25, -3.25) == 1);
}

TEST_CASE("an ASCII grid may be written in other ways") {
    const HeightField field =
        reading("NROWS 2\r\n  Ncols\t3\r\nXLLCENTER 1e1\nyllcenter +2.5 CellSize 2\n1 2 3 4\n5 -9999");
    CHECK(field.origin.x == 10);
    CHECK(field.origin.y == 2.5);
    CHECK(field.height(1, 1) == 2);
    CHECK(std::isnan(field.height(2, 0)));
    CHECK(std::isnan(reading(header + "nan 2 3 4 5 6").height(0, 1)));
    CHECK(std::isnan(reading(header + "NODATA_value nan\nnan 2 3 4 5 6").height(0, 1)));
}

TEST_CASE("errors in an ASCII grid are reported with their places") {
    using grbda::Code;
    const std::string heights = "1 2 3\n4 5 6\n";
    CHECK(refusal(header + "1 2 3\n4 5\n", Code::wrong_shape) ==
          "hill.asc:8:1: error: row 2, column 3: expected 2 rows of 3 heights, found the end of the file");
    CHECK(refusal(header + "1 2 3\n4 5 6 7\n", Code::wrong_shape) ==
          "hill.asc:7:7: error: heights: expected the end of the file after 2 rows of 3 heights, found '7'");
    CHECK(refusal(header + "1 2 3\n4 5,5 6\n", Code::bad_number) ==
          "hill.asc:7:3: error: row 2, column 2: expected a finite number as height, found '5,5'");
    CHECK(contains(refusal(header + "1 inf 3\n4 5 6\n", Code::bad_number), "hill.asc:6:3"));
    CHECK(refusal("ncol 3\n" + header + heights, Code::unknown_word) ==
          "hill.asc:1:1: error: header: expected a height, or one of ncols, nrows, xllcorner, yllcorner, "
          "xllcenter, yllcenter, cellsize, NODATA_value, found 'ncol' (did you mean 'ncols'?)");
    CHECK(contains(refusal(header + "NCOLS 3\n" + heights, Code::repeated), "hill.asc:6:1"));
    CHECK(contains(refusal("ncols three\n", Code::bad_number), "hill.asc:1:7"));
    CHECK(contains(refusal("ncols", Code::bad_number), "found the end of the file"));
    CHECK(contains(refusal("ncols 1\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2", Code::out_of_range),
                   "hill.asc:1:7: error: header: expected a whole number of 2 or more as ncols, found '1'"));
    CHECK(
        contains(refusal(without(header, "ncols 3") + "ncols 2.5 " + heights, Code::out_of_range), "ncols"));
    CHECK(contains(refusal(without(header, "0.5") + "-0.5\n" + heights, Code::out_of_range), "cellsize"));
    CHECK(contains(refusal(without(header, "cellsize 0.5") + heights, Code::missing),
                   "expected cellsize before the heights"));
    CHECK(contains(refusal(without(header, "xllcorner 10") + heights, Code::missing),
                   "expected xllcorner or xllcenter before the heights"));
    CHECK(contains(refusal(header + "yllcenter 0\n" + heights, Code::conflict), "yllcorner or yllcenter"));
    CHECK(contains(
        refusal("ncols 30000\nnrows 30000\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2", Code::wrong_shape),
        "no more heights than the file can hold"));
    CHECK(refusal(header + std::string(100, 'x'), Code::unknown_word).size() < 300);
}

TEST_CASE("files of heights are loaded, or refused by name") {
    const Folder folder;
    std::ofstream(folder.at("hill.asc")) << header << "1 2 3 4 5 6";
    CHECK(grbda::load_height_field(folder.at("hill.asc")).height(2, 0) == 6);
    CHECK_THROWS_AS(grbda::load_height_field(folder.at("none.asc")), grbda::LoadError);
    std::ofstream(folder.at("broken.asc")) << header << "1 2 3 4 5 six";
    CHECK_THROWS_WITH(grbda::load_height_field(folder.at("broken.asc")),
                      Catch::Contains("broken.asc:6:11: error: row 2, column 3"));
}

TEST_CASE("broken ASCII grids never bring down their reader") {
    std::mt19937 random(1);
    const std::string good = header + "NODATA_value -1\n1 2 3\n4 -1 6\n", letters = "01 \n\t-.eEnaxz\xff";
    for (int i = 0; i < 20000; ++i) {
        std::string text = good;
        for (int j = 0; j <= i % 4; ++j) {
            text[random() % text.size()] = letters[random() % letters.size()];
            if (random() % 4 == 0) text.resize(1 + random() % text.size());
        }
        text.push_back('\0');
        if (i % 2 == 0) text.pop_back();
        grbda::Diagnostics diagnostics;
        const HeightField field = grbda::read_height_field(text, "hill.asc", diagnostics);
        CHECK((has_errors(diagnostics) || is_consistent(field)));
    }
}
