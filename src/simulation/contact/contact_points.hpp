#pragma once

#include "moving_ground.hpp"
#include "model/workspace.hpp"

// Points of contacts that are fixed in both bodies at the start of a step. They show how the bodies move
// relative to each other.

namespace grbda::simulation {

class ContactPoints {
public:
    explicit ContactPoints(int most_contacts) { points_.reserve(static_cast<std::size_t>(most_contacts)); }

    /// Stores the points where bodies touch. Call it after kinematics.
    void mark(const Model& model, const Workspace<double>& data, std::span<const ContactState> contacts);
    /// Computes the displacement of the point of the body relative to the point of the other body, after
    /// kinematics of another pose.
    /// in      ground  displacement of the ground since mark(); null if it is at rest. The result is in the
    ///         axes that the ground had then
    Vector3<double> apart(const Model& model, const Workspace<double>& data, std::size_t contact,
                          const Displacement* ground) const;

private:
    struct Point {
        Contact contact;
        Vector3<double> on_body, on_other;  ///< in their axes
        bool ground = false;
    };
    Table<Point> points_;
};

}  // namespace grbda::simulation
