#include <cctype>
#include <cstdio>

#include "serial.hpp"

namespace grbda::tool {
namespace {

/// Interpolation of all tables, in the order of SerialPoint with matrices by rows.
constexpr const char* interpolation = R"(
/* Cubic polynomials through the four nearest nodes of each coordinate. value [channels], rates [m * channels];
   returns 0, or 1 outside the grid, where the table is extrapolated. */
static int interpolate(int m, const int* counts, const double* lower, const double* upper, int channels,
                       const double* table, const double* y, double* value, double* rates) {
    double weight[6][4], slope[6][4];
    int first[6], index[6] = {0}, outside = 0;
    for (int i = 0; i < m; ++i) {
        const double step = (upper[i] - lower[i]) / (counts[i] - 1), place = (y[i] - lower[i]) / step;
        outside |= !(place >= 0 && place <= counts[i] - 1);
        first[i] = place > 1 ? (place < counts[i] - 2 ? (int)place - 1 : counts[i] - 4) : 0;
        for (int a = 0; a < 4; ++a) {
            double w = 1, r = 0;
            for (int b = 0; b < 4; ++b)
                if (b != a) {
                    const double t = place - first[i] - b;
                    r = (r * t + w) / (a - b);
                    w *= t / (a - b);
                }
            weight[i][a] = w;
            slope[i][a] = r / step;
        }
    }
    for (int c = 0; c < channels; ++c) value[c] = 0;
    for (int c = 0; c < m * channels; ++c) rates[c] = 0;
    for (;;) {
        long node = 0;
        double w = 1;
        for (int i = 0; i < m; ++i) {
            node = node * counts[i] + first[i] + index[i];
            w *= weight[i][index[i]];
        }
        const double* const row = table + node * channels;
        for (int c = 0; c < channels; ++c) value[c] += w * row[c];
        for (int i = 0; i < m; ++i) {
            double r = 1;
            for (int j = 0; j < m; ++j) r *= (j == i ? slope : weight)[j][index[j]];
            for (int c = 0; c < channels; ++c) rates[i * channels + c] += r * row[c];
        }
        int i = m - 1;
        while (i >= 0 && ++index[i] == 4) index[i--] = 0;
        if (i < 0) return outside;
    }
}

/* delta_M [m * m] and the force that the tree lacks at velocity yd, with gravity g in the carrier's axes. */
static void correction(int m, int channels, int delta_M, int gravity, const double* value, const double* rates,
                       const double* yd, const double* g, double* M, double* force) {
    for (int i = 0; i < m * m; ++i) M[i] = value[delta_M + i];
    for (int i = 0; i < m; ++i) {
        force[i] = 0;
        for (int a = 0; a < 3; ++a) force[i] += value[gravity + 3 * i + a] * g[a];
    }
    for (int k = 0; k < m; ++k)
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < m; ++j) {
                const double term = rates[k * channels + delta_M + i * m + j] * yd[i] * yd[j];
                force[k] -= term / 2;
                force[i] += rates[k * channels + delta_M + i * m + j] * yd[j] * yd[k];
            }
}
)";

std::string exact(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

void append_numbers(const VectorX<double>& values, std::string& row) {
    for (const double value : values) row += exact(value) + ", ";
}
void append_numbers(const MatrixX<double>& values, std::string& row) {
    for (Eigen::Index i = 0; i < values.rows(); ++i)
        append_numbers(VectorX<double>(values.row(i).transpose()), row);
}

std::string identifier(const std::string& name) {
    std::string result = name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "_" : "";
    for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return result;
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    // a name that ends the comment would end it
    for (std::size_t i = text.find("*/"); i != std::string::npos; i = text.find("*/")) text[i] = '_';
    return text.empty() ? "none" : text;
}

/// Places of the parts of a point among its channels.
struct Channels {
    int J_m, delta_M, gravity, driven, driven_jacobian, count;
};
Channels channels_of(const SerialTable& table) {
    const int m = table.size(), k = static_cast<int>(table.motors.size()),
              d = static_cast<int>(table.driven.size());
    const int delta_M = k + k * m, gravity = delta_M + m * m, driven = gravity + 3 * m;
    return {k, delta_M, gravity, driven, driven + d, driven + d + d * m};
}

std::string arrays(const SerialTable& table, const std::string& name) {
    std::string counts, lower, upper, rows;
    for (const VectorX<double>& nodes : table.nodes) {
        counts += std::to_string(nodes.size()) + ", ";
        lower += exact(nodes.minCoeff()) + ", ";
        upper += exact(nodes.maxCoeff()) + ", ";
    }
    for (const SerialPoint& point : table.points) {
        rows += "    ";
        append_numbers(point.motors, rows);
        append_numbers(point.J_m, rows);
        append_numbers(point.delta_M, rows);
        append_numbers(point.gravity, rows);
        append_numbers(point.driven, rows);
        append_numbers(point.driven_jacobian, rows);
        rows.back() = '\n';
    }
    return "static const int " + name + "_counts[] = {" + counts + "};\nstatic const double " + name +
           "_lower[] = {" + lower + "}, " + name + "_upper[] = {" + upper + "};\nstatic const double " +
           name + "_table[] = {\n" + rows + "};\n";
}

std::string functions(const SerialTable& table, const std::string& name) {
    const Channels c = channels_of(table);
    const std::string m = std::to_string(table.size()), count = std::to_string(c.count);
    const std::string call = "interpolate(" + m + ", " + name + "_counts, " + name + "_lower, " + name +
                             "_upper, " + count + ", " + name + "_table, y, value, rates)";
    return "\n/* All terms at y [" + m + "]: value [" + count +
           "] holds positions of motors from 0, J_m from " + std::to_string(c.J_m) + ", delta_M from " +
           std::to_string(c.delta_M) + ",\n   gravity [" + m + " x 3] from " + std::to_string(c.gravity) +
           ", positions of driven joints from " + std::to_string(c.driven) + " and their Jacobian from " +
           std::to_string(c.driven_jacobian) + ";\n   matrices by rows. rates [" + m + " x " + count +
           "]: derivatives by y. */\nint " + name +
           "(const double* y, double* value, double* rates) { return " + call + "; }\n\nint " + name +
           "_correction(const double* y, const double* yd, const double* g, double* delta_M, double* force) "
           "{\n"
           "    double value[" +
           count + "], rates[" + m + " * " + count + "];\n    const int outside = " + call +
           ";\n    correction(" + m + ", " + count + ", " + std::to_string(c.delta_M) + ", " +
           std::to_string(c.gravity) + ", value, rates, yd, g, delta_M, force);\n    return outside;\n}\n";
}

}  // namespace

std::string serial_c(const SerialRobot& robot, const std::string& name) {
    std::string text =
        "/* Terms that the serial tree of this robot lacks, per cluster. Written by grbda serial. ISO C99. "
        "*/\n";
    if (robot.tables.empty()) return text + "typedef int " + identifier(name) + "_has_no_tables;\n";
    text += interpolation;
    for (std::size_t i = 0; i < robot.tables.size(); ++i) {
        const SerialTable& table = robot.tables[i];
        const std::string prefix = identifier(name) + "_cluster" + std::to_string(i);
        text += "\n/* Cluster " + std::to_string(i) + " on " + listed({table.carrier}) + ": coordinates " +
                listed(table.joints) + "; motors " + listed(table.motors) + "; driven " +
                listed(table.driven) + ". */\n" + arrays(table, prefix) + functions(table, prefix);
    }
    return text;
}

}  // namespace grbda::tool
