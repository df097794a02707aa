#include "closing_text.hpp"

#include <string_view>

#include "text.hpp"

// The method of closing/continuation.hpp with its constants, for all clusters at once.

namespace grbda::generated {
namespace {

constexpr std::string_view types = R"(
/* indices of a cluster in the tables and in the results of close_step */
typedef struct {
    int dof, dofs, turning_dofs, row, rows, dependent, dependents, leader, last_leader, joint, last_joint, inverse, entry,
        upright, last_upright, polynomials;
    double turning;
} @_cluster;
)";

constexpr std::string_view screw_type = R"(typedef struct {
    int entry, dof, dofs;
    double pitch;
} @_screw;
)";

constexpr std::string_view moving = R"(
/* moves q by a portion of a motion of its joints */
static void @_move(const double* from, const double* motion, double portion, double* q) {
    int i;
    if (q != from) memcpy(q, from, $_NQ * sizeof *q);
    for (i = 0; i < $_JOINTS; ++i) {
        const int* const joint = @_joints[i];
        const double* const x = motion + joint[2];
        if (joint[0] == 0) q[joint[1]] += portion * x[0];
{quaternions}    }
}
)";

constexpr std::string_view quaternion_moving = R"(        if (joint[0] != 0) {
            const int size = joint[0] == 2 ? 6 : 3;
            double part[6], sum = 0.0;
            int k;
            for (k = 0; k < size; ++k) {
                part[k] = portion * x[k];
                sum += fabs(part[k]);
            }
            if (sum != 0.0 && size == 6) @_float(q + joint[1], part);
            if (sum != 0.0 && size == 3) @_turn(q + joint[1], part);
        }
)";

constexpr std::string_view measuring = R"(
/* bounds the rotation of rows in a motion of a cluster's joints */
static double @_size(const @_cluster* c, const double* motion) {
    double sum = 0.0;
    int i;
    for (i = c->dof; i < c->dof + c->turning_dofs; ++i) sum += fabs(motion[i]) * @_scales[i];
    return sum * c->turning;
}

/* returns the largest error, relative to the size of its cluster; 2 if axes are opposed */
static double @_error(const @_linear* x) {
    double error = 0.0;
    int i;
    for (i = 0; i < $_ROWS; ++i) {
        const double e = fabs(x->phi[i]) * @_row_scales[i];
        if (e > error) error = e;
    }
    for (i = 0; i < (int)(sizeof x->upright / sizeof x->upright[0]); ++i)
        if (!(x->upright[i] > 0.0)) error = 2.0;
    return error;
}

/* returns the error due to rounding: positions of joints that have turned far have fewer digits */
static double @_rounding(const double* q) {
    double reach = 0.0, rounding;
    int i;
    for (i = 0; i < (int)(sizeof @_dependents / sizeof @_dependents[0]); ++i) {
        const double x = fabs(q[@_guesses[i][0]]) * @_scales[@_dependents[i]];
        if (@_guesses[i][1] == 1 && x > reach) reach = x;
    }
    rounding = 3.552713678800501e-15 * (1.0 + reach);
    return rounding < 2.5e-9 ? rounding : 2.5e-9;
}

/* returns |1 - P K'| in the smaller of two norms, which measures the inverse of a step's start at its end */
static double @_change(const @_cluster* c, const @_linear* start, const @_linear* end) {
    const int* const dependents = @_dependents + c->dependent;
    const double* inverse = start->inverse + c->inverse;
    double moved[$_DEPENDENTS], furthest = 1e-300, worst = 0.0, squares = 0.0;
    int i, j, r;
    for (j = 0; j < c->dependents; ++j) {
        moved[j] = fabs(start->motion[dependents[j]]) * @_scales[dependents[j]];
        if (moved[j] > furthest) furthest = moved[j];
    }
    for (j = 0; j < c->dependents; ++j)
        if (moved[j] < 0.1 * furthest) moved[j] = 0.1 * furthest;
    for (i = 0; i < c->dependents; ++i, inverse += c->rows) {
        double sum = 0.0;
        for (j = 0; j < c->dependents; ++j) {
            const double* const column = end->rows + c->entry + dependents[j] - c->dof;
            double x = i == j ? -1.0 : 0.0;
            for (r = 0; r < c->rows; ++r) x += inverse[r] * column[r * c->dofs];
            sum += fabs(x) * moved[j];
            squares += x * x;
        }
        if (!(sum <= worst * moved[i])) worst = sum / moved[i];
    }
    return squares < worst * worst ? sqrt(squares) : worst;
}
)";

constexpr std::string_view screw_threads = R"(
/* returns 0 if a motion may have left the thread of a screw, whose error ignores whole turns */
static int @_keeps_threads(const double* motion, double portion, const @_linear* end) {
    int i, j;
    for (i = 0; i < $_SCREWS; ++i) {
        const @_screw* const s = @_screws + i;
        double sum = 0.0;
        for (j = 0; j < s->dofs; ++j) sum += end->rows[s->entry + j] * motion[s->dof + j] * @_scales[s->dof + j];
        if (!(portion * fabs(sum) <= s->pitch)) return 0;
    }
    return 1;
}
)";

constexpr std::string_view stepping = R"(
/* returns whether the linearization at a step's start is valid at its end */
static int @_vouches(const @_linear* start, const @_linear* end, double portion) {
    int k;
    for (k = 0; k < $_CLUSTERS; ++k) {
        const @_cluster* const c = @_clusters + k;
        const int is_short = portion * @_size(c, start->motion) <= start->rcond[k] / 8.0 && !c->polynomials;
        if (!is_short && !(@_change(c, start, end) <= 0.7)) return 0;
    }
    return {threads};
}

/* applies Newton's method from q until the errors are the wanted ones, zero at the last step; 1 if it contracts, 0 if
   not, -1 at a singular configuration */
static int @_correct(double* q, const double* wanted, int last, double* sizes, int* far, @_linear* x) {
    int round, k;
    for (round = 0; round < 20; ++round) {
        const @_cluster* c = @_clusters;
        double largest = 0.0;
        int contracts = 1;
        if (last && @_error(x) <= @_rounding(q)) return 1;
        for (k = 0; k < $_CLUSTERS; ++k, ++c) {
            const double size = @_size(c, x->motion);
            contracts &= size <= 0.5 * sizes[k] + 1e-9;
            if (round == 0) *far |= size > 0.1 * sizes[k];
            if (size > largest) largest = size;
            sizes[k] = size;
        }
        if (!contracts) break;
        @_move(q, x->motion, 1.0, q);
        if (@_linearize(q, @_none, wanted, x) != 0) return -1;
        if (!last && largest <= 4.7e-9) return 1;
    }
    return last && (@_error(x) <= 1e-10 || @_error(x) <= 4.0 * @_rounding(q));
}

/* moves along a portion of the motion from q and corrects: 1 if accepted, 0 if not, -1 if rows change too much */
static int @_try_step(const double* q, const double* goal, const @_linear* start, double portion, double* end, @_linear* x) {
    double wanted[$_ROWS], sizes[$_CLUSTERS];
    int i, far = 0, taken;
    @_move(q, start->motion, portion, end);
    for (i = 0; portion == 1.0 && i < $_LEADERS; ++i) end[@_leaders[i][0]] = goal[@_leaders[i][0]];
{poses}    for (i = 0; i < $_ROWS; ++i) wanted[i] = (1.0 - portion) * start->phi[i];
    for (i = 0; i < $_CLUSTERS; ++i) sizes[i] = portion * @_size(@_clusters + i, start->motion);
    if (@_linearize(end, @_none, wanted, x) != 0 || !@_vouches(start, x, portion)) return -1;
    taken = @_correct(end, wanted, portion == 1.0, sizes, &far, x);
    return taken == 1 && far && !@_vouches(start, x, portion) ? -1 : taken;
}

/* moves clusters whose dependents are the neutral ones to the neutral configuration; delta is the displacement of their
   independents from there, without whole turns beyond four that change nothing */
static int @_drive(double* q, double* delta) {
    int k, i, moves = 0;
    for (k = 0; k < $_CLUSTERS; ++k) {
        const @_cluster* const c = @_clusters + k;
        int guessed = c->leader == c->last_leader;
        for (i = c->dependent; i < c->dependent + c->dependents; ++i) {
            const int first = @_guesses[i][0];
            int j;
            for (j = first; j < first + @_guesses[i][1]; ++j) guessed |= q[j] != @_neutral[j];
        }
        for (i = c->leader; !guessed && i < c->last_leader; ++i) {
            const int j = @_leaders[i][0];
            double* const x = delta + @_leaders[i][1];
            *x = q[j] - @_neutral[j];
            if (@_leaders[i][2] && fabs(*x) > 25.132741228718345) *x = remainder(*x, 6.283185307179586);
            moves |= *x != 0.0;
            q[j] = @_neutral[j];
        }
    }
    return moves;
}

/* returns the largest size over all clusters of the robot */
static double @_largest_size(const double* motion) {
    double largest = 0.0;
    int k;
    for (k = 0; k < $_CLUSTERS; ++k) {
        const double size = @_size(@_clusters + k, motion);
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

/* follows the closed configurations from `from` along `delta`, to where independent coordinates are those of `goal` */
static int @_continue(double* from, const double* goal, double* delta, int moves) {
    double end[$_NQ], allowed = 0.5;
    @_linear start, next;
    int step, status = @_linearize(from, delta, @_none, &start), i;
    if (status != 0) return status;
    if (!(@_largest_size(delta) <= 625.0)) return $_NOT_CONVERGED;
    if (!moves && @_error(&start) <= @_rounding(from)) return 0;
    for (step = 0; step < 5000; ++step) {
        const double size = @_largest_size(start.motion), portion = size > allowed ? allowed / size : 1.0;
        const int taken = @_try_step(from, goal, &start, portion, end, &next);
        if (taken == 1) {
            memcpy(from, end, sizeof end);
            if (portion == 1.0) return 0;
            for (i = 0; i < $_DOFS; ++i) delta[i] *= 1.0 - portion;
            status = @_linearize(from, delta, @_none, &start);
            if (status != 0) return status;
            allowed = portion * size < 0.25 ? 2.0 * portion * size : 0.5;
        } else {
            allowed = 0.5 * portion * size;
            if (!(allowed >= 4.7e-9)) return taken < 0 ? $_FOLD : $_NOT_CONVERGED;
        }
    }
    return $_NOT_CONVERGED;
}

int @_close(double* q) {
    double closed[$_NQ], from[$_NQ], delta[$_DOFS] = {0.0};
    int status, moves;
    memcpy(closed, q, sizeof closed);
{coupled}    memcpy(from, closed, sizeof from);
    moves = @_drive(from, delta);
    status = @_continue(from, closed, delta, moves);
    if (status == 0) memcpy(q, from, sizeof from);
    return status;
}
)";

// q contains the goal of all independent coordinates, and of those that couplings determine.
constexpr std::string_view following = R"(
/* closes the loops of q along the displacement of its independent coordinates from `origin` */
static int @_follow(const double* origin, const double* displacement, double* q) {
    double from[$_NQ], delta[$_DOFS] = {0.0};
    int status, i, moves = 0;
    memcpy(from, q, sizeof from);
    for (i = 0; i < $_JOINTS; ++i) {
        const int first = @_joints[i][1], size = {size};
        memcpy(from + first, origin + first, (size_t)size * sizeof *from);
    }
    for (i = 0; i < $_MOVING; ++i) {
        const double x = displacement[@_moving[i][1]];
        delta[@_moving[i][0]] = x;
        moves |= x != 0.0;
    }
    status = @_continue(from, q, delta, moves);
    if (status == 0) memcpy(q, from, sizeof from);
    return status;
}
)";

constexpr std::string_view arriving_poses =
    R"(    for (i = 0; portion == 1.0 && i < $_GOALS; ++i)
        memcpy(end + @_goals[i][0], goal + @_goals[i][0], (size_t)@_goals[i][1] * sizeof *end);
)";

constexpr std::string_view couplings = R"(int @_close(double* q) {
    double closed[$_NQ];
    if (!(@_squares(q, $_NQ) < 1e200)) return $_NOT_FINITE;
    memcpy(closed, q, sizeof closed);
{coupled}    if (@_zeros(closed, $_NQ, 1) != 0.0) return $_NOT_FINITE;
    memcpy(q, closed, sizeof closed);
    return 0;
}
)";

}  // namespace

std::string closing_types(const Dialect& dialect, const ClosingSizes& sizes) {
    std::string text(types);
    if (sizes.screws > 0) text += screw_type;
    const auto size = [](const char* name, int value) {
        return std::string("$_") + name + " = " + std::to_string(value);
    };
    text += "\nenum { " + size("CLUSTERS", sizes.clusters) + ", " + size("DOFS", sizes.dofs) + ", " +
            size("ROWS", sizes.rows) + ", " + size("DEPENDENTS", sizes.dependents) + ", " +
            size("JOINTS", sizes.joints) + ", " + size("LEADERS", sizes.leaders) + ", " +
            size("SCREWS", sizes.screws) + ", " + size("MOVING", sizes.moving) + ", " +
            size("GOALS", sizes.goals) + " };\n\nstatic const double @_none[" +
            std::to_string(sizes.dofs + sizes.rows) + "] = {0.0};\n";
    return filled(dialect, text);
}

std::string closing_functions(const Dialect& dialect, const ClosingSizes& sizes, const std::string& coupled) {
    const bool screws = sizes.screws > 0;
    std::string text = with(moving, "{quaternions}", sizes.quaternions ? quaternion_moving : "");
    text += measuring;
    if (screws) text += screw_threads;
    std::string steps =
        with(stepping, "{threads}", screws ? "@_keeps_threads(start->motion, portion, end)" : "1");
    text += with(steps, "{poses}", sizes.goals > 0 ? arriving_poses : "");
    if (sizes.follows)
        text += with(following, "{size}",
                     sizes.quaternions ? "@_joints[i][0] == 0 ? 1 : @_joints[i][0] == 1 ? 4 : 7" : "1");
    return filled(dialect, with(text, "{coupled}", coupled));
}

std::string closing_of_couplings(const Dialect& dialect, const std::string& coupled) {
    return filled(dialect, with(couplings, "{coupled}", coupled));
}

}  // namespace grbda::generated
