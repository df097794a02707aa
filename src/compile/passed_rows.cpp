#include <algorithm>
#include <vector>

#include "draft.hpp"

// Decides which rows of a cluster pass which of its joints when they are passed on, and where ends meet.

namespace grbda::compile {
namespace {

/// Rows that take the same path: those of one loop, or of a coupling.
struct Constraint {
    int row = 0, rows = 0;  ///< from the cluster's first
    bool coupling = false;
    std::vector<int> ends;    ///< bodies where its rows start: for a coupling the parents of its joints
    std::vector<int> joints;  ///< for a coupling: bodies whose joints it names
};

/// Indices of a cluster's bodies and rotors, and last of the body that carries it.
class Places {
public:
    Places(const Structure& model, const Cluster& c) : model_(model), c_(c), depth_(at(count()), 0) {
        for (const int i : c.joints) depth_[place(i)] = depth_[before(place(i))] + 1;
    }
    int count() const { return c_.joints.size() + 1; }
    int base() const { return c_.joints.size(); }
    int place(int body) const { return body == c_.parent_body ? base() : body - c_.joints.first; }
    /// Index of the parent body.
    int before(int place) const { return this->place(model_.bodies[place + c_.joints.first].parent); }
    int meeting(int a, int b) const {
        while (a != b) (depth_[a] >= depth_[b] ? a : b) = before(depth_[a] >= depth_[b] ? a : b);
        return a;
    }

private:
    const Structure& model_;
    const Cluster& c_;
    Table<int> depth_;
};

std::vector<Constraint> constraints_of(const Structure& model, const Cluster& c) {
    std::vector<Constraint> all;
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows == 0) continue;
        all.push_back(
            {loop.row - c.row_begin, loop.rows, false, {loop.predecessor.body, loop.successor.body}, {}});
    }
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        Constraint constraint{coupling.row - c.row_begin, 1, true, {}, {}};
        for (const int t : coupling.terms) {
            const int body = model.dof_body[model.coupling_terms[t].dof];
            constraint.joints.push_back(body);
            constraint.ends.push_back(model.bodies[body].parent);
        }
        all.push_back(std::move(constraint));
    }
    return all;
}

/// Marks the path of one constraint.
void add_way(const Places& places, const Constraint& constraint, Ways& ways) {
    int top = places.place(constraint.ends.front());
    for (const int end : constraint.ends) top = places.meeting(top, places.place(end));
    const auto carried_at = [&](int place) -> std::vector<int>& { return ways.carried[at(place)]; };
    const auto climb = [&](int place) {
        for (; place != top; place = places.before(place)) {
            std::vector<int>& carried = carried_at(place);
            if (!carried.empty() && carried.back() >= constraint.row) return;
            for (int r = 0; r < constraint.rows; ++r) carried.push_back(constraint.row + r);
        }
    };
    for (const int body : constraint.coupling ? constraint.joints : constraint.ends)
        climb(places.place(body));
    for (int r = 0; r < constraint.rows; ++r) ways.ended[at(top)].push_back(constraint.row + r);
}

}  // namespace

Ways ways_of_rows(const Structure& model, const Cluster& c) {
    const Places places(model, c);
    Ways ways{std::vector<std::vector<int>>(at(places.count())),
              std::vector<std::vector<int>>(at(places.count()))};
    for (const Constraint& constraint : constraints_of(model, c)) add_way(places, constraint, ways);
    return ways;
}

namespace {

/// Numbers the slots of one place.
PassedRows number_slots(const Cluster& c, int coupling_row, const std::vector<int>& ended,
                        const std::vector<int>& carried, Structure& model) {
    const auto take = [&](const std::vector<int>& rows) {
        const int first = static_cast<int>(model.slot_row.size());
        model.slot_row.insert(model.slot_row.end(), rows.begin(), rows.end());
        return Range{first, static_cast<int>(model.slot_row.size())};
    };
    PassedRows passed;
    passed.cluster = c.index;
    passed.ended = take(ended);
    passed.carried = take(carried);
    passed.couplings =
        static_cast<int>(std::lower_bound(carried.begin(), carried.end(), coupling_row) - carried.begin());
    return passed;
}

/// Slot of a row at a place.
int slot_of(const Structure& model, const PassedRows& passed, int row) {
    for (const Range& slots : {passed.ended, passed.carried}) {
        const auto begin = model.slot_row.begin() + slots.first, end = model.slot_row.begin() + slots.last;
        const auto found = std::lower_bound(begin, end, row);
        if (found != end && *found == row) return static_cast<int>(found - model.slot_row.begin());
    }
    return -1;
}

}  // namespace

void pass_rows_on(Cluster& c, Structure& model) {
    const Ways ways = ways_of_rows(model, c);
    const Places places(model, c);
    int coupling_row = c.rows - c.couplings.size();
    c.slots.first = static_cast<int>(model.slot_row.size());
    model.passed_rows.resize(model.bodies.size());
    for (const int i : c.joints)
        model.passed_rows[i] = number_slots(c, coupling_row, ways.ended[at(places.place(i))],
                                            ways.carried[at(places.place(i))], model);
    c.base = number_slots(c, coupling_row, ways.ended[at(places.base())], {}, model);
    c.slots.last = static_cast<int>(model.slot_row.size());
    model.slot_up.resize(model.slot_row.size(), -1);
    const auto passage_of = [&](int body) -> const PassedRows& {
        return body == c.parent_body ? c.base : model.passed_rows[body];
    };
    for (const int i : c.joints)
        for (const int slot : model.passed_rows[i].carried)
            if (const int before = model.bodies[i].parent; before != world)
                model.slot_up[slot] = slot_of(model, passage_of(before), model.slot_row[slot]);
    for (const int l : c.loops) {
        Loop& loop = model.loops[l];
        for (LoopEnd* end : {&loop.predecessor, &loop.successor})
            end->slot = end->body == world || loop.rows == 0
                            ? -1
                            : slot_of(model, passage_of(end->body), loop.row - c.row_begin);
    }
}

}  // namespace grbda::compile
