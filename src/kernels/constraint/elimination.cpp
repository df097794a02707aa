#include "elimination.hpp"

#include <algorithm>
#include <limits>

namespace grbda::kernels {
namespace {

constexpr int none = -1;

int constraint_count(const Cluster& c) { return c.loops.size() + c.couplings.size(); }

/// Returns the rows of a loop or, after all loops, of a coupling, counted from the first row of the cluster.
Range constraint_rows_of(const Structure& model, const Cluster& c, int k) {
    if (k < c.loops.size()) {
        const Loop& loop = model.loops[c.loops.first + k];
        return {loop.row - c.row_begin, loop.row - c.row_begin + loop.rows};
    }
    const int row = model.couplings[c.couplings.first + k - c.loops.size()].row - c.row_begin;
    return {row, row + 1};
}

/// Calls use(dof) for the velocities that occur in a constraint.
template <class Use>
void each_velocity(const Structure& model, const Cluster& c, int k, const Use& use) {
    if (k < c.loops.size()) {
        const Loop& loop = model.loops[c.loops.first + k];
        for (const int t : loop.terms) use(model.loop_terms[t].dof);
        if (loop.slide >= 0) use(loop.slide);
    } else {
        for (const int t : model.couplings[c.couplings.first + k - c.loops.size()].terms)
            use(model.coupling_terms[t].dof);
    }
}

/// The pattern of K_d by constraints, and its division into blocks. Columns are the dependents in their
/// present order. Groups are constraints whose rows share a block; each has the number of its first
/// constraint.
class Elimination {
public:
    Elimination(const Structure& model, const Cluster& c, int* dependent, const BlockPlaces& places,
                int* scratch)
        : model_(model),
          c_(c),
          places_(places),
          dependent_(dependent),
          columns_(c.dependents()),
          constraints_(constraint_count(c)) {
        const auto take = [&](int size, int value) {
            int* const first = scratch;
            std::fill_n(first, size, value);
            scratch += size;
            return first;
        };
        occurs_ = take(constraints_ * columns_, 0);
        for (int** const table : {&owner_, &place_, &given_}) *table = take(columns_, none);
        for (int** const table : {&left_, &rows_, &group_, &part_, &index_, &lowest_, &stack_, &normal_})
            *table = take(constraints_, none);
        int* const column_of = take(c.dofs, none);
        for (int d = 0; d < columns_; ++d) {
            given_[d] = dependent[d];
            column_of[dependent[d] - c.dof_begin] = d;
        }
        for (int k = 0; k < constraints_; ++k) {
            rows_[k] = left_[k] = constraint_rows_of(model, c, k).size();
            if (rows_[k] == 0) continue;
            each_velocity(model, c, k, [&](int dof) {
                if (const int d = column_of[dof - c.dof_begin]; d != none) occurs(k, d) = 1;
            });
        }
    }

    /// Returns false if columns have no rows to determine them, or if the blocks do not fit.
    bool find() {
        for (int d = 0; d < columns_; ++d) {
            std::fill_n(index_, constraints_, none);
            if (!own(d)) return false;
        }
        std::fill_n(index_, constraints_, none);
        for (int k = 0; k < constraints_; ++k)
            if (left_[k] > 0) join_surplus(k);
        for (int k = 0; k < constraints_; ++k)
            if (rows_[k] > 0 && part_[k] == none) visit(k);
        close_part();
        eliminate(surplus, false);
        if (!fits_) return false;
        finish();
        return true;
    }
    int count() const { return count_; }

private:
    static constexpr int surplus = 0;

    int& occurs(int k, int d) const { return occurs_[k * columns_ + d]; }
    bool is_group(int k, int part) const { return part_[k] == part && group_[k] == k; }
    bool is_member(int k, int group) const { return group_[k] == group && part_[k] == part_[group]; }
    bool in_part(int d, int part) const { return part_[owner_[d]] == part; }

    /// Assigns a column to a constraint with a free row, and reassigns others if necessary.
    bool own(int d) {
        for (int k = 0; k < constraints_; ++k) {
            if (!occurs(k, d) || index_[k] != none) continue;
            index_[k] = 0;
            if (left_[k] > 0) {
                --left_[k];
                owner_[d] = k;
                return true;
            }
            for (int other = 0; other < columns_; ++other) {
                if (owner_[other] != k || !own(other)) continue;
                owner_[d] = k;
                return true;
            }
        }
        return false;
    }

    /// Adds constraints with surplus rows, all that occurs in them, and all that determines that to the first
    /// part.
    void join_surplus(int k) {
        if (part_[k] == surplus) return;
        part_[k] = surplus;
        for (int d = 0; d < columns_; ++d)
            if (occurs(k, d)) join_surplus(owner_[d]);
    }

    /// Finds strongly connected components (Tarjan 1972) of the digraph from a constraint to those that
    /// determine what it reads; readers come first.
    void visit(int k) {
        index_[k] = lowest_[k] = visited_++;
        stack_[depth_++] = k;
        for (int d = 0; d < columns_; ++d) {
            if (owner_[d] != k) continue;
            for (int reader = 0; reader < constraints_; ++reader) {
                if (reader == k || !occurs(reader, d) || part_[reader] != none) continue;
                if (index_[reader] == none) visit(reader);
                lowest_[k] = std::min(lowest_[k], lowest_[reader]);
            }
        }
        if (lowest_[k] != index_[k]) return;
        int begin = depth_, rows = 0;
        do rows += rows_[stack_[--begin]];
        while (stack_[begin] != k);
        if (parts_ == surplus || open_rows_ + rows > largest_closed_form) close_part();
        open_rows_ += rows;
        while (depth_ > begin) part_[stack_[--depth_]] = parts_;
    }

    /// Finds the blocks of the last part and starts the next one. A part with a closed form is one block.
    void close_part() {
        if (parts_ != surplus) eliminate(parts_, open_rows_ <= largest_closed_form);
        ++parts_;
        open_rows_ = 0;
    }

    void eliminate(int part, bool at_once) {
        for (int k = 0; k < constraints_; ++k)
            if (part_[k] == part) group_[k] = k;
        if (at_once) {
            int first = none;
            for (int k = 0; k < constraints_; ++k)
                if (is_group(k, part)) first = first == none ? k : join(first, k);
            add_block(part, first);
            return;
        }
        for (int d = cheapest(part); d != none && fits_; d = cheapest(part)) add_block(part, merge(part, d));
    }

    /// Returns the column of a part that occurs in the fewest rows of groups.
    int cheapest(int part) const {
        int best = none, fewest = std::numeric_limits<int>::max();
        for (int d = 0; d < columns_; ++d) {
            if (place_[d] != none || !in_part(d, part)) continue;
            int rows = 0;
            for (int k = 0; k < constraints_; ++k)
                if (is_group(k, part) && occurs(k, d)) rows += rows_[k];
            if (rows >= fewest) continue;
            fewest = rows;
            best = d;
        }
        return best;
    }

    /// Merges all groups in which a column occurs into one.
    int merge(int part, int d) {
        int first = none;
        for (int k = 0; k < constraints_; ++k) {
            if (!is_group(k, part) || !occurs(k, d)) continue;
            first = first == none ? k : join(first, k);
        }
        return first;
    }

    /// Merges group k into an earlier one.
    int join(int first, int k) const {
        rows_[first] += rows_[k];
        for (int d = 0; d < columns_; ++d) occurs(first, d) |= occurs(k, d);
        for (int member = k; member < constraints_; ++member)
            if (group_[member] == k) group_[member] = first;
        return first;
    }

    bool occurs_elsewhere(int part, int group, int d) const {
        for (int k = 0; k < constraints_; ++k)
            if (k != group && is_group(k, part) && occurs(k, d)) return true;
        return false;
    }

    /// Adds the block that determines the columns that occur in no other group of the part.
    void add_block(int part, int group) {
        EliminationBlock block;
        block.columns = {placed_, placed_};
        block.rows = rows_[group];
        for (int k = 0; k < constraints_; ++k)
            if (is_member(k, group) && normal_[k] != none) ++block.normals;
        block.list = list_end_;
        for (int d = 0; d < columns_; ++d)
            if (place_[d] == none && in_part(d, part) && occurs(group, d) &&
                !occurs_elsewhere(part, group, d))
                place_[d] = block.columns.last++;
        for (int d = 0; d < columns_; ++d) {
            if (place_[d] != none || !occurs(group, d)) continue;
            ++block.met;
            block.passes = block.passes || in_part(d, part);
        }
        block.normal = block.passes && block.normals == 0 && block.columns.size() == 2 &&
                       constraint_rows_of(model_, c_, group).size() == 3 && block.rows == 3;
        list_end_ += block.rows + padded(block.columns.size() + block.met) + block.met;
        fits_ = count_ < places_.most_blocks && list_end_ <= places_.list_size;
        if (!fits_) return;
        places_.blocks[count_++] = block;
        write_list(block, group);
        placed_ = block.columns.last;
        if (!block.normal) return;
        normal_[group] = 0;
        rows_[group] = 1;
    }

    /// Writes the list of a block. The columns that it meets are not in their final order until finish().
    void write_list(const EliminationBlock& block, int group) const {
        int* next = places_.lists + block.list;
        for (int k = 0; k < constraints_; ++k)
            if (is_member(k, group) && normal_[k] != none) *next++ = constraint_rows_of(model_, c_, k).first;
        for (int k = 0; k < constraints_; ++k)
            if (is_member(k, group) && normal_[k] == none)
                for (const int row : constraint_rows_of(model_, c_, k)) *next++ = row;
        int *const columns = next, *const end = columns + padded(block.columns.size() + block.met);
        for (int d = 0; d < columns_; ++d)
            if (place_[d] >= block.columns.first)
                columns[place_[d] - block.columns.first] = given_[d] - c_.dof_begin;
        next = columns + block.columns.size();
        int* met = end;
        for (int d = 0; d < columns_; ++d) {
            if (place_[d] != none || !occurs(group, d)) continue;
            *next++ = given_[d] - c_.dof_begin;
            *met++ = d;
        }
        std::fill(next, end, columns[0]);
    }

    void finish() const {
        int* const block_of = owner_;  // for each place
        for (int d = 0; d < columns_; ++d) dependent_[place_[d]] = given_[d];
        for (int f = count_ - 1; f >= 0; --f) {
            EliminationBlock& block = places_.blocks[f];
            for (const int column : block.columns) block_of[column] = f;
            const int* const rows = places_.lists + block.list;
            int* const met =
                places_.lists + block.list + block.rows + padded(block.columns.size() + block.met);
            block.support = {*std::min_element(rows, rows + block.rows),
                             *std::max_element(rows, rows + block.rows) + 1};
            for (int i = 0; i < block.normals; ++i)
                block.support.last = std::max(block.support.last, rows[i] + 3);
            for (int i = 0; i < block.met; ++i) {
                met[i] = place_[met[i]];
                block.support = hull(block.support, places_.blocks[block_of[met[i]]].support);
            }
            block.support = {block.support.first / row_block * row_block, padded(block.support.last)};
        }
    }

    const Structure& model_;
    const Cluster& c_;
    const BlockPlaces& places_;
    int* dependent_;
    const int columns_, constraints_;
    int* occurs_;  ///< constraints × columns
    int *owner_, *place_, *given_;
    int *left_, *rows_, *group_, *part_, *index_, *lowest_, *stack_;
    int* normal_;  ///< constraints with a single remaining row
    int visited_ = 0, depth_ = 0;
    int parts_ = surplus, open_rows_ = 0;  ///< the last part and the number of its rows
    int count_ = 0, placed_ = 0, list_end_ = 0;
    bool fits_ = true;
};

}  // namespace

int most_blocks(const Cluster& c) { return std::max(1, std::min(c.dependents(), 2 * constraint_count(c))); }

int largest_block_list(const Cluster& c) {
    return most_blocks(c) * (c.rows + padded(c.dependents()) + c.dependents());
}

int planning_size(const Cluster& c) {
    return constraint_count(c) * (c.dependents() + 8) + 3 * c.dependents() + c.dofs;
}

int find_single_block(const Cluster& c, const int* dependent, const BlockPlaces& places) {
    const int columns = c.dependents();
    EliminationBlock block;
    block.columns = {0, columns};
    block.rows = c.rows;
    block.support = {0, padded(c.rows)};
    *places.blocks = block;
    int* next = places.lists;
    for (int row = 0; row < c.rows; ++row) *next++ = row;
    for (int d = 0; d < padded(columns); ++d) *next++ = dependent[d < columns ? d : 0] - c.dof_begin;
    return 1;
}

int find_blocks(const Structure& model, const Cluster& c, int* dependent, const BlockPlaces& places,
                int* scratch) {
    Elimination elimination(model, c, dependent, places, scratch);
    return elimination.find() ? elimination.count() : find_single_block(c, dependent, places);
}

}  // namespace grbda::kernels
