#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace grbda::viewer {

/// Serves a page and a stream of events to browsers of this machine, below one random path.
class PageServer {
public:
    /// Appends events that are new to a browser; `seen` is 0 at first, then what the last call left there.
    /// Called from several threads, some sixty times a second for each browser; a slow one may still call it
    /// after the server's end, so it owns what it reads.
    using Events = std::function<void(std::uint64_t& seen, std::string& text)>;

    /// Starts to serve. port 0: a free one. Throws std::invalid_argument for what is no port, and
    /// std::runtime_error for one that is in use, or if this library was built without a server.
    PageServer(std::string page, int port, Events events);
    /// Sends the last events and "end", and closes. Waits three seconds at most for slow clients.
    ~PageServer();
    PageServer(const PageServer&) = delete;
    PageServer& operator=(const PageServer&) = delete;

    const std::string& url() const;
    int browsers() const;  ///< that read events now

private:
    struct Server;
    std::shared_ptr<Server> server_;
};

}  // namespace grbda::viewer
