#include <algorithm>
#include <utility>

#include "elements.hpp"

namespace grbda::sdf {

namespace {

constexpr std::size_t most_names_in_a_cycle = 10;

class Resolver {
public:
    Resolver(Context& context, Graph& graph)
        : context_(context),
          graph_(graph),
          placed_(graph.frames.size(), false),
          carried_(graph.frames.size(), false) {}

    void resolve() {
        for (std::size_t i = 1; i < graph_.frames.size(); ++i) read_frame(graph_.frames[i]);
        for (std::size_t i = 1; i < graph_.frames.size(); ++i) set_carrier(static_cast<int>(i));
        cut_cycles(&Frame::base, "poses that lead to the world or their model", "relative to");
        cut_cycles(&Frame::carrier, "frames that lead to a link", "attached to");
        for (std::size_t scope = graph_.scopes.size(); scope-- > 1;) apply_placement(graph_.scopes[scope]);
        for (std::size_t i = 0; i < graph_.frames.size(); ++i) compose(static_cast<int>(i));
        for (std::size_t i = 0; i < graph_.frames.size(); ++i) find_body(static_cast<int>(i));
    }

private:
    int around(const Frame& frame) const { return graph_.scope(frame.scope).frame; }

    /// The frame that an attribute names; `otherwise` without the attribute.
    int named(const Frame& frame, int scope, const char* attribute, int otherwise) {
        const std::optional<std::string> name = context_.document.text(frame.element, attribute);
        if (!name || name->empty()) return otherwise;
        const int found = graph_.find(context_, scope, *name, frame.element, attribute);
        return found >= 0 ? found : otherwise;
    }

    /// The frame that a child element names; without it, the enclosing frame.
    int named_child(const Frame& frame, const char* child) {
        const pugi::xml_node element = frame.element.child(child);
        const std::string name = text_of(element);
        const int found = name.empty() ? -1 : graph_.find(frame.scope, name);
        return found >= 0 ? found : around(frame);  // read_ends reports it
    }

    /// Reads its pose, and the frame to which that is relative.
    void read_frame(Frame& frame) {
        frame.pose = read_pose(context_, frame.element);
        frame.base = around(frame);
        if (frame.kind == Kind::joint) frame.base = named_child(frame, "child");
        if (frame.kind == Kind::frame) frame.base = named(frame, frame.scope, "attached_to", frame.base);
        const std::string name = read_relative_to(context_, frame.element);
        if (name.empty()) return;
        const pugi::xml_node pose = frame.element.child("pose");
        const int base = graph_.find(context_, frame.scope, name, pose, "relative_to");
        if (base >= 0) frame.base = base;
    }

    void set_carrier(int index) {
        Frame& frame = graph_.at(index);
        switch (frame.kind) {
            case Kind::world:
            case Kind::link: frame.carrier = index; break;
            case Kind::joint: frame.carrier = named_child(frame, "child"); break;
            case Kind::model: frame.carrier = canonical(frame); break;
            case Kind::frame: {
                // An unknown name has been reported with the pose.
                const std::string name = frame.element.attribute("attached_to").value();
                const int found = name.empty() ? -1 : graph_.find(frame.scope, name);
                frame.carrier = found >= 0 ? found : around(frame);
                break;
            }
        }
    }

    /// The carrier of a model's own frame: the world for a static one,
    /// else the link it names, its first link, or its first model.
    int canonical(const Frame& model) {
        if (model.inside < 0) return -1;
        const Scope& inside = graph_.scope(model.inside);
        if (inside.is_static) return 0;
        int first = -1;
        for (const std::string& name : inside.names) {
            const int frame = inside.named.at(name);
            const Kind kind = graph_.at(frame).kind;
            if (kind == Kind::link) {
                first = frame;
                break;
            }
            if (kind == Kind::model && first < 0) first = frame;
        }
        return named(model, model.inside, "canonical_link", first);
    }

    bool carries_itself(int frame) const {
        return graph_.at(frame).kind == Kind::link || graph_.at(frame).kind == Kind::world;
    }

    /// Reports every cycle of a relation and cuts it at the enclosing frame.
    void cut_cycles(int Frame::*next, const char* expected, const char* relation) {
        std::vector<int> walk_of(graph_.frames.size(), -1);
        for (std::size_t start = 0; start < graph_.frames.size(); ++start) {
            int frame = static_cast<int>(start);
            while (frame >= 0 && walk_of[at(frame)] < 0) {
                walk_of[at(frame)] = static_cast<int>(start);
                const int following = graph_.at(frame).*next;
                if (next == &Frame::carrier && carries_itself(frame)) break;
                frame = following;
            }
            const bool ends = frame < 0 || walk_of[at(frame)] != static_cast<int>(start);
            if (ends || (next == &Frame::carrier && carries_itself(frame))) continue;
            report_cycle(frame, next, expected, relation);
            graph_.at(frame).*next = 0;
        }
    }

    void report_cycle(int first, int Frame::*next, const char* expected, const char* relation) {
        std::string cycle = quoted(graph_.at(first).name);
        std::size_t count = 0;
        for (int frame = graph_.at(first).*next; frame != first; frame = graph_.at(frame).*next) {
            if (++count < most_names_in_a_cycle) cycle += " → " + quoted(graph_.at(frame).name);
        }
        if (count >= most_names_in_a_cycle) cycle += " → …";
        context_.error(Code::cycle, graph_.at(first).element, expected,
                       "the cycle " + cycle + " → " + quoted(graph_.at(first).name) + " (" + relation + ")");
    }

    /// For a model with a placement_frame, the pose is that of this frame, not of its own.
    void apply_placement(const Scope& scope) {
        Frame& model = graph_.at(scope.frame);
        int frame = named(model, model.inside, "placement_frame", scope.frame);
        Pose in_model;
        for (; frame > 0 && frame != scope.frame; frame = graph_.at(frame).base) {
            in_model = graph_.at(frame).pose * in_model;
        }
        if (frame == scope.frame) {
            model.pose = model.pose * inverse(in_model);
            return;
        }
        context_.error(Code::unsupported, model.element,
                       "a placement_frame whose pose is known within the model",
                       "one placed relative to the world");
    }

    void compose(int frame) {
        std::vector<int> chain;
        for (; frame > 0 && !placed_[at(frame)]; frame = graph_.at(frame).base) chain.push_back(frame);
        for (auto next = chain.rbegin(); next != chain.rend(); ++next) {
            Frame& placed = graph_.at(*next);
            placed.in_world = graph_.at(std::max(placed.base, 0)).in_world * placed.pose;
            placed_[at(*next)] = true;
        }
    }

    void find_body(int frame) {
        std::vector<int> chain;
        for (; frame >= 0 && !carried_[at(frame)]; frame = graph_.at(frame).carrier) {
            carried_[at(frame)] = true;
            if (carries_itself(frame)) {
                graph_.at(frame).body = frame;
                break;
            }
            chain.push_back(frame);
        }
        const int body = frame >= 0 ? graph_.at(frame).body : -1;
        for (const int link : chain) graph_.at(link).body = body;
    }

    Context& context_;
    Graph& graph_;
    std::vector<bool> placed_, carried_;
};

}  // namespace

void resolve_frames(Context& context, Graph& graph) { Resolver(context, graph).resolve(); }

}  // namespace grbda::sdf
