#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace grbda::viewer {

/// The last numbers that one thread wrote, for many readers. The writer neither waits nor allocates: it
/// fills a buffer of its own and exchanges it for the one in the middle. Readers exchange that for theirs,
/// one reader at a time.
class Latest {
public:
    explicit Latest(std::size_t size) {
        for (std::vector<double>& buffer : buffers_) buffer.resize(size);
    }

    /// The writer's buffer, to be filled before publish().
    std::vector<double>& buffer() { return buffers_[back_]; }
    void publish() { back_ = middle_.exchange(back_ | fresh, std::memory_order_acq_rel) & ~fresh; }

    /// Copies the last numbers. False if they are those that this reader has seen.
    /// inout   seen    0 for a new reader
    bool read(std::uint64_t& seen, std::vector<double>& numbers) {
        const std::lock_guard lock(readers_);
        if ((middle_.load(std::memory_order_relaxed) & fresh) != 0) {
            front_ = middle_.exchange(front_, std::memory_order_acq_rel) & ~fresh;
            ++version_;
        }
        if (seen == version_) return false;
        seen = version_;
        numbers = buffers_[front_];
        return true;
    }

private:
    static constexpr unsigned fresh = 4;  ///< bit beside an index

    std::array<std::vector<double>, 3> buffers_;
    unsigned back_ = 0;                ///< of the writer
    std::atomic<unsigned> middle_{1};  ///< with `fresh`: written and not yet read
    unsigned front_ = 2;               ///< of the readers, as all below
    std::uint64_t version_ = 0;
    std::mutex readers_;
};

}  // namespace grbda::viewer
