#include "grbda/io/file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace grbda {

namespace {

/// Closes the descriptor in its destructor.
class Descriptor {
public:
    /// A pipe without a writer would make open() block.
    explicit Descriptor(const std::string& path)
        : number_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

const char* kind_in_words(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

std::string cannot_be_read(int error) {
    if (error == ENOENT || error == ENOTDIR) return "none at this path";
    return std::string("one that cannot be read: ") + std::strerror(error);
}

/// Opening some devices already has an effect, so the path is checked before.
bool is_regular(const std::string& path, std::string& found) {
    struct stat state {};
    if (::stat(path.c_str(), &state) != 0) {
        found = cannot_be_read(errno);
        return false;
    }
    if (!S_ISREG(state.st_mode)) found = kind_in_words(state.st_mode);
    return S_ISREG(state.st_mode);
}

/// Reads up to `most` bytes plus one; a file may be longer than its stated size, as in /proc.
bool read_all(int descriptor, std::size_t expected, std::size_t most, std::string& text) {
    constexpr std::size_t piece = 65536;
    std::size_t size = 0;
    text.resize(expected + 1);
    while (true) {
        if (size == text.size()) text.resize(size + piece);
        const ssize_t count = ::read(descriptor, text.data() + size, text.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        size += static_cast<std::size_t>(count);
        if (count == 0 || size > most) break;
    }
    text.resize(size);
    return true;
}

}  // namespace

std::string size_in_words(std::size_t bytes) {
    if (bytes >= (std::size_t{1} << 20)) return std::to_string(bytes >> 20) + " MiB";
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::optional<std::string> read_file(const std::string& path, std::size_t most_bytes, std::string& found) {
    if (!is_regular(path, found)) return std::nullopt;
    const Descriptor file(path);
    struct stat state {};
    if (file.number() < 0 || ::fstat(file.number(), &state) != 0) {
        found = cannot_be_read(errno);
        return std::nullopt;
    }
    if (!S_ISREG(state.st_mode)) {  // replaced since the check
        found = kind_in_words(state.st_mode);
        return std::nullopt;
    }
    const std::size_t size = state.st_size < 0 ? 0 : static_cast<std::size_t>(state.st_size);
    std::string text;
    if (size <= most_bytes && !read_all(file.number(), size, most_bytes, text)) {
        found = cannot_be_read(errno);
        return std::nullopt;
    }
    if (size > most_bytes || text.size() > most_bytes) {
        found = "one of more than " + size_in_words(most_bytes) + ", the most that is read";
        return std::nullopt;
    }
    return text;
}

}  // namespace grbda
