#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/io/load.hpp"
#include "grbda/viewer/viewer_feed.hpp"
#include "support/counted_allocations.hpp"
#include "viewer/http_client.hpp"

// A browser reads configurations that were sent, whole and in order, and the last one in the end, whatever
// other browsers do.

using namespace grbda;

namespace {

constexpr int coordinates = 40;
constexpr std::size_t page_size = 3000000;  // more than sockets hold

/// A template in a file of its own.
class Template {
public:
    Template() {
        std::ofstream(path) << "<meta content=\"default-src 'none'; x\"><script>/*ROBOT*/</script>"
                            << std::string(page_size, ' ');
    }
    ~Template() { std::filesystem::remove(path); }
    Template(const Template&) = delete;
    Template& operator=(const Template&) = delete;

    const std::string path =
        (std::filesystem::temp_directory_path() / ("grbda_feed_" + std::to_string(::getpid()) + ".html"))
            .string();
};

ViewerFeed feed_of(const Template& page, std::vector<std::string> values = {}, int port = 0) {
    return {ViewerRobot{.files = {{"a.urdf", "<robot/>"}}},
            coordinates,
            {.port = port, .values = std::move(values), .page_template = page.path}};
}

Eigen::VectorXd all(double x) { return Eigen::VectorXd::Constant(coordinates, x); }

/// Reads events until the end, each of which must hold one number in all of its coordinates, larger than
/// those before. Returns the last one.
double last_number(http::Events& events, std::atomic<int>& received) {
    double last = -1;
    for (;;) {
        const std::string event = events.next();
        if (event.rfind("event: end", 0) == 0) return last;
        if (event.rfind("data:", 0) != 0) throw std::runtime_error("unexpected event '" + event + "'");
        const std::vector<double> numbers = http::numbers(event.substr(5));
        if (numbers.size() != coordinates + 1) throw std::runtime_error("an event of another length");
        const double x = numbers[1];
        if (!(x > last) || std::count(numbers.begin() + 1, numbers.end(), x) != coordinates)
            throw std::runtime_error("an event that was not sent, or late");
        last = x;
        ++received;
    }
}

/// A browser in a thread.
struct Follower {
    explicit Follower(const ViewerFeed& feed)
        : thread([this, page = http::parse(feed.url())] {
              try {
                  http::Events events(page);
                  last = last_number(events, received);
              } catch (const std::exception& error) {
                  wrong = error.what();
              }
          }) {}

    double last = -2;
    std::string wrong;
    std::atomic<int> received = 0;
    std::thread thread;
};

void wait_for_browsers(const ViewerFeed& feed, int count) {
    while (feed.browsers() != count) std::this_thread::yield();
}

}  // namespace

TEST_CASE("feed: the page is served below its token alone") {
    const Template page;
    const ViewerFeed feed = feed_of(page, {"time", "</script>"});
    const http::Address address = http::parse(feed.url());
    CHECK(address.path.size() == 2 + 32);
    const http::Answer shown = http::get(address);
    CHECK(shown.status == 200);
    CHECK(shown.head.find("text/html") != std::string::npos);
    CHECK(shown.head.find("Cache-Control: no-store") != std::string::npos);
    CHECK(shown.body.size() > page_size);
    CHECK(shown.body.find("default-src 'none'; connect-src 'self'") != std::string::npos);
    CHECK(shown.body.find("\"feed\":{\"values\":[\"time\",\"\\u003c/script>\"]}") != std::string::npos);
    std::string other = address.path;
    other[1] = other[1] == '0' ? '1' : '0';
    for (const std::string& path :
         {std::string("/"), std::string("/events"), other, other + "events", address.path.substr(0, 33),
          address.path.substr(0, 32) + "/", "/x" + address.path})
        for (const char* method : {"GET", "POST", "HEAD", "OPTIONS"}) {
            INFO(method << " " << path);
            const http::Answer refused = http::get({address.port, path}, method);
            CHECK(refused.status == 403);
            CHECK(refused.body.find("robot") == std::string::npos);
        }
    CHECK(http::get({address.port, address.path + "other"}).status == 404);
    CHECK(http::parse(feed_of(page).url()).path != address.path);
}

TEST_CASE("feed: ranges beyond the page read nothing else") {
    const Template page;
    ViewerFeed feed({std::string(GRBDA_ROBOTS) + "/four_bar/four_bar.urdf"}, {.page_template = page.path});
    const http::Address address = http::parse(feed.url());
    const std::size_t size = http::get(address).body.size();
    for (const char* range : {"0-99999999999", "99999999-", "900000000-900000010", "-99999999999"}) {
        INFO(range);
        const http::Connection connection(address.port);
        connection.write("GET " + address.path +
                         " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nRange: bytes=" + range +
                         "\r\n\r\n");
        std::string text;
        while (connection.read(text)) {
        }
        const std::size_t head = text.find("\r\n\r\n");
        CHECK((head == std::string::npos || text.size() - head - 4 <= size));
        CHECK(http::get(address).status == 200);
    }
}

TEST_CASE("feed: other addresses of this machine lead nowhere") {
    const Template page;
    const ViewerFeed feed = feed_of(page);
    const int port = http::parse(feed.url()).port;
    CHECK(http::Connection(port).is_open());
    CHECK_FALSE(http::Connection(port, "127.0.0.2").is_open());
}

TEST_CASE("feed: browsers read whole configurations in order, and the last one") {
    constexpr int sends = 200000;
    const Template page;
    std::optional<ViewerFeed> feed = feed_of(page);
    Follower one(*feed), two(*feed);
    wait_for_browsers(*feed, 2);
    for (int i = 0; i < sends || one.received < 3 || two.received < 3; ++i) feed->send(all(i));
    feed->send(all(1e9));
    feed.reset();
    for (Follower* follower : {&one, &two}) {
        follower->thread.join();
        CHECK(follower->wrong.empty());
        CHECK(follower->last == 1e9);
        CHECK(follower->received < sends / 10);
    }
}

TEST_CASE("feed: a browser that comes late reads the last configuration") {
    const Template page;
    ViewerFeed feed = feed_of(page, {"energy"});
    feed.send(all(1), Eigen::VectorXd::Constant(1, 7));
    feed.send(all(2), Eigen::VectorXd::Constant(1, 8));
    http::Events events(http::parse(feed.url()));
    const std::vector<double> numbers = http::numbers(events.next().substr(5));
    REQUIRE(numbers.size() == coordinates + 2);
    CHECK(numbers[0] >= 0);
    CHECK(numbers[1] == 2);
    CHECK(numbers[coordinates + 1] == 8);
}

TEST_CASE("feed: browsers that vanish, or do not read, disturb no one") {
    const Template page;
    std::optional<ViewerFeed> feed = feed_of(page);
    const http::Address address = http::parse(feed->url());
    const http::Connection deaf(address.port), deaf_for_page(address.port), silent(address.port);
    deaf.ask(address.path + "events");
    deaf_for_page.ask(address.path);
    Follower follower(*feed);
    {
        http::Events vanishing(address);
        wait_for_browsers(*feed, 3);
        feed->send(all(0));
        vanishing.next();
    }
    for (int i = 1; feed->browsers() > 2 || follower.received < 20; ++i) feed->send(all(i));
    feed->send(all(1e9));
    feed.reset();
    follower.thread.join();
    CHECK(follower.wrong.empty());
    CHECK(follower.last == 1e9);
}

TEST_CASE("feed: a client that never completes its request does not delay the end") {
    const Template page;
    std::optional<ViewerFeed> feed = feed_of(page);
    const http::Address address = http::parse(feed->url());
    const http::Connection endless(address.port);
    endless.write("GET / HTTP/1.1\r\n");
    REQUIRE(http::get(address).status == 200);  // connections are accepted in their order
    std::atomic<bool> has_ended = false;
    std::string wrong;
    std::thread writer([&] {
        try {
            for (; !has_ended; std::this_thread::sleep_for(std::chrono::milliseconds(100)))
                endless.write("a");
        } catch (const std::exception& error) {
            wrong = error.what();
        }
    });
    feed.reset();
    has_ended = true;
    writer.join();
    CHECK(wrong.empty());
}

TEST_CASE("feed: a browser that begins to read late reads the whole page") {
    const Template page;
    const ViewerFeed feed = feed_of(page);
    const http::Address address = http::parse(feed.url());
    const http::Connection late(address.port);
    late.ask(address.path);
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // more than a write to its socket waits
    std::string text;
    while (late.read(text)) {
    }
    CHECK(text.size() > page_size);
}

TEST_CASE("feed: so many browsers follow, and no more") {
    const Template page;
    const ViewerFeed feed = feed_of(page);
    const http::Address address = http::parse(feed.url());
    std::vector<std::unique_ptr<http::Events>> browsers;
    for (int i = 0; i < 8; ++i) browsers.push_back(std::make_unique<http::Events>(address));
    wait_for_browsers(feed, 8);
    CHECK(http::get({address.port, address.path + "events"}).status == 503);
    CHECK(http::get(address).status == 200);
}

TEST_CASE("feed: sending allocates nothing, and other sizes are refused") {
    const Template page;
    ViewerFeed feed = feed_of(page, {"time"});
    const Eigen::VectorXd q = all(1), value = Eigen::VectorXd::Zero(1);
    feed.send(q, value);
    const long before = counted_allocations();
    for (int i = 0; i < 1000; ++i) feed.send(q, value);
    CHECK(counted_allocations() == before);
    CHECK_THROWS_WITH(feed.send(value, value), Catch::Contains("q has size 1, expected 40"));
    CHECK_THROWS_WITH(feed.send(q, q), Catch::Contains("values has size 40, expected 1"));
    CHECK_THROWS_WITH(feed.send(q), Catch::Contains("values has size 0, expected 1"));
}

TEST_CASE("feed: ports") {
    const Template page;
    const ViewerFeed feed = feed_of(page);
    const int port = http::parse(feed.url()).port;
    CHECK_THROWS_WITH(feed_of(page, {}, port),
                      Catch::Contains(std::to_string(port) + " of 127.0.0.1 is in use"));
    CHECK_THROWS_AS(feed_of(page, {}, 65536), std::invalid_argument);
    CHECK_THROWS_AS(feed_of(page, {}, -1), std::invalid_argument);
}

TEST_CASE("feed: signals stay the program's own") {
    struct sigaction before {
    }, after{};
    ::sigaction(SIGPIPE, nullptr, &before);
    const Template page;
    const ViewerFeed feed = feed_of(page);
    ::sigaction(SIGPIPE, nullptr, &after);
    CHECK(after.sa_handler == before.sa_handler);
}

TEST_CASE("feed: the page receives the list of coordinates, which excludes those of rods") {
    const Template page;
    const std::string folder = std::string(GRBDA_ROBOTS) + "/digit_leg/digit_leg";
    ViewerFeedOptions options{.page_template = page.path};
    const auto named = [&] {
        const std::vector<std::string> files{folder + ".urdf", folder + ".yaml"};
        ViewerFeed feed(files, options);
        const std::string body = http::get(http::parse(feed.url())).body;
        const std::size_t begin = body.find("\"coordinates\":["), end = body.find(']', begin);
        REQUIRE(begin != std::string::npos);
        CHECK_NOTHROW(feed.send(Eigen::VectorXd::Zero(load(files, options.load).nq)));
        return std::count(body.begin() + static_cast<std::ptrdiff_t>(begin),
                          body.begin() + static_cast<std::ptrdiff_t>(end), ',') +
               1;
    };
    CHECK(named() == 9);
    options.load.rod_reduction = false;
    CHECK(named() > 9);
}

TEST_CASE("feed: a robot's files are loaded as the program loads them") {
    const Template page;
    const std::string file = std::string(GRBDA_ROBOTS) + "/four_bar/four_bar.urdf";
    ViewerFeedOptions options{.page_template = page.path};
    options.load.floating_base = true;
    ViewerFeed feed({file}, options);
    CHECK(http::get(http::parse(feed.url())).body.find("\"floating\":true") != std::string::npos);
    const int nq = load(file, options.load).nq;
    CHECK_THROWS_WITH(feed.send(Eigen::VectorXd::Zero(1)), Catch::Contains("expected " + std::to_string(nq)));
    CHECK_THROWS_AS(ViewerFeed({"/nowhere.urdf"}, options), LoadError);
}
