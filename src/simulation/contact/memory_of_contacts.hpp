#pragma once

#include "grbda/simulation/options.hpp"

// Data of a contact from the previous step: its impulse, which is the initial guess, and the point at which
// it stuck, so that it does not creep.

namespace grbda::simulation {

class MemoryOfContacts {
public:
    explicit MemoryOfContacts(int most_contacts);

    void forget() { past_.clear(); }
    /// Computes the laws of the contacts, which undo the drift of contacts that stick. Does not set their
    /// softness.
    void laws(const Table<ContactState>& contacts, const SimulatorOptions& options, double h,
              Table<RowLaw>& laws) const;
    /// Reads the impulses of the previous step, in the present axes.
    void recall(const Table<ContactState>& contacts, Eigen::Ref<Eigen::VectorXd> impulses) const;
    /// Stores the impulses and velocities [rows] of this step.
    void keep(const Table<ContactState>& contacts, const Eigen::Ref<const Eigen::VectorXd>& impulses,
              const Eigen::Ref<const Eigen::VectorXd>& velocities, double h);

    /// Calls visit(member) for each member that persists between steps.
    template <class Self, class Visit>
    static void each_member(Self& self, Visit&& visit) {
        visit(self.past_);
    }

private:
    struct Past {
        std::uint64_t id = 0;
        Vector3<double> impulse;  ///< in the world
        Vector3<double> drift;    ///< m, in the world: displacement since the contact stuck
    };
    const Past* find(std::uint64_t id) const;

    Table<Past> past_, next_;

public:
    static constexpr std::size_t bytes_of_one = sizeof(Past);
};

}  // namespace grbda::simulation
