#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// A client of a server on this machine, made of a socket alone.

namespace http {

struct Address {
    int port = 0;
    std::string path;
};

/// "http://127.0.0.1:PORT/PATH"
inline Address parse(const std::string& url) {
    const std::string start = "http://127.0.0.1:";
    if (url.rfind(start, 0) != 0) throw std::runtime_error("unexpected address " + url);
    const std::size_t slash = url.find('/', start.size());
    return {std::stoi(url.substr(start.size())), url.substr(slash)};
}

class Connection {
public:
    explicit Connection(int port, const char* host = "127.0.0.1") {
        socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, host, &address.sin_addr);
        is_open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }
    ~Connection() { ::close(socket_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    bool is_open() const { return is_open_; }
    void write(const std::string& text) const {
        if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
            throw std::runtime_error("the server does not read");
    }
    void ask(const std::string& path, const char* method = "GET") const {
        write(std::string(method) + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    }
    /// Some more of what the server sends, behind `text`. False at its end.
    bool read(std::string& text) const {
        char block[4096];
        const ssize_t count = ::recv(socket_, block, sizeof block, 0);
        if (count > 0) text.append(block, static_cast<std::size_t>(count));
        return count > 0;
    }

private:
    int socket_ = -1;
    bool is_open_ = false;
};

struct Answer {
    int status = 0;
    std::string head, body;
};

inline Answer get(const Address& address, const char* method = "GET") {
    const Connection connection(address.port);
    connection.ask(address.path, method);
    std::string text;
    while (connection.read(text)) {
    }
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string::npos) throw std::runtime_error("no answer: " + text);
    return {std::stoi(text.substr(9)), text.substr(0, end), text.substr(end + 4)};
}

/// Reads a stream of server-sent events.
class Events {
public:
    explicit Events(const Address& page) : connection_(page.port) { connection_.ask(page.path + "events"); }

    /// The next event, without its blank line; empty at the end of the stream. Chunks of the transfer begin
    /// with a line of their length, which no event looks like.
    std::string next() {
        while (!is_in_body_ && text_.find("\r\n\r\n") == std::string::npos)
            if (!connection_.read(text_)) return {};
        if (!is_in_body_) text_.erase(0, text_.find("\r\n\r\n") + 4);
        is_in_body_ = true;
        for (;;) {
            const std::size_t end = text_.find("\n\n");
            if (end != std::string::npos) {
                std::string event = text_.substr(0, end);
                text_.erase(0, end + 2);
                const std::size_t line = event.rfind("\r\n");
                if (line != std::string::npos) event.erase(0, line + 2);
                if (event == ":") continue;
                return event;
            }
            if (!connection_.read(text_)) return {};
        }
    }

private:
    Connection connection_;
    std::string text_;
    bool is_in_body_ = false;
};

inline std::string decoded(const std::string& base64) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned word = 0;
    int bits = 0;
    for (const char c : base64) {
        const std::size_t digit = digits.find(c);
        if (digit == std::string::npos) break;
        word = word << 6 | static_cast<unsigned>(digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(word >> bits & 255U);
    }
    return bytes;
}

inline std::vector<double> numbers(const std::string& base64) {
    const std::string bytes = decoded(base64);
    std::vector<double> out(bytes.size() / sizeof(double));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(double));
    return out;
}

}  // namespace http
