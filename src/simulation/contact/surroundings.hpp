#pragma once

#include <cmath>

#include "model/workspace.hpp"
#include "grbda/simulation/batch_simulator.hpp"
#include "moving_ground.hpp"

// Finds pairs of shapes that can touch: shapes of the robot with the ground, with shapes of the world and
// with each other.

namespace grbda::simulation {

inline double length(const Vector3<double>& a) { return std::sqrt(dot(a, a)); }

class Surroundings {
public:
    Surroundings(const Model& model, const SimulatorOptions& options, const Ground& ground);

    /// Returns whether some shapes may touch each other or shapes of the world.
    bool has_pairs() const { return !pairs_.empty(); }

    void set_ground(const Ground& ground, const GroundMotion& motion) { ground_ = {ground, motion}; }
    const MovingGround& ground() const { return ground_; }
    /// Replaces the friction of surfaces without a coefficient of their own.
    void set_friction(double friction);
    double friction() const { return friction_; }

    int shape_count() const { return static_cast<int>(pieces_.size()); }

    /// Finds contacts that a step of h seconds from a time may close, after free_motion(). They are in the
    /// order of the shapes if all fit. Returns true if there were more; the nearest were then kept.
    bool find(const Model& model, const Workspace<double>& data, double time, double h,
              Table<ContactState>& contacts) const;

    /// Returns the distance at which a ray first meets the ground or a shape, after kinematics of positions;
    /// infinity if it meets nothing.
    /// in      robot  whether shapes of the robot count, too
    double cast(const Model& model, const Workspace<double>& data, double time, const Ray& ray,
                bool robot) const;

    /// Computes the end points of the axes of all shapes [two each], in the world. A shape without an axis
    /// has one point twice.
    void trace(const Model& model, const Workspace<double>& data, Table<Vector3<double>>& ends) const;
    /// Returns a body that is now entirely in the ground, or that went through the ground or through a box of
    /// the world, between two traces; the second is h seconds after the first. Returns −1 if no body did.
    int passed(std::span<const Vector3<double>> before, std::span<const Vector3<double>> after, double time,
               double h) const;

private:
    /// A shape that collides.
    struct Piece {
        int body = world;
        int frame = 0;  ///< of the link
        TouchMask mask;
        Placed local;               ///< in the body
        double radius = 0;          ///< of the bounding sphere about the centre
        double thickness = 0;       ///< radius about the axis of a sphere or capsule, otherwise `radius`
        Vector3<double> half_axis;  ///< in the body
        double friction = 0;
        bool has_friction = false;  ///< has a coefficient of its own
    };
    struct Moving {
        Placed placed;
        double reach = 0;  ///< gaps below it may close
    };
    class Collector;

    Moving place(const Model& model, const Workspace<double>& data, double h, const Piece& piece) const;
    bool overlap(const Model& model, const Workspace<double>& data, const Piece& a, const Piece& b) const;
    bool can_touch(const Model& model, const Piece& a, const Piece& b) const;
    int touch(const Placed& a, const Placed& b, double margin, std::span<Touch> touches) const;
    double reach_to_ground(const Model& model, const Workspace<double>& data, double h,
                           const Piece& piece) const;
    void touch_ground(Moving shape, int index, const Displacement& moved, Collector& found) const;

    bool passes_ground(const Piece& piece, const Vector3<double>& from, const Vector3<double>& to) const;

    Table<Piece> pieces_;
    struct Pair {
        int a = 0, b = 0;
    };
    Table<Pair> pairs_;
    decltype(SimulatorOptions::other_pairs) other_pairs_ = nullptr;
    MovingGround ground_;
    double friction_ = 1;  ///< of the ground
    int most_ = 0;
};

}  // namespace grbda::simulation
