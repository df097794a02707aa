#include <stdexcept>

#include "server.hpp"

namespace grbda::viewer {

struct PageServer::Server {
    std::string url;
};

PageServer::PageServer(std::string, int, Events) {
    throw std::runtime_error(
        "this grbda was built without cpp-httplib, which serves pages. Install it (Debian: apt install "
        "libcpp-httplib-dev), and build grbda again with the CMake option GRBDA_VIEWER_SERVER=ON");
}
PageServer::~PageServer() = default;
const std::string& PageServer::url() const { return server_->url; }
int PageServer::browsers() const { return 0; }

}  // namespace grbda::viewer
