#include "memory_of_contacts.hpp"

#include "softness.hpp"

#include <algorithm>
#include <cmath>

namespace grbda::simulation {

MemoryOfContacts::MemoryOfContacts(int most_contacts) {
    past_.reserve(static_cast<std::size_t>(most_contacts));
    next_.reserve(static_cast<std::size_t>(most_contacts));
}

const MemoryOfContacts::Past* MemoryOfContacts::find(std::uint64_t id) const {
    const auto found =
        std::find_if(past_.begin(), past_.end(), [id](const Past& past) { return past.id == id; });
    return found == past_.end() ? nullptr : &*found;
}

void MemoryOfContacts::laws(const Table<ContactState>& contacts, const SimulatorOptions& options, double h,
                            Table<RowLaw>& laws) const {
    const GapLaw gap_law = contact_gap_law(options, h);
    for (const ContactState& x : contacts) {
        RowLaw law;
        law.friction = x.friction;
        law.wanted[2] = gap_law.speed(x.gap);
        if (const Past* past = find(x.id)) {
            // no faster than overlap is undone, as steps may become shorter
            const double speed = std::sqrt(dot(past->drift, past->drift)) / h;
            const double share = speed > options.recovery ? options.recovery / speed : 1;
            law.wanted[0] = -dot(x.contact.axes.x, past->drift) / h * share;
            law.wanted[1] = -dot(x.contact.axes.y, past->drift) / h * share;
        }
        laws.push_back(law);
    }
}

void MemoryOfContacts::recall(const Table<ContactState>& contacts,
                              Eigen::Ref<Eigen::VectorXd> impulses) const {
    Eigen::Index row = 0;
    for (const ContactState& x : contacts) {
        if (const Past* past = find(x.id)) {
            const Vector3<double> along = transpose_times(x.contact.axes, past->impulse);
            impulses.segment<3>(row) << along.x, along.y, along.z;
        }
        row += 3;
    }
}

void MemoryOfContacts::keep(const Table<ContactState>& contacts,
                            const Eigen::Ref<const Eigen::VectorXd>& impulses,
                            const Eigen::Ref<const Eigen::VectorXd>& velocities, double h) {
    next_.clear();
    Eigen::Index row = 0;
    for (const ContactState& x : contacts) {
        const Eigen::Vector3d s = impulses.segment<3>(row), u = velocities.segment<3>(row);
        row += 3;
        const double across = std::hypot(s[0], s[1]);
        if (!(s[2] > 0)) continue;
        const Matrix3<double>& axes = x.contact.axes;
        Past past{x.id, axes * Vector3<double>{s[0], s[1], s[2]}, {0, 0, 0}};
        constexpr double stuck = 0.999;  // of the largest friction
        if (across < stuck * x.friction * s[2]) {
            const Past* before = find(x.id);
            past.drift = axes.x * (u[0] * h) + axes.y * (u[1] * h);
            if (before) past.drift += before->drift;
        }
        next_.push_back(past);
    }
    past_.swap(next_);
}

}  // namespace grbda::simulation
