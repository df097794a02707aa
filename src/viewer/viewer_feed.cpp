#include "grbda/viewer/viewer_feed.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "grbda/io/load.hpp"
#include "latest.hpp"
#include "server.hpp"
#include "text.hpp"

namespace grbda {
namespace {

using Clock = std::chrono::steady_clock;

/// Data of a robot for a page, with its number of coordinates.
struct Loaded {
    ViewerRobot robot;
    int nq = 0;
};

Loaded load_for_page(const std::vector<std::string>& files, const LoadOptions& options) {
    const Model model = load(files, options);
    return {viewer_robot(files, options, model), model.nq};
}

std::string page_of(const ViewerRobot& robot, const ViewerFeedOptions& options) {
    return viewer::live_page(robot, options.page_template, options.values);
}

/// Time since the start, q and values as base64.
void append_event(viewer::Latest& latest, std::uint64_t& seen, std::string& text) {
    std::vector<double> numbers;
    if (!latest.read(seen, numbers)) return;
    text += "data:";
    viewer::append_base64(std::span<const double>(numbers), text);
    text += "\n\n";
}

}  // namespace

struct ViewerFeed::State {
    State(const ViewerRobot& robot, int size, const ViewerFeedOptions& options)
        : nq(size),
          value_count(static_cast<int>(options.values.size())),
          latest(std::make_shared<viewer::Latest>(static_cast<std::size_t>(1 + nq + value_count))),
          server(page_of(robot, options), options.port,
                 [numbers = latest](std::uint64_t& seen, std::string& text) {
                     append_event(*numbers, seen, text);
                 }) {}

    int nq, value_count;
    Clock::time_point start = Clock::now();
    std::shared_ptr<viewer::Latest> latest;
    viewer::PageServer server;
};

ViewerFeed::ViewerFeed(const std::vector<std::string>& files, const ViewerFeedOptions& options) {
    const Loaded loaded = load_for_page(files, options.load);
    state_ = std::make_unique<State>(loaded.robot, loaded.nq, options);
}

ViewerFeed::ViewerFeed(const ViewerRobot& robot, int nq, const ViewerFeedOptions& options)
    : state_(std::make_unique<State>(robot, nq, options)) {}

ViewerFeed::~ViewerFeed() = default;
ViewerFeed::ViewerFeed(ViewerFeed&&) noexcept = default;
ViewerFeed& ViewerFeed::operator=(ViewerFeed&&) noexcept = default;

void ViewerFeed::send(ConstVectorRef q) {
    static const VectorX<double> none;
    send(q, none);
}

void ViewerFeed::send(ConstVectorRef q, ConstVectorRef values) {
    require_size("q", q.size(), state_->nq);
    require_size("values", values.size(), state_->value_count);
    std::vector<double>& numbers = state_->latest->buffer();
    numbers[0] = std::chrono::duration<double>(Clock::now() - state_->start).count();
    std::copy_n(q.data(), q.size(), numbers.begin() + 1);
    std::copy_n(values.data(), values.size(), numbers.begin() + 1 + q.size());
    state_->latest->publish();
}

const std::string& ViewerFeed::url() const { return state_->server.url(); }
int ViewerFeed::browsers() const { return state_->server.browsers(); }

}  // namespace grbda
