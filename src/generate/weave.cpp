#include <algorithm>
#include <optional>

#include "limbs.hpp"
#include "recording.hpp"

namespace grbda::generated {
namespace {

/// Numbers that a limb adds to one number of the trunk, in sequence.
struct Accumulation {
    int start = 0;  ///< the value before
};

/// Contributions of limbs to the trunk, each in a separate sum.
class Accumulations {
public:
    Accumulations(const Tape& tape, const Grouping& grouping, const Table<int>& outputs)
        : tape_(tape),
          grouping_(grouping),
          users_(tape.steps.size()),
          first_(tape.steps.size(), -1),
          last_(first_) {
        for (int i = 0; i < static_cast<int>(tape.steps.size()); ++i) {
            const Step& step = tape.steps[i];
            if (step.op == Op::constant || step.op == Op::input) continue;
            users_[step.a].push_back(i);
            if (is_binary(step.op) && step.b != step.a) users_[step.b].push_back(i);
        }
        Table<char> is_output(tape.steps.size(), 0);
        for (const int i : outputs) is_output[i] = 1;
        for (int i = 0; i < static_cast<int>(tape.steps.size()); ++i) find(i, is_output);
    }

    /// Returns the accumulation that begins with this step; null if none does.
    const Accumulation* begun_at(int step) const { return first_[step] < 0 ? nullptr : &all_[first_[step]]; }
    /// Returns the accumulation with which the trunk or another limb continues from this step,
    /// or null.
    const Accumulation* ended_at(int step) const { return last_[step] < 0 ? nullptr : &all_[last_[step]]; }
    int limb_of(int step) const {
        const int unit = tape_.steps[step].unit;
        const int cluster = unit < 0 ? -1 : tape_.units[unit].cluster;
        return cluster < 0 ? -1 : grouping_.limb[cluster];
    }

private:
    bool is_sum_with(int i, int a) const {
        const Step& step = tape_.steps[i];
        return (step.op == Op::add || step.op == Op::subtract) && step.a == a && step.b != a;
    }

    void find(int i, const Table<char>& is_output) {
        const Step& step = tape_.steps[i];
        const int limb = limb_of(i);
        if (limb < 0 || !is_sum_with(i, step.a) || limb_of(step.a) == limb ||
            tape_.steps[step.a].op == Op::constant)
            return;
        int end = i;
        while (users_[end].size() == 1 && !is_output[end] && limb_of(users_[end][0]) == limb &&
               is_sum_with(users_[end][0], end))
            end = users_[end][0];
        if (users_[end].empty() || is_output[end]) return;
        for (const int user : users_[end])
            if (limb_of(user) == limb) return;
        first_[i] = last_[end] = static_cast<int>(all_.size());
        all_.push_back({step.a});
    }

    const Tape& tape_;
    const Grouping& grouping_;
    Table<std::vector<int>> users_;
    Table<int> first_, last_;
    Table<Accumulation> all_;
};

/// Converts steps to the graph. Units of a group are processed together, when the first of them is reached.
class Weaver {
public:
    Weaver(const Recording& recording, Grouping grouping, const Table<int>& outputs)
        : tape_(recording.tape),
          woven_{{}, {}, {}, {}, std::move(grouping)},
          sums_(tape_, woven_.grouping, outputs),
          node_(tape_.steps.size(), -1),
          lane_(tape_.steps.size(), -1),
          total_(tape_.steps.size(), -1),
          state_(tape_.units.size(), State::open) {
        units_of_.resize(woven_.grouping.group.size());
        for (int u = 0; u < static_cast<int>(tape_.units.size()); ++u)
            if (tape_.units[u].cluster >= 0) units_of_[tape_.units[u].cluster].push_back(u);
    }

    /// Returns the group that cannot be processed together, or nothing.
    std::optional<int> run(const Recording& recording) {
        for (int i = 0; i < static_cast<int>(tape_.steps.size()) && tape_.steps[i].unit < 0; ++i)
            put_alone(i);
        for (int u = 0; u < static_cast<int>(tape_.units.size()); ++u)
            if (!process(u)) return failed_;
        for (const Output& output : recording.outputs) woven_.outputs.push_back(numbers(output.steps));
        woven_.rconds = checked(recording.rconds);
        woven_.margins = checked(recording.margins);
        return std::nullopt;
    }
    Woven take() { return std::move(woven_); }

private:
    enum class State : char { open, begun, done };

    Table<int> numbers(const Table<int>& steps) {
        Table<int> result;
        for (const int i : steps) result.push_back(number(i, -1));
        return result;
    }

    /// Returns the nodes of numbers that are compared with a limit; for a group, in all lanes at once.
    Table<int> checked(const Table<int>& steps) const {
        Table<int> nodes;
        for (const int i : steps)
            if (std::find(nodes.begin(), nodes.end(), node_[i]) == nodes.end()) nodes.push_back(node_[i]);
        return nodes;
    }

    /// Returns the units that are processed together with one: those of its group.
    std::vector<int> together(int unit) const {
        const Unit& own = tape_.units[unit];
        const int group = own.cluster < 0 ? -1 : woven_.grouping.group[own.cluster];
        if (group < 0) return {unit};
        std::vector<int> units;
        for (const int k : woven_.grouping.groups[at(group)].clusters)
            units.push_back(units_of_[k][own.visit]);
        return units;
    }

    /// Processes a unit and those together with it, after all units that they read.
    bool process(int unit) {
        if (state_[unit] == State::done) return true;
        const std::vector<int> units = together(unit);
        if (state_[unit] == State::begun) {
            failed_ = tape_.units[unit].cluster < 0 ? -1 : woven_.grouping.group[tape_.units[unit].cluster];
            return false;
        }
        for (const int u : units) state_[u] = State::begun;
        for (const int u : units)
            for (int i = tape_.units[u].first; i < tape_.units[u].last; ++i)
                if (!process_operands(i, units)) return false;
        const int count = tape_.units[unit].last - tape_.units[unit].first;
        for (int i = 0; i < count; ++i) {
            if (units.size() == 1)
                put_alone(tape_.units[unit].first + i);
            else
                put_together(units, i);
        }
        for (const int u : units) state_[u] = State::done;
        return true;
    }

    bool process_operands(int i, const std::vector<int>& units) {
        const Step& step = tape_.steps[i];
        if (step.op == Op::constant || step.op == Op::input) return true;
        const Accumulation* sum = sums_.begun_at(i);
        if (!sum && !process_step(step.a, i, units)) return false;
        return !is_binary(step.op) || process_step(step.b, i, units);
    }

    bool process_step(int i, int user, const std::vector<int>& units) {
        const int unit = tape_.steps[i].unit;
        if (unit < 0) return true;
        if (std::find(units.begin(), units.end(), unit) == units.end()) {
            if (!process(unit)) return false;
        } else if (unit != tape_.steps[user].unit) {
            failed_ = woven_.grouping.group[tape_.units[unit].cluster];  // one lane reads another's number
            return false;
        }
        const Accumulation* sum = sums_.ended_at(i);
        return !sum || sums_.limb_of(user) == sums_.limb_of(i) || process_sum(sum->start, units);
    }

    /// Processes the initial value of a sum, number by number as in the trunk.
    bool process_sum(int start, const std::vector<int>& units) {
        const int unit = tape_.steps[start].unit;
        const bool own = std::find(units.begin(), units.end(), unit) != units.end();
        if (own && units.size() > 1) {
            failed_ = woven_.grouping.group[tape_.units[unit].cluster];
            return false;
        }
        if (unit >= 0 && !own && !process(unit)) return false;
        const Accumulation* sum = sums_.ended_at(start);
        return !sum || process_sum(sum->start, units);
    }

    /// Returns a number as used by the limb `reader`; −1 is the trunk.
    int number(int i, int reader) {
        if (sums_.ended_at(i) && sums_.limb_of(i) != reader) return total(i);
        return lane_[i] < 0 ? node_[i] : woven_.graph.lane(node_[i], lane_[i]);
    }

    /// Returns the trunk's number plus the contributions of limbs.
    int total(int i) {
        if (total_[i] >= 0) return total_[i];
        std::vector<int> ends;
        int start = i;
        while (const Accumulation* sum = sums_.ended_at(start)) {
            ends.push_back(start);
            start = sum->start;
        }
        Graph& graph = woven_.graph;
        int result = number(start, -1);
        while (!ends.empty()) {
            const int vector = node_[ends.back()];
            std::vector<int> lanes, others;
            for (const int end : ends)
                (node_[end] == vector && lane_[end] >= 0 ? lanes : others).push_back(end);
            const int group = lanes.empty() ? -1 : group_of(ends.back());
            if (group >= 0 && lanes.size() == woven_.grouping.groups[at(group)].clusters.size() &&
                distinct(lanes)) {
                result =
                    graph.binary(Op::add, result, graph.lane_sum(vector, static_cast<int>(lanes.size())));
                ends = others;
            } else {
                const int end = ends.back();
                ends.pop_back();
                result = graph.binary(Op::add, result,
                                      lane_[end] < 0 ? node_[end] : graph.lane(node_[end], lane_[end]));
            }
        }
        return total_[i] = result;
    }

    int group_of(int step) const {
        return woven_.grouping.group[tape_.units[tape_.steps[step].unit].cluster];
    }

    bool distinct(const std::vector<int>& steps) const {
        int seen = 0;
        for (const int i : steps) seen |= 1 << lane_[i];
        return seen == (1 << steps.size()) - 1;
    }

    int operand(int user, int i) {
        const Accumulation* sum = sums_.begun_at(user);
        if (sum && sum->start == i) return woven_.graph.constant(0);
        return number(i, sums_.limb_of(user));
    }

    void put_alone(int i) {
        const Step& step = tape_.steps[i];
        Graph& graph = woven_.graph;
        if (step.op == Op::constant || step.op == Op::input) {
            node_[i] = step.op == Op::input ? graph.input(step.a) : graph.constant(step.value);
            return;
        }
        const int a = operand(i, step.a);
        node_[i] = is_unary(step.op) ? graph.unary(step.op, a) : graph.binary(step.op, a, operand(i, step.b));
    }

    /// Records step `place` of each unit, each in its own lane.
    void put_together(const std::vector<int>& units, int place) {
        Graph& graph = woven_.graph;
        const int width = units.size() > 2 ? 4 : 2;
        Places steps{};
        for (std::size_t l = 0; l < steps.size(); ++l)
            steps[l] = tape_.units[units[l < units.size() ? l : 0]].first + place;
        const Step& first = tape_.steps[steps[0]];
        int node = 0;
        if (first.op == Op::constant || first.op == Op::input) {
            Places given{};
            for (std::size_t l = 0; l < given.size(); ++l) {
                const Step& step = tape_.steps[steps[l]];
                given[l] = step.op == Op::input ? graph.input(step.a) : graph.constant(step.value);
            }
            node = graph.pack(given, width);
        } else {
            const int a = vector(steps, width, &Step::a);
            node = is_unary(first.op) ? graph.unary(first.op, a)
                                      : graph.binary(first.op, a, vector(steps, width, &Step::b));
        }
        for (std::size_t l = 0; l < units.size(); ++l) {
            node_[steps[l]] = node;
            lane_[steps[l]] = static_cast<int>(l);
        }
    }

    /// Returns one operand of the steps in all lanes.
    int vector(const Places& steps, int width, int Step::*member) {
        Graph& graph = woven_.graph;
        Places numbers{};
        bool whole = true;
        const int node = node_[tape_.steps[steps[0]].*member];
        for (std::size_t l = 0; l < at(width); ++l) {
            const int i = tape_.steps[steps[l]].*member;
            const Accumulation* sum = sums_.begun_at(steps[l]);
            whole = whole && node_[i] == node &&
                    (lane_[i] == static_cast<int>(l) || (l > 0 && steps[l] == steps[0])) &&
                    !(sum && sum->start == i) &&
                    !(sums_.ended_at(i) && sums_.limb_of(i) != sums_.limb_of(steps[l]));
        }
        if (whole && graph[node].width == width) return node;
        for (std::size_t l = 0; l < at(width); ++l)
            numbers[l] = operand(steps[l], tape_.steps[steps[l]].*member);
        return graph.pack(numbers, width);
    }

    const Tape& tape_;
    Woven woven_;
    Accumulations sums_;
    Table<int> node_, lane_, total_;
    Table<State> state_;
    Table<Table<int>> units_of_;
    int failed_ = -1;
};

/// Separates the limbs of a group again; −1: of all groups.
void ungroup(Grouping& grouping, int group) {
    if (group < 0) {
        for (Table<int>* x : {&grouping.group, &grouping.limb}) x->assign(x->size(), -1);
        for (Group& undone : grouping.groups) undone.clusters.clear();
        return;
    }
    Table<char> is_limb(grouping.limb.size(), 0);
    for (const int k : grouping.groups[at(group)].clusters) is_limb[grouping.limb[k]] = 1;
    for (std::size_t k = 0; k < grouping.limb.size(); ++k)
        if (grouping.limb[k] >= 0 && is_limb[grouping.limb[k]]) {
            if (grouping.group[k] >= 0) grouping.groups[at(grouping.group[k])].clusters.clear();
            grouping.group[k] = -1;
            grouping.limb[k] = -1;
        }
}

}  // namespace

Woven weave(const Model& model, const Recording& recording, int lanes) {
    Table<int> outputs;
    for (const Output& output : recording.outputs)
        outputs.insert(outputs.end(), output.steps.begin(), output.steps.end());
    for (const Table<int>* checks : {&recording.rconds, &recording.margins})
        outputs.insert(outputs.end(), checks->begin(), checks->end());
    Grouping grouping = find_limbs(model, recording.tape, lanes);
    for (;;) {
        Weaver weaver(recording, grouping, outputs);
        const std::optional<int> failed = weaver.run(recording);
        if (!failed) return weaver.take();
        ungroup(grouping, *failed);
    }
}

}  // namespace grbda::generated
