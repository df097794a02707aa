#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>

#include "browser.hpp"
#include "describe/describe.hpp"
#include "describe/json_text.hpp"
#include "options.hpp"
#include "output.hpp"
#include "rows.hpp"
#include "svg_plot.hpp"

// Plots a record of `simulate`.

namespace grbda::tool {

using describe::InputError;
using describe::Json;
namespace {

/// Columns of a record, each with its numbers.
struct RecordTable {
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;

    void add_row(const std::vector<double>& row) {
        for (std::size_t k = 0; k < row.size(); ++k) columns[k].push_back(row[k]);
    }
};

double number_of_cell(const std::string& cell, const std::string& where) {
    return cell == "nan" || cell == "-nan" || cell == "inf" || cell == "-inf"
               ? std::numeric_limits<double>::quiet_NaN()
               : finite_number(cell, where);
}

RecordTable read_csv(const std::string& text, const std::string& file) {
    RecordTable table;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::string where = file + ":" + std::to_string(++number);
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const std::vector<std::string> cells = csv_cells(line);
        if (table.names.empty()) {
            table.names = cells;
            table.columns.resize(cells.size());
            continue;
        }
        if (cells.size() != table.names.size())
            throw InputError(where + ": expected " + std::to_string(table.names.size()) + " values, found " +
                             std::to_string(cells.size()));
        std::vector<double> row;
        for (const std::string& cell : cells) row.push_back(number_of_cell(cell, where));
        table.add_row(row);
    }
    return table;
}

RecordTable read_json_record(const std::string& text, const std::string& file) {
    const Json record = describe::read_json(text, file);
    const bool is_record = record.is_object() && record.contains("columns") &&
                           (record.contains("rows") || record.contains("simulations"));
    if (!is_record) throw InputError(file + ": expected a record of grbda simulate, with columns and rows");
    RecordTable table;
    try {
        table.names = record["columns"].get<std::vector<std::string>>();
        table.columns.resize(table.names.size());
        const Json simulations =
            record.contains("rows") ? Json::array({record["rows"]}) : record["simulations"];
        for (const Json& rows : simulations)
            for (const Json& cells : rows) {
                std::vector<double> row;
                for (const Json& cell : cells)
                    row.push_back(cell.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                 : cell.get<double>());
                if (row.size() != table.names.size())
                    throw InputError(file + ": expected rows of " + std::to_string(table.names.size()) +
                                     " values, found one of " + std::to_string(row.size()));
                table.add_row(row);
            }
    } catch (const Json::exception& error) {
        throw InputError(file + ": expected a record of grbda simulate: " + error.what());
    }
    return table;
}

RecordTable read_record(const std::string& file) {
    const std::string text = describe::read_text(file);
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    const bool is_json = begin != std::string::npos && text[begin] == '{';
    RecordTable table = is_json ? read_json_record(text, file) : read_csv(text, file);
    if (std::find(table.names.begin(), table.names.end(), "time") == table.names.end())
        throw InputError(file + ": expected a record of grbda simulate, with a column 'time'");
    if (table.columns.front().empty()) throw InputError(file + ": expected at least one row");
    return table;
}

std::size_t column_called(const RecordTable& table, const std::string& name) {
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    if (found != table.names.end()) return static_cast<std::size_t>(found - table.names.begin());
    throw CallError(describe::with_hint("--columns " + name + ": no column of this name", name, table.names) +
                    ", there are " + describe::some_of(table.names));
}

/// The panel to which a column belongs; empty for columns that only --columns shows.
std::string panel_of(const std::string& column) {
    if (column.rfind("q:", 0) == 0) return "positions, rad or m";
    if (column.rfind("qd:", 0) == 0) return "velocities, rad/s or m/s";
    const bool is_energy =
        column == "energy" || column == "kinetic" || column == "gravity" || column == "elastic";
    return is_energy ? "energy, J" : "";
}

std::vector<PlotPanel> panels_of(const RecordTable& table, const std::vector<std::string>& wanted) {
    std::vector<PlotPanel> panels;
    const std::vector<double>& time = table.columns[column_called(table, "time")];
    const auto add = [&](std::size_t column, const std::string& title) {
        const auto same = [&](const PlotPanel& panel) { return panel.title == title; };
        auto panel = std::find_if(panels.begin(), panels.end(), same);
        if (panel == panels.end()) panel = panels.insert(panels.end(), {title, {}});
        panel->lines.push_back({table.names[column], time, table.columns[column]});
    };
    for (const std::string& name : wanted) {
        const std::string title = panel_of(name);
        add(column_called(table, name), title.empty() ? name : title);
    }
    for (std::size_t k = 0; wanted.empty() && k < table.names.size(); ++k)
        if (const std::string title = panel_of(table.names[k]); !title.empty()) add(k, title);
    return panels;
}

/// Leaves out lines that do not fit into the legend.
std::size_t shorten(std::vector<PlotPanel>& panels) {
    constexpr std::size_t most = 13;
    std::size_t omitted = 0;
    for (PlotPanel& panel : panels) {
        if (panel.lines.size() <= most) continue;
        omitted += panel.lines.size() - most;
        panel.lines.resize(most);
    }
    return omitted;
}

}  // namespace

void add_plot(CLI::App& app, PlotArguments& arguments) {
    CLI::App& command = *app.add_subcommand("plot", "Plot of a record of simulate, as SVG");
    command.add_option("RECORD", arguments.record, "Record of `simulate`, CSV or JSON")
        ->type_name("FILE")
        ->required();
    add_repeated(command, "--columns", arguments.columns, "NAMES",
                 "Columns a,b,c; by default positions, velocities and energies")
        ->delimiter(',');
    command
        .add_option("-o,--output", arguments.output,
                    "File for the SVG; -: standard output; none: a browser on a terminal, otherwise standard "
                    "output")
        ->type_name("FILE");
    command.footer(
        "Example:\n"
        "  grbda plot fall.csv --columns q:knee,q:ankle,contacts -o fall.svg\n");
}

int plot(const PlotArguments& arguments) {
    if (!spares_inputs(arguments.output, {arguments.record})) return Exit::bad_call;
    std::vector<PlotPanel> panels = panels_of(read_record(arguments.record), arguments.columns);
    if (panels.empty())
        throw InputError(arguments.record + ": it has no positions, velocities or energies; give --columns");
    if (const std::size_t omitted = shorten(panels); omitted > 0)
        std::fprintf(stderr,
                     "%zu columns are left out, because the legend is full; choose some with --columns\n",
                     omitted);
    const std::string stem = std::filesystem::path(arguments.record).stem().string();
    const std::string svg = svg_plot(stem, panels);
    if (is_for_terminal(arguments.output))
        show_in_browser(svg, stem + ".svg");
    else
        write_output(svg, arguments.output);
    return Exit::success;
}

}  // namespace grbda::tool
