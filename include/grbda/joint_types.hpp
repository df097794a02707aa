#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

// The types of joints and loops, one table row per type, with the facts that all components need.
// kernels/body/joint.hpp contains the kinematics of joints.

namespace grbda {

// Constraint rows of loop joints. `loop_facts` lists the rows of each type.

/// The quantity of frame Q relative to frame P that a row constrains; x is the axis of the loop in both.
enum class RowKind {
    along,     ///< displacement of Q's origin along an axis of P
    distance,  ///< between the origins, minus the loop's length
    length,    ///< between the origins, minus the loop's length and the position of its slide
    screw,     ///< displacement along x, minus turn about x times the loop's pitch; last of the lengths
    turn,      ///< rotation about an axis of P, if all three axes of Q are fixed
    tilt,      ///< tilt of Q's axis about an axis of P perpendicular to P's own
    angle      ///< between P's axis and Q's second one, minus the loop's angle
};

/// One constraint row of a loop.
struct LoopRow {
    RowKind kind = RowKind::along;
    int axis = -1;  ///< axis of P: 0, 1, 2; −1: the kind needs none
};

/// True if the row measures a length in m, false for an angle in rad.
constexpr bool is_length(RowKind kind) {
    switch (kind) {
        case RowKind::along:
        case RowKind::distance:
        case RowKind::length:
        case RowKind::screw: return true;
        case RowKind::turn:
        case RowKind::tilt:
        case RowKind::angle: return false;
    }
    return false;
}

/// Closure error of one loop or coupling.
struct LoopGap {
    double length = 0;     ///< m
    double angle = 0;      ///< rad
    bool opposed = false;  ///< at a false root: axes point against each other
};

enum class JointType {
    fixed,
    revolute,
    continuous,
    prismatic,
    helical,
    cylindrical,
    universal,
    planar,
    spherical,
    floating
};

enum class LoopType {
    fixed,
    revolute,
    continuous,
    prismatic,
    helical,
    cylindrical,
    universal,
    planar,
    spherical,
    point_on_line,  ///< the origin of Q lies on a line of P: a pin in a slot, a ball in a groove
    distance,
    floating
};

/// The motion that one component of q̇ produces.
enum class Freedom {
    slide,    ///< m/s along an axis; a length in q
    turn,     ///< rad/s about an axis; an angle in q, whose whole turns have no effect
    screw,    ///< rad/s about an axis, and along it; an angle in q, whose whole turns move the child
    rotation  ///< rad/s about one of three axes of the child; its quaternion x y z w is the last part of q
};

/// A list of at most six entries.
template <class T>
class Few {
public:
    constexpr Few(std::initializer_list<T> each) : size_(static_cast<int>(each.size())) {
        std::copy(each.begin(), each.end(), each_.begin());
    }
    constexpr int size() const { return size_; }
    constexpr const T& operator[](int i) const { return each_[static_cast<std::size_t>(i)]; }
    constexpr bool has(const T& wanted) const { return std::find(begin(), end(), wanted) != end(); }
    constexpr const T* begin() const { return each_.data(); }
    constexpr const T* end() const { return each_.data() + size_; }

private:
    std::array<T, 6> each_{};
    int size_ = 0;
};

/// Properties of a joint type.
struct JointFacts {
    JointType type;
    const char* name;       ///< in files and messages
    int axes;               ///< how many of axis and axis2 the type uses
    bool has_range;         ///< its one coordinate can have limits
    LoopType loop;          ///< its type if it closes a loop
    Few<Freedom> freedoms;  ///< in the order of q̇
};

inline constexpr std::array joint_facts = [] {
    using enum Freedom;
    using J = JointType;
    using L = LoopType;
    return std::to_array<JointFacts>({
        {J::fixed, "fixed", 0, false, L::fixed, {}},
        {J::revolute, "revolute", 1, true, L::revolute, {turn}},
        {J::continuous, "continuous", 1, false, L::revolute, {turn}},
        {J::prismatic, "prismatic", 1, true, L::prismatic, {slide}},
        {J::helical, "helical", 1, true, L::helical, {screw}},
        {J::cylindrical, "cylindrical", 1, false, L::cylindrical, {turn, slide}},
        {J::universal, "universal", 2, false, L::universal, {turn, turn}},
        {J::planar, "planar", 1, false, L::planar, {slide, slide, turn}},
        {J::spherical, "spherical", 0, false, L::spherical, {rotation, rotation, rotation}},
        {J::floating, "floating", 0, false, L::floating, {slide, slide, slide, rotation, rotation, rotation}},
    });
}();

/// Properties of a loop type.
struct LoopFacts {
    LoopType type;
    const char* name;   ///< in files and messages
    int axes;           ///< how many of axis and axis2 the type uses
    Few<LoopRow> rows;  ///< constraint rows, lengths first
};

inline constexpr std::array loop_facts = [] {
    using L = LoopType;
    constexpr LoopRow along_x{RowKind::along, 0}, along_y{RowKind::along, 1}, along_z{RowKind::along, 2};
    constexpr LoopRow turn_x{RowKind::turn, 0}, turn_y{RowKind::turn, 1}, turn_z{RowKind::turn, 2};
    constexpr LoopRow tilt_y{RowKind::tilt, 1}, tilt_z{RowKind::tilt, 2};
    constexpr LoopRow angle{RowKind::angle}, distance{RowKind::distance}, screw{RowKind::screw};
    return std::to_array<LoopFacts>({
        {L::fixed, "fixed", 0, {along_x, along_y, along_z, turn_x, turn_y, turn_z}},
        {L::revolute, "revolute", 1, {along_x, along_y, along_z, tilt_y, tilt_z}},
        {L::continuous, "continuous", 1, {along_x, along_y, along_z, tilt_y, tilt_z}},
        {L::prismatic, "prismatic", 1, {along_y, along_z, turn_x, turn_y, turn_z}},
        {L::helical, "helical", 1, {along_y, along_z, screw, tilt_y, tilt_z}},
        {L::cylindrical, "cylindrical", 1, {along_y, along_z, tilt_y, tilt_z}},
        {L::universal, "universal", 2, {along_x, along_y, along_z, angle}},
        {L::planar, "planar", 1, {along_x, tilt_y, tilt_z}},
        {L::spherical, "spherical", 0, {along_x, along_y, along_z}},
        {L::point_on_line, "point_on_line", 1, {along_y, along_z}},
        {L::distance, "distance", 0, {distance}},
        {L::floating, "floating", 0, {}},
    });
}();

namespace detail {

/// True if row i of the table has type i, and the last row has the last type.
template <class Table, class Type>
consteval bool is_in_order(const Table& table, Type last) {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (static_cast<std::size_t>(table[i].type) != i) return false;
    return table.back().type == last;
}
static_assert(is_in_order(joint_facts, JointType::floating));
static_assert(is_in_order(loop_facts, LoopType::floating));

/// One number below 16 per joint type, four bits each: kernels read it by a shift, without a memory access.
template <class Fact>
consteval std::uint64_t packed(Fact fact) {
    static_assert(joint_facts.size() <= 16);
    std::uint64_t word = 0;
    for (const JointFacts& facts : joint_facts) {
        const auto value = static_cast<std::uint64_t>(fact(facts));
        if (value > 15) throw "more than four bits";
        word |= value << 4 * static_cast<unsigned>(facts.type);
    }
    return word;
}
constexpr int unpacked(std::uint64_t word, JointType type) {
    return static_cast<int>(word >> 4 * static_cast<unsigned>(type) & 15u);
}

/// Index in q of the first angle; −1 for joints without an angle.
constexpr int first_angle(const JointFacts& facts) {
    const auto is_angle = [](Freedom kind) { return kind == Freedom::turn || kind == Freedom::screw; };
    const Freedom* const found = std::find_if(facts.freedoms.begin(), facts.freedoms.end(), is_angle);
    return found == facts.freedoms.end() ? -1 : static_cast<int>(found - facts.freedoms.begin());
}

}  // namespace detail

constexpr const JointFacts& facts(JointType type) { return joint_facts[static_cast<std::size_t>(type)]; }
constexpr const LoopFacts& facts(LoopType type) { return loop_facts[static_cast<std::size_t>(type)]; }

constexpr const char* to_string(JointType type) { return facts(type).name; }
constexpr const char* to_string(LoopType type) { return facts(type).name; }

/// Number of components of q̇ for a joint of this type.
constexpr int velocity_size(JointType type) {
    constexpr std::uint64_t sizes = detail::packed([](const JointFacts& f) { return f.freedoms.size(); });
    return detail::unpacked(sizes, type);
}

/// True if the last four numbers in q are a quaternion: the positions are then no vector space.
constexpr bool has_quaternion(JointType type) {
    constexpr std::uint64_t some =
        detail::packed([](const JointFacts& f) { return f.freedoms.has(Freedom::rotation); });
    return detail::unpacked(some, type) != 0;
}

/// Number of components of q: one more than in q̇ if there is a quaternion.
constexpr int position_size(JointType type) { return velocity_size(type) + (has_quaternion(type) ? 1 : 0); }

/// Index, in the joint's part of q, of the first angle that turns the body; −1 for joints without an angle.
constexpr int angle_index(JointType type) {
    constexpr std::uint64_t places =
        detail::packed([](const JointFacts& f) { return detail::first_angle(f) + 1; });
    return detail::unpacked(places, type) - 1;
}

/// True if this component of q̇ is of the given kind.
constexpr bool is_freedom(JointType type, int component, Freedom kind) {
    return component < velocity_size(type) && facts(type).freedoms[component] == kind;
}

/// Number of constraint rows of a loop joint of this type.
constexpr int constraint_size(LoopType type) { return facts(type).rows.size(); }

/// The joint at end A of a rod; end B is a ball.
enum class RodJoint { ball, universal, revolute };

}  // namespace grbda
