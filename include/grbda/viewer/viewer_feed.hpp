#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grbda/model/arguments.hpp"
#include "grbda/viewer/page.hpp"

namespace grbda {

struct ViewerFeedOptions {
    LoadOptions load = {};  ///< of the robot's files, as the program loads them
    int port = 0;           ///< of 127.0.0.1; 0: a free one
    std::vector<std::string> values =
        {};                          ///< names of numbers that are sent and plotted besides q; may be none
    std::string page_template = {};  ///< empty: as viewer_template() finds it
};

/// Shows the configuration of a running program in browsers of this machine:
///
///   ViewerFeed feed({"leg.urdf", "leg.yaml"}, {.values = {"time", "energy"}});
///   std::cout << feed.url() << '\n';       // to be opened in a browser, or several
///   while (…) feed.send(q, Eigen::Vector2d(time, energy));
///
/// The page computes all poses by its own engine. A value with the name "time" is the axis of its plots;
/// without one that is the time since the feed was made, in s.
class GRBDA_EXPORT ViewerFeed {
public:
    /// Loads the robot and serves its page until the feed is destroyed.
    /// throws  LoadError; std::invalid_argument for numbers that are no port; std::runtime_error for files
    /// that cannot be read, a page that is not
    ///         built, a port in use, or a library that was built without cpp-httplib
    explicit ViewerFeed(const std::vector<std::string>& files, const ViewerFeedOptions& options = {});
    /// The same for a robot that viewer_robot() has read, with the options that it was read with.
    ViewerFeed(const ViewerRobot& robot, int nq, const ViewerFeedOptions& options = {});
    /// Tells browsers that the program has ended. Waits some three seconds at most for those that are
    /// slow.
    ~ViewerFeed();
    ViewerFeed(ViewerFeed&&) noexcept;
    ViewerFeed& operator=(ViewerFeed&&) noexcept;

    /// Shows q [nq], which should close the loops: the page shows the nearest configuration that does.
    /// Copies the numbers and returns: it takes no lock, allocates nothing, and waits for no browser.
    /// Browsers read the latest numbers some sixty times a second. One thread sends at a time.
    /// in      values  [values], in the order of their names
    /// throws  std::invalid_argument for other sizes
    void send(ConstVector<double> q);
    void send(ConstVector<double> q, ConstVector<double> values);

    /// "http://127.0.0.1:PORT/TOKEN/". Only who knows the token sees the page.
    const std::string& url() const;
    int browsers() const;  ///< that follow now

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace grbda
