#include "browser.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "describe/json_text.hpp"
#include "output.hpp"

extern char** environ;

namespace grbda::tool {

using describe::InputError;
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// The program that opens a page; empty without a display.
std::string browser() {
    if (const std::string chosen = variable("BROWSER"); !chosen.empty())
        return chosen.substr(0, chosen.find(':'));
#ifdef __APPLE__
    return "open";
#else
    const bool has_display = !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty();
    return has_display ? "xdg-open" : "";
#endif
}

/// Starts a program in a session of its own, without output. Returns false if it cannot be started.
bool start(const std::string& program, const std::string& argument) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    std::string name = program, first = argument;
    char* const words[] = {name.data(), first.data(), nullptr};
    pid_t process = 0;
    const int error = ::posix_spawnp(&process, program.c_str(), &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error == 0;
}

std::string temporary_folder() {
    std::error_code missing;
    const fs::path all = fs::temp_directory_path(missing);
    const std::string unique(6, 'X');  // replaced by mkdtemp()
    std::string folder = ((missing ? fs::path("/tmp") : all) / ("grbda_" + unique)).string();
    if (::mkdtemp(folder.data()) == nullptr)
        throw InputError(folder + ": cannot be made: " + std::strerror(errno) + "; -o FILE writes elsewhere");
    return folder;
}

}  // namespace

bool is_for_terminal(const std::string& output) { return output.empty() && isatty(STDOUT_FILENO) != 0; }

void show_in_browser(const std::string& text, const std::string& name) {
    std::string file = name;
    for (char& letter : file)
        if (letter == '/') letter = '_';
    const std::string path = (fs::path(temporary_folder()) / file).string();
    write_output(text, path);
    const std::string program = browser();
    const bool is_open = !program.empty() && start(program, path);
    std::printf("%s file://%s\n%s", is_open ? "opened" : "open this page in a browser:", path.c_str(),
                is_open ? "" : "(-o FILE writes it elsewhere)\n");
}

}  // namespace grbda::tool
