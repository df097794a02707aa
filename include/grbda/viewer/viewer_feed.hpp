#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grbda/model/arguments.hpp"
#include "grbda/model/model.hpp"
#include "grbda/viewer/page.hpp"

namespace grbda {

/// Options of a ViewerFeed.
struct ViewerFeedOptions {
    LoadOptions load = {};  ///< the options with which the program loads the robot's files
    int port = 0;           ///< port on 127.0.0.1; 0: any free port
    /// Names of further numbers that are sent with q and plotted. May be empty.
    std::vector<std::string> values = {};
    std::string page_template = {};  ///< path; empty: the one that viewer_template() finds
};

/// Shows the configuration of a running program in browsers of this machine:
///
///   ViewerFeed feed({"leg.urdf", "leg.yaml"}, {.values = {"time", "energy"}});
///   std::cout << feed.url() << '\n';       // to be opened in a browser, or several
///   while (…) feed.send(q, Eigen::Vector2d(time, energy));
///
/// The page computes all poses itself. A value named "time" is the horizontal axis of
/// its plots; without it, the axis is the time since the feed was made, in s.
class GRBDA_EXPORT ViewerFeed {
public:
    /// Loads the robot and serves its page until the feed is destroyed.
    /// errors  LoadError; std::invalid_argument on an invalid port; std::runtime_error if a file cannot be
    ///         read, the page's template is not built, the port is in use, or the library was built without
    ///         cpp-httplib
    explicit ViewerFeed(const std::vector<std::string>& files, const ViewerFeedOptions& options = {});
    /// Serves the page of a robot that has been read. Uses its options and ignores `options.load`.
    ViewerFeed(const ViewerRobot& robot, int nq, const ViewerFeedOptions& options = {});
    /// Tells browsers that the program has ended. Waits at most about three seconds for slow ones.
    ~ViewerFeed();
    ViewerFeed(ViewerFeed&&) noexcept;
    ViewerFeed& operator=(ViewerFeed&&) noexcept;

    /// Shows q. If q leaves loops open, the page shows the nearest configuration that closes them. Copies the
    /// numbers and returns, without locks, allocation or waiting for a browser. Browsers read the latest
    /// numbers about sixty times a second. Only one thread may send at a time.
    /// in      q [nq]; values, in the order of ViewerFeedOptions::values
    /// errors  std::invalid_argument on a wrong size
    void send(ConstVectorRef q);
    void send(ConstVectorRef q, ConstVectorRef values);

    /// Returns the page's address, "http://127.0.0.1:PORT/TOKEN/". Requests without the token are refused.
    const std::string& url() const;
    int browsers() const;  ///< number of browsers that follow now

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace grbda
