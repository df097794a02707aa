#include "server.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include <httplib.h>

namespace grbda::viewer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds pause{15};   // between events for a browser
constexpr int pauses_to_sign = 60;  // without an event, before a line that finds out whether it is connected
constexpr int most_waits = 20;      // of one second, for a browser that does not read
constexpr int most_browsers = 8;
constexpr int threads = 2 * most_browsers;  // the other half: for requests that are not complete yet
constexpr std::size_t block = 1 << 14;      // bytes of the page that are written at a time
constexpr int send_buffer = 1 << 16;        // bytes; small, so that a slow browser reads no old states
constexpr std::chrono::seconds most_for_events{1}, most_for_requests{2};  // waits of end()

std::string random_token() {
    constexpr const char* digits = "0123456789abcdef";
    std::random_device random;
    std::string token;
    for (int i = 0; i < 4; ++i)
        for (unsigned word = random(), k = 0; k < 8; ++k, word >>= 4) token += digits[word & 15U];
    return token;
}

/// httplib ignores SIGPIPE for the whole process; this restores what the program had chosen.
class SignalKept {
public:
    SignalKept() { ::sigaction(SIGPIPE, nullptr, &before_); }
    ~SignalKept() { ::sigaction(SIGPIPE, &before_, nullptr); }
    SignalKept(const SignalKept&) = delete;
    SignalKept& operator=(const SignalKept&) = delete;

private:
    struct sigaction before_ {};
};

/// A thread that gets no signals, nor do those that it starts: they reach the program's threads.
std::thread thread_without_signals(std::function<void()> work) {
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::move(work));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

/// Two programs may not share a port, which the server would allow by itself.
void set_socket(int socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
}

/// State of one browser: the data that it has received.
struct Reader {
    std::uint64_t seen = 0;
    int silent = 0;  ///< pauses since the last line
    int waits = 0;   ///< for it to read, one after the other
    std::string text;
};

}  // namespace

struct PageServer::Server : std::enable_shared_from_this<PageServer::Server> {
    Server(std::string shown, Events source)
        : page(std::move(shown)), events(std::move(source)), path("/" + random_token() + "/") {
        const SignalKept kept;
        http = std::make_unique<httplib::Server>();
        configure();
        answer();
    }

    /// A client that sends its request byte by byte would hold httplib's threads for as long as it likes. It
    /// is not waited for: they share this server, and leave when the client does.
    void end() {
        std::unique_lock lock(mutex);
        ended = true;
        changed.notify_all();
        changed.wait_for(lock, most_for_events, [&] { return browsers == 0; });
        lock.unlock();
        http->stop();
        lock.lock();
        const bool is_idle = changed.wait_for(lock, most_for_requests, [&] { return stopped; });
        lock.unlock();
        if (is_idle)
            thread.join();
        else
            thread.detach();
    }

    void configure() {
        http->new_task_queue = [] { return new httplib::ThreadPool(threads); };
        http->set_socket_options(set_socket);
        http->set_tcp_nodelay(true);
        http->set_keep_alive_max_count(1);
        http->set_keep_alive_timeout(1);
        http->set_read_timeout(1);
        http->set_write_timeout(1);
        http->set_payload_max_length(0);
        http->set_default_headers({{"Cache-Control", "no-store"},
                                   {"Referrer-Policy", "no-referrer"},
                                   {"X-Content-Type-Options", "nosniff"},
                                   {"X-Frame-Options", "DENY"},
                                   {"Cross-Origin-Resource-Policy", "same-origin"}});
    }

    void answer() {
        using httplib::Request, httplib::Response;
        using Handled = httplib::Server::HandlerResponse;
        http->set_pre_routing_handler([this](const Request& request, Response& response) {
            if (request.path.compare(0, path.size(), path) == 0) return Handled::Unhandled;
            response.status = 403;
            response.set_content("403: open the address that the program shows, with its token\n",
                                 "text/plain");
            return Handled::Handled;
        });
        http->Get(path, [this](const Request&, Response& response) { send_page(response); });
        http->Get(path + "events", [this](const Request&, Response& response) { stream_events(response); });
    }

    void send_page(httplib::Response& response) {
        response.set_content_provider(
            page.size(), "text/html; charset=utf-8",
            [this, waits = 0](std::size_t offset, std::size_t length, httplib::DataSink& sink) mutable {
                return write_page(offset, length, waits, sink);
            });
    }

    bool write_page(std::size_t offset, std::size_t length, int& waits, httplib::DataSink& sink) {
        {
            const std::lock_guard lock(mutex);
            if (ended) return false;
        }
        if (offset >= page.size()) return false;  // a range that was asked for goes beyond the page
        if (!sink.is_writable()) return ++waits < most_waits;
        waits = 0;
        return sink.write(page.data() + offset, std::min({length, block, page.size() - offset}));
    }

    void stream_events(httplib::Response& response) {
        {
            const std::lock_guard lock(mutex);
            if (ended || browsers >= most_browsers) {
                response.status = 503;
                return response.set_content("503: too many browsers follow this program\n", "text/plain");
            }
            ++browsers;
        }
        const auto reader = std::make_shared<Reader>();
        response.set_chunked_content_provider(
            "text/event-stream",
            [this, reader](std::size_t, httplib::DataSink& sink) { return write_events(*reader, sink); },
            [this](bool) {
                const std::lock_guard lock(mutex);
                --browsers;
                changed.notify_all();
            });
    }

    bool write_events(Reader& reader, httplib::DataSink& sink) {
        bool last = false;
        {
            std::unique_lock lock(mutex);
            changed.wait_for(lock, pause, [&] { return ended; });
            last = ended;
        }
        if (!sink.is_writable()) return !last && ++reader.waits < most_waits;
        reader.text.clear();
        events(reader.seen, reader.text);
        if (last)
            reader.text += "event: end\ndata:\n\n";
        else if (reader.text.empty() && ++reader.silent >= pauses_to_sign)
            reader.text = ":\n\n";
        if (!reader.text.empty()) {
            reader.silent = reader.waits = 0;
            if (!sink.write(reader.text.data(), reader.text.size())) return false;
        }
        if (last) sink.done();
        return true;
    }

    void listen(int port) {
        constexpr const char* host = "127.0.0.1";
        if (port < 0 || port > 65535)
            throw std::invalid_argument("port " + std::to_string(port) + ": expected 0 to 65535");
        const int bound = port == 0                        ? http->bind_to_any_port(host)
                          : http->bind_to_port(host, port) ? port
                                                           : -1;
        if (bound < 0)
            throw std::runtime_error("port " + std::to_string(port) +
                                     " of 127.0.0.1 is in use or reserved; 0 finds a free one");
        url = "http://127.0.0.1:" + std::to_string(bound) + path;
        thread = thread_without_signals([self = shared_from_this()] { self->serve(); });
        while (!http->is_running()) std::this_thread::sleep_for(milliseconds(1));
    }

    void serve() {
        http->listen_after_bind();
        const std::lock_guard lock(mutex);
        stopped = true;
        changed.notify_all();
    }

    const std::string page;
    const Events events;
    const std::string path;
    std::string url;
    std::mutex mutex;
    std::condition_variable changed;
    bool ended = false;    ///< the program has nothing more to show
    bool stopped = false;  ///< httplib has answered all requests
    int browsers = 0;
    std::unique_ptr<httplib::Server> http;
    std::thread thread;
};

PageServer::PageServer(std::string page, int port, Events events)
    : server_(std::make_shared<Server>(std::move(page), std::move(events))) {
    server_->listen(port);
}
PageServer::~PageServer() { server_->end(); }

const std::string& PageServer::url() const { return server_->url; }

int PageServer::browsers() const {
    const std::lock_guard lock(server_->mutex);
    return server_->browsers;
}

}  // namespace grbda::viewer
