#pragma once

#include "grbda/model/data.hpp"
#include "grbda/simulation/simulator.hpp"

// What of a robot can touch what: its shapes with the ground, with shapes of the world and with one another.

namespace grbda::simulation {

class Surroundings {
public:
    Surroundings(const Model& model, const SimulatorOptions& options, const Ground& ground);

    /// Some shapes may touch one another, of those around too.
    bool has_pairs() const { return !pairs_.empty(); }

    /// Contacts that a step of h seconds may close, after free_motion(); in the order of the shapes if all
    /// fit. True: there were more, and the nearest were taken.
    bool find(const Model& model, const Data<double>& data, double h, Table<ContactState>& contacts) const;

private:
    /// A shape that collides.
    struct Piece {
        int body = world;
        int frame = 0;  ///< of its link
        TouchMask mask;
        Placed local;       ///< in the body
        double radius = 0;  ///< of the sphere about its centre that holds it
        double friction = 0;
    };
    struct Moving {
        Placed placed;
        double reach = 0;  ///< gaps below it may close
    };
    class Collector;

    Moving place(const Model& model, const Data<double>& data, double h, const Piece& piece) const;
    bool overlap(const Model& model, const Data<double>& data, const Piece& a, const Piece& b) const;
    bool can_touch(const Model& model, const Piece& a, const Piece& b) const;
    int touch(const Placed& a, const Placed& b, double margin, std::span<Touch> touches) const;
    void touch_ground(const Moving& shape, int index, Collector& found) const;

    Table<Piece> pieces_;
    struct Pair {
        int a = 0, b = 0;
    };
    Table<Pair> pairs_;
    decltype(SimulatorOptions::other_pairs) other_pairs_ = nullptr;
    Ground ground_;
    double friction_ = 1;  ///< of the ground
    int most_ = 0;
};

}  // namespace grbda::simulation
