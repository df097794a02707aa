#pragma once

#include "grbda/simulation/simulator.hpp"

// Data of a contact from the step before: its impulse, to start from, and where it stuck, so that it does
// not creep.

namespace grbda::simulation {

class MemoryOfContacts {
public:
    explicit MemoryOfContacts(int most_contacts);

    void forget() { past_.clear(); }
    /// Laws of the contacts, which bring back what has drifted while they stuck; their softness is left open.
    void laws(const Table<ContactState>& contacts, const SimulatorOptions& options, double h,
              Table<RowLaw>& laws) const;
    /// Impulses of the step before, along the axes of now.
    void recall(const Table<ContactState>& contacts, Eigen::Ref<Eigen::VectorXd> impulses) const;
    /// Stores the results of this step: impulses and velocities [rows].
    void keep(const Table<ContactState>& contacts, const Eigen::Ref<const Eigen::VectorXd>& impulses,
              const Eigen::Ref<const Eigen::VectorXd>& velocities, double h);

    /// Calls visit(member) for each member that lasts from step to step.
    template <class Self, class Visit>
    static void each_member(Self& self, Visit&& visit) {
        visit(self.past_);
    }

private:
    struct Past {
        std::uint64_t id = 0;
        Vector3<double> impulse;  ///< in the world
        Vector3<double> drift;    ///< m, in the world: how far it has slid since it stuck
    };
    const Past* find(std::uint64_t id) const;

    Table<Past> past_, next_;

public:
    static constexpr std::size_t bytes_of_one = sizeof(Past);
};

}  // namespace grbda::simulation
