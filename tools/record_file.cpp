#include "record_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

#include "describe/describe.hpp"
#include "describe/json_text.hpp"

namespace grbda::tool {

using describe::InputError;
using describe::Json;
namespace {

constexpr std::size_t block = 1 << 16;  // number of bytes written at once

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

[[noreturn]] void refuse(const std::string& output, int error) {
    throw InputError((output.empty() ? "standard output" : output) +
                     ": cannot be written: " + std::strerror(error));
}

}  // namespace

RecordFile::RecordFile(const std::string& output, const std::vector<std::string>& columns, bool many,
                       std::size_t motions)
    : output_(output == "-" || output == "/dev/stdout" ? "" : output),
      json_(ends_with(output, ".json")),
      many_(many),
      waiting_(motions) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file above the limit gives an error instead of a signal
    file_ = output_.empty() ? STDOUT_FILENO
                            : ::open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) refuse(output_, errno);
    struct stat status {};
    seekable_ = !output_.empty() && ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
    if (json_) {
        text_ =
            "{\"columns\": " + Json(columns).dump() + ",\n" + (many ? "\"simulations\": [[" : "\"rows\": [");
        end_ = many ? "\n]]}\n" : "\n]}\n";
    } else {
        text_ = many ? "simulation," : "";
        for (std::size_t k = 0; k < columns.size(); ++k)
            text_ += (k > 0 ? "," : "") + describe::csv_cell(columns[k]);
        text_ += "\n";
    }
    write_some(0);
}

RecordFile::~RecordFile() {
    if (file_ >= 0 && !output_.empty()) ::close(file_);
}

std::string RecordFile::text_of(std::size_t motion, const std::vector<double>& row, bool first) const {
    std::string text = json_ ? (first ? "\n[" : ",\n[") : many_ ? std::to_string(motion) + "," : "";
    for (std::size_t k = 0; k < row.size(); ++k) {
        if (k > 0) text += json_ ? ", " : ",";
        text += json_ && !std::isfinite(row[k]) ? "null" : describe::number(row[k], 17);
    }
    return text + (json_ ? "]" : "\n");
}

void RecordFile::add(std::size_t motion, const std::vector<double>& row) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Waiting& own = waiting_[motion];
    const std::string text = text_of(motion, row, !own.begun);
    own.begun = true;
    (motion == turn_ ? text_ : own.text) += text;
    write_some(block);
}

void RecordFile::finish(std::size_t motion) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_[motion].finished = true;
    while (turn_ < waiting_.size() && waiting_[turn_].finished) {
        if (++turn_ == waiting_.size()) break;
        if (json_ && many_) text_ += "\n], [";
        text_ += std::exchange(waiting_[turn_].text, "");
    }
    write_some(block);
}

void RecordFile::close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    write_some(0);
    if (!seekable_ && json_) {
        text_ = end_;
        end_.clear();
        write_some(0);
    }
    const int file = std::exchange(file_, -1);
    if (!output_.empty() && ::close(file) != 0) refuse(output_, errno);
}

/// Writes whole rows and the end of the file, over the present end.
void RecordFile::write_some(std::size_t least) {
    if (text_.size() < least) return;
    if (seekable_ && written_end_ > 0 && ::lseek(file_, -static_cast<off_t>(written_end_), SEEK_CUR) < 0)
        refuse(output_, errno);
    if (seekable_) text_ += end_;
    for (std::size_t done = 0; done < text_.size();) {
        const ssize_t count = ::write(file_, text_.data() + done, text_.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse(output_, errno);
        done += static_cast<std::size_t>(count);
    }
    written_end_ = seekable_ ? end_.size() : 0;
    text_.clear();
}

}  // namespace grbda::tool
