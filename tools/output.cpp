#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "describe/json_text.hpp"

namespace grbda::tool {

using describe::InputError;
namespace {

namespace fs = std::filesystem;

bool is_standard_output(const std::string& output) { return output.empty() || output == "-"; }

bool is_same(const std::string& a, const std::string& b) {
    std::error_code missing;
    return fs::equivalent(a, b, missing) && !missing;
}

[[noreturn]] void fail(const std::string& output, int error) {
    throw InputError(output + ": cannot be written: " + std::strerror(error));
}

/// Returns 0, or the error if not everything was written.
int write_all(int file, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::write(file, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        done += static_cast<std::size_t>(count);
    }
    return 0;
}

/// The file to which symbolic links lead, whether or not it exists. Empty if they lead through /proc,
/// whose names refer to open files such as standard error: these are written to, not replaced.
fs::path target_of(const std::string& output) {
    constexpr int most_links = 40;
    std::error_code error;
    fs::path path = fs::absolute(output, error);
    for (int link = 0; link < most_links; ++link) {
        const fs::path folder = fs::weakly_canonical(path.parent_path(), error);
        if (error) fail(output, error.value());
        if (folder.string().compare(0, 6, "/proc/") == 0) return {};
        path = folder / path.filename();
        if (!fs::is_symlink(path, error)) return path;
        path = folder / fs::read_symlink(path, error);
        if (error) fail(output, error.value());
    }
    fail(output, ELOOP);
}

/// Sets the access rights of the old file, otherwise those of a new file.
void set_access(int file, const fs::path& target) {
    struct stat old {};
    if (::stat(target.c_str(), &old) == 0) {
        if (::fchown(file, old.st_uid, old.st_gid) != 0) errno = 0;  // only privileged users may do this
        ::fchmod(file, old.st_mode & 07777);
        return;
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(file, 0666 & ~mask);
}

/// Writes a temporary file beside it, which replaces it when it is complete.
void replace(const fs::path& target, const std::string& text, const std::string& output) {
    if (::access(target.c_str(), W_OK) != 0 && errno != ENOENT) fail(output, errno);
    const std::string unique(6, 'X');  // replaced by mkstemp()
    std::string beside = (target.parent_path() / (".grbda_" + unique)).string();
    const int file = ::mkstemp(beside.data());
    if (file < 0) fail(output, errno);
    int error = write_all(file, text);
    if (error == 0) set_access(file, target);
    if (error == 0 && ::fsync(file) != 0 && errno != EINVAL) error = errno;  // EINVAL: not on a disk
    if (::close(file) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(beside.c_str(), target.c_str()) != 0) error = errno;
    if (error == 0) return;
    ::unlink(beside.c_str());
    fail(output, error);
}

void write_through(const std::string& text, const std::string& output) {
    const int file = ::open(output.c_str(), O_WRONLY | O_TRUNC);
    if (file < 0) fail(output, errno);
    int error = write_all(file, text);
    if (::close(file) != 0 && error == 0) error = errno;
    if (error != 0) fail(output, error);
}

}  // namespace

std::string input_at(const std::string& output, const std::vector<std::string>& inputs) {
    if (is_standard_output(output)) return {};
    for (const std::string& input : inputs) {
        if (is_same(output, input == "-" ? "/dev/stdin" : input)) return input;
    }
    return {};
}

bool spares_inputs(const std::string& output, const std::vector<std::string>& inputs) {
    const std::string input = input_at(output, inputs);
    if (input.empty()) return true;
    std::fprintf(stderr, "%s: is an input (%s); the result needs another place\n", output.c_str(),
                 input.c_str());
    return false;
}

void write_output(const std::string& text, const std::string& output) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file above the limit gives an error instead of a signal
    if (is_standard_output(output) || is_same(output, "/dev/stdout")) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            throw InputError("standard output: cannot be written");
        return;
    }
    std::error_code missing;
    const fs::file_status status = fs::status(output, missing);
    if (fs::is_directory(status)) fail(output, EISDIR);
    const bool is_file = !fs::exists(status) || fs::is_regular_file(status);
    const fs::path target = is_file ? target_of(output) : fs::path();
    if (target.empty())
        write_through(text, output);
    else
        replace(target, text, output);
}

void make_folder(const std::string& output) {
    const std::filesystem::path folder = std::filesystem::path(output).parent_path();
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error) throw InputError(folder.string() + ": the folder cannot be made: " + error.message());
}

}  // namespace grbda::tool
