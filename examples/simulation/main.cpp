#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>

#include "scenario.hpp"

// Simulates robots and checks each motion against laws of mechanics.

namespace {

constexpr const char* usage =
    "usage: grbda_scenarios SCENARIO [--record FILE.csv] [--seconds S] [--robots FOLDER]\n"
    "scenarios: stand_humanoid, stand_tello, trot, swing, grip\n"
    "1 where a law of mechanics is broken; scripts/plot_simulation.py draws a record\n";

const std::map<std::string, bool (*)(const scenes::Setting&)> scenarios{
    {"stand_humanoid", scenes::stand_humanoid},
    {"stand_tello", scenes::stand_tello},
    {"trot", scenes::trot},
    {"swing", scenes::swing},
    {"grip", scenes::grip}};

double positive(const std::string& text) {
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(x > 0 && x <= 1e4))
        throw std::invalid_argument("--seconds: expected a number above 0, 10000 at most, found '" + text +
                                    "'");
    return x;
}

scenes::Setting setting_of(int argc, char** argv) {
    scenes::Setting setting;
    setting.robots = GRBDA_ROBOTS;
    for (int i = 2; i < argc; i += 2) {
        const std::string option = argv[i];
        if (i + 1 == argc) throw std::invalid_argument(option + ": expected a value");
        if (option == "--record")
            setting.record = argv[i + 1];
        else if (option == "--seconds")
            setting.seconds = positive(argv[i + 1]);
        else if (option == "--robots")
            setting.robots = argv[i + 1];
        else
            throw std::invalid_argument("no option " + option);
    }
    return setting;
}

}  // namespace

int main(int argc, char** argv) {
    const auto scenario = scenarios.find(argc > 1 ? argv[1] : "");
    if (scenario == scenarios.end()) {
        std::fputs(usage, stderr);
        return 2;
    }
    try {
        const scenes::Setting setting = setting_of(argc, argv);
        std::printf("%s\n", scenario->first.c_str());
        return scenario->second(setting) ? 0 : 1;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "%s\n%s", error.what(), usage);
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
