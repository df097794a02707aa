#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "call.hpp"
#include "grbda/compile/build.hpp"
#include "grbda/diagnostics.hpp"
#include "grbda/io/file.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/mjcf.hpp"
#include "grbda/io/sdf.hpp"
#include "grbda/io/urdf.hpp"

namespace grbda::c {

namespace {

std::vector<std::string> texts(const char* name, const char* const* each, int count) {
    if (count < 0)
        throw std::invalid_argument("the number of " + std::string(name) + " is " + std::to_string(count) +
                                    "; expected 0 or more");
    if (count > 0) required(each, name, "an array of texts");
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i)
        all.emplace_back(
            &required(each[i], (std::string(name) + "[" + std::to_string(i) + "]").c_str(), "a text"));
    return all;
}

LoadOptions cpp_options(const grbda_load_options* given) {
    LoadOptions options;
    if (!given) return options;
    options.floating_base = given->floating_base != 0;
    options.strict = given->strict != 0;
    options.adjust = given->adjust != 0;
    options.rotor_reduction = given->keep_rotors == 0;
    options.rod_reduction = given->keep_rods == 0;
    options.paths = texts("paths", given->paths, given->path_count);
    return options;
}

Model with_chosen_gravity(Model model, const grbda_load_options* options) {
    if (!options || !options->gravity) return model;
    const double* const g = options->gravity;
    for (int i = 0; i < 3; ++i)
        if (!std::isfinite(g[i]))
            throw std::invalid_argument("gravity is not finite; expected three numbers in m/s²");
    return with_gravity(std::move(model), {g[0], g[1], g[2]});
}

/// Reads a text that describes a whole robot.
RobotDescription read_robot_text(const std::string& text, const std::string& name, Diagnostics& diagnostics) {
    const std::optional<Format> format = detect_format(text, name, diagnostics);
    if (!format) throw LoadError(diagnostics);
    switch (*format) {
        case Format::urdf: return read_urdf(text, name, diagnostics);
        case Format::mjcf: return read_mjcf(text, name, diagnostics);
        case Format::sdf: return read_sdf(text, name, diagnostics);
        case Format::extended_urdf:
        case Format::xrdf:
        case Format::srdf:
        case Format::world_file: break;
    }
    throw std::invalid_argument(std::string("the text is ") + to_string(*format) +
                                "; expected URDF, MJCF or SDF. Load other formats from files");
}

Model load_from_text(const std::string& text, const std::string& name, const LoadOptions& options) {
    Diagnostics diagnostics;
    const RobotDescription description = read_robot_text(text, name, diagnostics);
    if (options.strict) apply_strictness(diagnostics);
    if (has_errors(diagnostics)) throw LoadError(diagnostics);
    Model model = build_model(description, options);
    model.diagnostics.insert(model.diagnostics.begin(), diagnostics.begin(), diagnostics.end());
    return model;
}

/// Calls load(options) and passes the model to the user.
template <class Load>
grbda_status make_model(const char* function, const grbda_load_options* options, grbda_model** model,
                        Load&& load) noexcept {
    return guarded(function, [&] {
        grbda_model*& made = required(model, "model", "a pointer to a grbda_model* that receives the model");
        made = nullptr;
        made = new grbda_model(with_chosen_gravity(load(cpp_options(options)), options));
        return GRBDA_OK;
    });
}

}  // namespace

}  // namespace grbda::c

using namespace grbda::c;

extern "C" {

grbda_status grbda_load(const char* const* files, int file_count, const grbda_load_options* options,
                        grbda_model** model) {
    return make_model("grbda_load", options, model, [&](const grbda::LoadOptions& chosen) {
        return grbda::load(texts("files", files, file_count), chosen);
    });
}

grbda_status grbda_load_file(const char* file, const grbda_load_options* options, grbda_model** model) {
    return make_model("grbda_load_file", options, model, [&](const grbda::LoadOptions& chosen) {
        return grbda::load(std::string(&required(file, "file", "a path")), chosen);
    });
}

grbda_status grbda_load_text(const char* text, const char* name, const grbda_load_options* options,
                             grbda_model** model) {
    return make_model("grbda_load_text", options, model, [&](const grbda::LoadOptions& chosen) {
        return load_from_text(&required(text, "text", "the content of a robot's file"), name ? name : "text",
                              chosen);
    });
}

void grbda_model_destroy(grbda_model* model) { delete model; }

}  // extern "C"
