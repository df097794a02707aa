#include "layout.hpp"

#include <algorithm>
#include <utility>

namespace grbda::writing {

namespace {

/// A link's frame that differs from the joint's only by rounding is equal to it.
bool is_identity(const Pose& pose) {
    constexpr double rounding = 1e-14;
    return (pose.rotation - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() <= rounding &&
           pose.translation.cwiseAbs().maxCoeff() <= rounding;
}

/// Finds links at the frames of bodies and world, and names new links at frames without one.
class LayoutMaker {
public:
    LayoutMaker(const Mechanism& mechanism, const std::unordered_set<std::string>& reserved)
        : mechanism_(mechanism), reserved_(reserved) {
        for (const MechanismFrame& frame : mechanism.frames) names_.take(frame.name);
        for (const std::string& name : reserved) names_.take(name);
    }

    Layout make() {
        find_root();
        find_bodies();
        for (std::size_t i = 0; i < mechanism_.frames.size(); ++i) {
            const MechanismFrame& frame = mechanism_.frames[i];
            if (frame.body != world && mechanism_.bodies[at(frame.body)].combined) continue;
            if (const auto added = before_.find(frame.name); added != before_.end()) add_body(added->second);
            const int index = static_cast<int>(i);
            if (index == root_frame_) {
                layout_.links.push_back({frame.name, world, -1});
            } else if (frame.body != world && body_frame_[at(frame.body)] == index) {
                layout_.links.push_back({frame.name, frame.body, -1});
            } else {
                layout_.links.push_back({frame.name, world, index});
            }
        }
        for (const int body : last_) add_body(body);
        return std::move(layout_);
    }

private:
    void find_root() {
        const auto root = std::find_if(
            mechanism_.frames.begin(), mechanism_.frames.end(), [&](const MechanismFrame& frame) {
                return frame.body == world && frame.name == mechanism_.root && is_identity(frame.placement);
            });
        if (root != mechanism_.frames.end()) {
            root_frame_ = static_cast<int>(root - mechanism_.frames.begin());
            layout_.root = mechanism_.root;
            return;
        }
        const bool is_free = !mechanism_.root.empty() && !names_.is_taken(mechanism_.root);
        layout_.root = names_.free(is_free ? mechanism_.root : "world");
        layout_.links.push_back({layout_.root, world, -1});
    }

    void find_bodies() {
        body_frame_.assign(mechanism_.bodies.size(), -1);
        for (std::size_t i = 0; i < mechanism_.frames.size(); ++i) {
            const MechanismFrame& frame = mechanism_.frames[i];
            if (frame.body == world || body_frame_[at(frame.body)] >= 0) continue;
            const bool is_own = frame.name == mechanism_.bodies[at(frame.body)].name &&
                                is_identity(frame.placement) && reserved_.count(frame.name) == 0;
            if (is_own) body_frame_[at(frame.body)] = static_cast<int>(i);
        }
        for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i) name_body(static_cast<int>(i));
    }

    void name_body(int index) {
        const MechanismBody& body = mechanism_.bodies[at(index)];
        if (body_frame_[at(index)] >= 0) {
            layout_.body_links.push_back(body.name);
        } else if (!names_.is_taken(body.name)) {
            layout_.body_links.push_back(names_.free(body.name));
            last_.push_back(index);
        } else {
            layout_.body_links.push_back(names_.free(body.joint + "_frame"));
            if (!before_.emplace(body.name, index).second) last_.push_back(index);
        }
    }

    void add_body(int body) { layout_.links.push_back({layout_.body_links[at(body)], body, -1}); }

    const Mechanism& mechanism_;
    const std::unordered_set<std::string>& reserved_;
    Layout layout_;
    FreeNames names_;
    int root_frame_ = -1;
    std::vector<int> body_frame_;                  ///< body → its own frame, or −1
    std::unordered_map<std::string, int> before_;  ///< name of a frame → body with a new link before it
    std::vector<int> last_;                        ///< bodies with new links after all frames
};

}  // namespace

std::string FreeNames::free(const std::string& wanted) {
    std::string name = wanted;
    for (int& number = numbers_.try_emplace(wanted, 1).first->second; !taken_.insert(name).second;) {
        name = wanted + "_" + std::to_string(++number);
    }
    return name;
}

Layout make_layout(const Mechanism& mechanism, const std::unordered_set<std::string>& reserved) {
    return LayoutMaker(mechanism, reserved).make();
}

bool has_link(const Layout& layout, const std::string& name) {
    return std::any_of(layout.links.begin(), layout.links.end(),
                       [&](const LinkEntry& link) { return link.name == name; });
}

ShapesByLink shapes_by_link(const Mechanism& mechanism, const Layout& layout) {
    std::unordered_set<std::string> links;
    for (const LinkEntry& link : layout.links) links.insert(link.name);
    ShapesByLink shapes;
    for (const MechanismShape& shape : mechanism.shapes) {
        const bool is_written = links.count(shape.link) != 0;
        shapes[is_written ? shape.link : layout.link_of(shape.body)].push_back(
            {&shape.shape, is_written ? shape.shape.origin : shape.placement});
    }
    return shapes;
}

}  // namespace grbda::writing
