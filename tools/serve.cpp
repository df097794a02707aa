#include "serve.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "grbda/viewer/viewer_feed.hpp"
#include "describe/json_text.hpp"
#include "rows.hpp"

namespace grbda::tool {

using describe::InputError;
namespace {

/// Blocks SIGINT and SIGTERM, and returns a file that can be read after one of them.
int ending_signals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGINT);
    ::sigaddset(&signals, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

/// Lines as they come, until the file ends or a signal comes.
class Lines {
public:
    /// path    empty: no lines; "-": standard input
    Lines(const std::string& path, int signals) : name_(path == "-" ? "standard input" : path) {
        files_[0].fd = signals;
        if (path.empty()) return;
        // Without O_NONBLOCK a pipe would wait for its writer here, where no signal ends it.
        files_[1].fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (files_[1].fd < 0) throw InputError(path + ": cannot be read: " + std::strerror(errno));
    }

    /// Reads the next line that is not blank. Returns false at the end or after a signal.
    bool next(std::string& line) {
        for (bool has_more = true; has_more;) {
            const std::size_t end = text_.find('\n');
            if (end == std::string::npos) {
                has_more = read();
                continue;
            }
            line = text_.substr(0, end);
            text_.erase(0, end + 1);
            ++number_;
            if (line.find_first_not_of(" \t\r") != std::string::npos) return true;
        }
        return false;
    }
    /// Position of the last line.
    std::string where() const { return name_ + ":" + std::to_string(number_); }

private:
    /// Appends what can be read, and a newline to a last line that has none. False: a signal or the end.
    bool read() {
        while (::poll(files_, 2, -1) < 0)
            if (errno != EINTR) return false;
        if (files_[0].revents != 0) return false;
        char some[1 << 14];
        const ssize_t count = ::read(files_[1].fd, some, sizeof some);
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            throw InputError(name_ + ": cannot be read: " + std::strerror(errno));
        if (count > 0) text_.append(some, static_cast<std::size_t>(count));
        const bool is_last = count == 0 && !text_.empty();
        if (is_last) text_ += '\n';
        return count != 0 || is_last;
    }

    std::string name_, text_;
    int number_ = 0;
    pollfd files_[2] = {{-1, POLLIN, 0}, {-1, POLLIN, 0}};  // signals, rows
};

void print_address(const ViewerFeed& feed) {
    std::printf("%s\n", feed.url().c_str());
    std::fflush(stdout);
}

}  // namespace

int serve(const Model& model, const ViewerRobot& robot, const std::string& page_template,
          const ServeArguments& arguments) {
    Lines lines(arguments.rows, ending_signals());
    ViewerFeedOptions options{.port = arguments.port, .page_template = page_template};
    std::string line;
    if (arguments.rows.empty()) {
        const ViewerFeed feed(robot, model.nq, options);
        print_address(feed);
        lines.next(line);
        return Exit::success;
    }
    if (!lines.next(line)) return Exit::success;
    RowReader row(model, line, lines.where());
    options.values = row.value_names();
    ViewerFeed feed(robot, model.nq, options);
    print_address(feed);
    while (lines.next(line)) {
        row.read(line, lines.where());
        feed.send(row.q, row.values);
    }
    return Exit::success;
}

}  // namespace grbda::tool
