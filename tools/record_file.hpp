#pragma once

#include <mutex>
#include <string>
#include <vector>

// The record of motions, written while they run: the file is complete at any time.

namespace grbda::tool {

class RecordFile {
public:
    /// Opens the output; empty or "-" is standard output. Uses JSON if
    /// its extension is that. Throws InputError if it cannot be written.
    ///   one motion   rows under a header; {"columns": […], "rows": [[…], …]}
    ///   many         a first column `simulation` counts them from 0; {"columns": […], "simulations": [[[…],
    ///   …], …]}
    RecordFile(const std::string& output, const std::vector<std::string>& columns, bool many,
               std::size_t motions);
    ~RecordFile();
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;

    /// Adds a row of a motion, from any thread. Rows wait in memory while an earlier motion is still running.
    void add(std::size_t motion, const std::vector<double>& row);
    /// Declares that a motion has no more rows.
    void finish(std::size_t motion);
    /// Writes the remaining rows. Throws InputError.
    void close();

private:
    struct Waiting {
        std::string text;
        bool begun = false, finished = false;
    };
    std::string text_of(std::size_t motion, const std::vector<double>& row, bool first) const;
    void write_some(std::size_t least);

    std::string output_;
    int file_ = -1;
    bool json_ = false, many_ = false, seekable_ = false;
    std::string text_;              ///< not written yet
    std::string end_;               ///< text that completes the file
    std::size_t written_end_ = 0;   ///< bytes of it that are in the file
    std::vector<Waiting> waiting_;  ///< per motion
    std::size_t turn_ = 0;          ///< motion whose rows are being written
    std::mutex mutex_;
};

}  // namespace grbda::tool
