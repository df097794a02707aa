#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "steps.hpp"

// Some exporters of CAD programs mark a loop by two frames, closing_NAME_1 and closing_NAME_2, whose origins
// coincide. The file does not state the type of joint there, so that no loop can be made of them.

namespace grbda::mechanism {

namespace {

constexpr std::string_view prefix = "closing_";

/// "closing_NAME" of "closing_NAME_1"; empty for other names.
std::string stem_of(const std::string& name, char end) {
    const bool fits = name.size() > prefix.size() + 2 && name.compare(0, prefix.size(), prefix) == 0 &&
                      name[name.size() - 2] == '_' && name.back() == end;
    return fits ? name.substr(0, name.size() - 2) : std::string();
}

const SourceLocation& place_of_frame(const Context& context, const std::string& name) {
    const int link = context.links.find(name);
    if (link >= 0) return context.description.links[at(link)].where;
    for (const FrameDescription& frame : context.description.frames)
        if (frame.name == name) return frame.where;
    return context.description.where;
}

}  // namespace

void warn_about_closing_frames(const Context& context, const Mechanism& mechanism) {
    std::map<std::string, int> firsts;
    for (const MechanismFrame& frame : mechanism.frames)
        if (const std::string stem = stem_of(frame.name, '1'); !stem.empty())
            firsts.emplace(stem, frame.body);
    for (const MechanismFrame& frame : mechanism.frames) {
        const std::string stem = stem_of(frame.name, '2');
        const auto first = firsts.find(stem);
        if (first == firsts.end() || first->second == frame.body) continue;
        const bool is_closed =
            std::any_of(mechanism.loops.begin(), mechanism.loops.end(), [&](const MechanismLoop& loop) {
                return std::minmax(loop.predecessor, loop.successor) ==
                       std::minmax(first->second, frame.body);
            });
        if (is_closed) continue;
        context.report(context.options.strict ? Severity::error : Severity::warning, Code::left_out,
                       place_of_frame(context, frame.name),
                       {"frame", frame.name, "frame " + quoted(frame.name)},
                       "a loop between " + quoted(stem + "_1") + " and " + quoted(frame.name),
                       "two frames of a loop whose type the file does not state",
                       "the loop is left open; add it to the file, or in a side file with closed_loop");
    }
}

}  // namespace grbda::mechanism
