#pragma once

/// C interface of the library grbda::c, for programs in C and for other languages (docs/c-interface.md).
///
/// Units are SI and radians. Vectors are arrays of double; [n] after a name gives the number of entries.
/// Matrices [rows × columns] are stored column by column. Twists and wrenches list the linear part first.
/// Frames, orders of coordinates and signs are those of docs/conventions.md.
///
/// Functions return a status, 0 for success. The text of an error is in grbda_last_error(). After a numerical
/// status, 1 to 99, outputs are NaN, except configurations. After another error, outputs are unchanged.
/// No function throws or ends the program. NULL for a required pointer is an error. An output must not
/// overlap an input, except where a comment allows it.
///
/// A model is constant, and threads may share it. Each thread needs a grbda_data of its own. Functions with a
/// grbda_data do not allocate memory after their first call, unless they fail.

#if defined(__GNUC__)
#define GRBDA_C_EXPORT __attribute__((visibility("default")))
#else
#define GRBDA_C_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct grbda_model grbda_model;  ///< a robot, from its files; constant
typedef struct grbda_data grbda_data;    ///< results and workspace of one thread

// Errors

typedef enum grbda_status {
    GRBDA_OK = 0,
    GRBDA_SINGULAR_CONSTRAINT = 1,  ///< the loops of a cluster are singular at q
    GRBDA_SINGULAR_INERTIA = 2,     ///< a motion of a cluster moves no mass
    GRBDA_NOT_CONVERGED = 3,        ///< loops are not closed
    GRBDA_FOLD = 4,                 ///< the assembly mode ends on the path
    GRBDA_NOT_FINITE = 5,           ///< NaN, infinite or too large numbers
    GRBDA_UNDEFINED = 6,            ///< the method is not defined for this model or state
    GRBDA_UNBALANCED = 7,           ///< the forces do not produce the required motion
    GRBDA_INACCURATE = 8,           ///< reserved for simulations
    GRBDA_INVALID_ARGUMENT = 100,   ///< NULL, an unknown name, an index out of range, a wrong order of calls
    GRBDA_INVALID_FILE = 101,       ///< the files have errors; the text lists all of them
    GRBDA_OUT_OF_MEMORY = 102,
    GRBDA_INTERNAL_ERROR = 103  ///< an error of the library: please report it
} grbda_status;

/// Numerical outcome of the last algorithm on some data.
typedef struct grbda_result {
    grbda_status status;
    int cluster;      ///< the first cluster affected; -1: none
    double residual;  ///< closure: relative to the size of the cluster; unbalanced: to the largest force
    int iterations;
    int from_neutral;  ///< 1 if grbda_close_loops() had no guess for some cluster and started at neutral
} grbda_result;

/// Returns the version of the library, such as "0.2.0".
GRBDA_C_EXPORT const char* grbda_version(void);

/// Returns the name of a status, such as "singular_inertia".
GRBDA_C_EXPORT const char* grbda_status_name(grbda_status status);

/// Returns the text of the last error of this thread, "" before the first one. Success does not clear it.
/// The pointer is valid until the next error of this thread.
GRBDA_C_EXPORT const char* grbda_last_error(void);

/// Returns the outcome of the last call of an algorithm on `data`. A call with an invalid argument leaves it.
GRBDA_C_EXPORT grbda_status grbda_last_result(const grbda_data* data, grbda_result* result);

// Models

/// Options of loading; a structure of zeros selects the default of each.
typedef struct grbda_load_options {
    int floating_base;  ///< 1: adds the floating joint "root_joint" above the root link
    int strict;         ///< 1: warnings that a format marks as strict are errors
    int adjust;         ///< 1: adjusts loops that no configuration closes
    int keep_rotors;    ///< 1: rotors remain bodies, instead of being merged into their carriers
    int keep_rods;      ///< 1: rods keep joint coordinates
    int path_count;
    const char* const* paths;  ///< [path_count] folders that are searched for included files, besides the
                               ///< robot's own; may be NULL if path_count is 0
    const double* gravity;     ///< [3] m/s², in the axes of the world; NULL: that of the files
} grbda_load_options;

/// Loads one robot from its files, in any order: one URDF, URDF+, MJCF, SDF or world file, and any side files
/// (Extended URDF, XRDF, SRDF). The content of each file decides its format.
/// in      files [file_count], paths in UTF-8; options, or NULL
/// out     model, to be destroyed by grbda_model_destroy(); NULL after an error
/// errors  GRBDA_INVALID_FILE with all findings
GRBDA_C_EXPORT grbda_status grbda_load(const char* const* files, int file_count,
                                       const grbda_load_options* options, grbda_model** model);

/// Loads one robot from one file; otherwise as grbda_load().
GRBDA_C_EXPORT grbda_status grbda_load_file(const char* file, const grbda_load_options* options,
                                            grbda_model** model);

/// Loads one robot from a text in URDF, URDF+, MJCF or SDF, which includes no files. Messages call it `name`,
/// or "text" if name is NULL. Otherwise as grbda_load().
GRBDA_C_EXPORT grbda_status grbda_load_text(const char* text, const char* name,
                                            const grbda_load_options* options, grbda_model** model);

/// Frees a model; NULL is allowed. The texts that it returned become invalid.
GRBDA_C_EXPORT void grbda_model_destroy(grbda_model* model);

// Each of these returns a number, or -1 if model is NULL.

GRBDA_C_EXPORT int grbda_nq(const grbda_model* model);       ///< entries of q: positions of all joints
GRBDA_C_EXPORT int grbda_nv(const grbda_model* model);       ///< degrees of freedom: entries of yd, ydd, tau
GRBDA_C_EXPORT int grbda_nv_tree(const grbda_model* model);  ///< velocities of all joints
GRBDA_C_EXPORT int grbda_body_count(const grbda_model* model);     ///< moving bodies
GRBDA_C_EXPORT int grbda_joint_count(const grbda_model* model);    ///< joint i moves body i, so as many
GRBDA_C_EXPORT int grbda_frame_count(const grbda_model* model);    ///< links and other frames
GRBDA_C_EXPORT int grbda_loop_count(const grbda_model* model);     ///< joints that close loops
GRBDA_C_EXPORT int grbda_motor_count(const grbda_model* model);    ///< velocities that motors drive
GRBDA_C_EXPORT int grbda_finding_count(const grbda_model* model);  ///< notes and warnings of loading

// Each of these returns a text that is valid as long as the model, or NULL after an error.

GRBDA_C_EXPORT const char* grbda_robot_name(const grbda_model* model);
GRBDA_C_EXPORT const char* grbda_joint_name(const grbda_model* model, int joint);
GRBDA_C_EXPORT const char* grbda_body_name(const grbda_model* model, int body);  ///< its topmost link
GRBDA_C_EXPORT const char* grbda_frame_name(const grbda_model* model, int frame);
GRBDA_C_EXPORT const char* grbda_loop_name(const grbda_model* model, int loop);
GRBDA_C_EXPORT const char* grbda_finding(const grbda_model* model, int finding);

/// Finds a joint that moves a body, or a frame or link, by its name in the files; the error of an unknown
/// name lists the nearest names. For setup: it searches all names and allocates.
GRBDA_C_EXPORT grbda_status grbda_find_joint(const grbda_model* model, const char* name, int* joint);
GRBDA_C_EXPORT grbda_status grbda_find_frame(const grbda_model* model, const char* name, int* frame);

/// A joint. It owns `size` entries of a vector from index `begin` on.
typedef struct grbda_joint {
    const char* name;  ///< valid as long as the model
    const char* type;  ///< "revolute", "prismatic", "floating", …
    int parent;        ///< body that carries it; -1: the world
    int cluster;
    int q_begin, q_size;  ///< in q [nq]
    int v_begin, v_size;  ///< in velocities of all joints [nv_tree]
    int y_begin, y_size;  ///< in yd, ydd, tau [nv]; y_size is 0 if other joints determine this one
    int has_motor;        ///< 1 if the files name it as actuated
    double lower, upper;  ///< limits of its position, rad or m; infinite: none
    double velocity;      ///< limit of its velocity, rad/s or m/s
    double effort;        ///< limit of its force, N·m or N
} grbda_joint;

/// Describes a joint. For setup: it searches all names and allocates.
GRBDA_C_EXPORT grbda_status grbda_get_joint(const grbda_model* model, int joint, grbda_joint* description);

/// Returns the body, or -1 for the world, in which a frame is fixed. A body that is not below
/// grbda_body_count() is a rod.
GRBDA_C_EXPORT grbda_status grbda_frame_body(const grbda_model* model, int frame, int* body);

/// Returns the joint of a motor, and which of the joint's velocities it drives, from 0.
GRBDA_C_EXPORT grbda_status grbda_get_motor(const grbda_model* model, int motor, int* joint, int* component);

/// Returns gravity [3], m/s², in the axes of the world.
GRBDA_C_EXPORT grbda_status grbda_gravity(const grbda_model* model, double* gravity);

/// Returns the configuration q [nq] that loading found. It closes all loops.
GRBDA_C_EXPORT grbda_status grbda_neutral(const grbda_model* model, double* q);

// Data

/// Allocates the workspace of one thread for one model, to be destroyed by grbda_data_destroy(). It may
/// outlive the model, but algorithms accept it only with this model or an equal one.
GRBDA_C_EXPORT grbda_status grbda_data_create(const grbda_model* model, grbda_data** data);

/// Copies results and workspace, for another thread.
GRBDA_C_EXPORT grbda_status grbda_data_clone(const grbda_data* data, grbda_data** copy);

/// Frees a workspace; NULL is allowed.
GRBDA_C_EXPORT void grbda_data_destroy(grbda_data* data);

// Configurations

/// Closes loops and couplings: keeps the independent positions in q [nq] and computes the others, whose
/// values in q are the guess.
/// errors  GRBDA_FOLD, GRBDA_SINGULAR_CONSTRAINT or GRBDA_NOT_CONVERGED: q is then not closed
GRBDA_C_EXPORT grbda_status grbda_close_loops(const grbda_model* model, grbda_data* data, double* q);

/// Checks whether q [nq] closes the loops. The largest gap, relative to the size of its cluster, is in
/// grbda_last_result().
/// errors  GRBDA_NOT_CONVERGED if a loop is open
GRBDA_C_EXPORT grbda_status grbda_closure_residual(const grbda_model* model, grbda_data* data,
                                                   const double* q);

/// Moves q [nq] by a displacement delta [nv], rad and m; loops stay closed. For a step of time pass
/// step · yd. out [nq] may be q.
/// errors  GRBDA_FOLD if the loops cannot follow, with out at that end
GRBDA_C_EXPORT grbda_status grbda_integrate(const grbda_model* model, grbda_data* data, const double* q,
                                            const double* delta, double* out);

/// Computes the displacement delta [nv] from q0 [nq] to q1 [nq], the inverse of grbda_integrate().
GRBDA_C_EXPORT grbda_status grbda_difference(const grbda_model* model, grbda_data* data, const double* q0,
                                             const double* q1, double* delta);

/// Computes the velocities qd [nv_tree] of all joints from the independent ones, yd [nv].
GRBDA_C_EXPORT grbda_status grbda_spanning_velocity(const grbda_model* model, grbda_data* data,
                                                    const double* q, const double* yd, double* qd);

// Dynamics
//
// q [nq] must close the loops. yd, ydd and tau [nv] are independent velocities, accelerations and forces, in
// rad/s, m/s; rad/s², m/s²; N·m, N. wrenches [6 × bodies] are external forces and moments on the bodies, in
// the frame of each body, at its origin; NULL: none.

/// Computes forward dynamics by the articulated-body algorithm: ydd [nv] from tau [nv].
GRBDA_C_EXPORT grbda_status grbda_aba(const grbda_model* model, grbda_data* data, const double* q,
                                      const double* yd, const double* tau, const double* wrenches,
                                      double* ydd);

/// Computes inverse dynamics by the recursive Newton–Euler algorithm: tau [nv] from ydd [nv].
GRBDA_C_EXPORT grbda_status grbda_rnea(const grbda_model* model, grbda_data* data, const double* q,
                                       const double* yd, const double* ydd, const double* wrenches,
                                       double* tau);

/// Computes tau [nv] at ydd = 0: Coriolis, centrifugal and gravity terms, minus external wrenches.
GRBDA_C_EXPORT grbda_status grbda_bias(const grbda_model* model, grbda_data* data, const double* q,
                                       const double* yd, const double* wrenches, double* tau);

/// Computes the mass matrix M [nv × nv].
GRBDA_C_EXPORT grbda_status grbda_crba(const grbda_model* model, grbda_data* data, const double* q,
                                       double* M);

/// Computes the forces tau [nv] of springs, dampers, dry friction, tendons and gravity compensation of the
/// files. Add them to the tau of grbda_aba(): no other function includes them.
GRBDA_C_EXPORT grbda_status grbda_passive_forces(const grbda_model* model, grbda_data* data, const double* q,
                                                 const double* yd, double* tau);

/// Computes the derivatives of grbda_rnea(): dtau_dy, dtau_dyd and M = dtau_dydd [nv × nv each]. y moves
/// along the closed configurations as in grbda_integrate(), and wrenches are constant in the axes of the
/// bodies.
GRBDA_C_EXPORT grbda_status grbda_rnea_derivatives(const grbda_model* model, grbda_data* data,
                                                   const double* q, const double* yd, const double* ydd,
                                                   const double* wrenches, double* dtau_dy, double* dtau_dyd,
                                                   double* M);

/// Computes ydd [nv] of grbda_aba() and its derivatives dydd_dy, dydd_dyd and dydd_dtau [nv × nv each].
/// Otherwise as grbda_rnea_derivatives().
GRBDA_C_EXPORT grbda_status grbda_aba_derivatives(const grbda_model* model, grbda_data* data, const double* q,
                                                  const double* yd, const double* tau, const double* wrenches,
                                                  double* ydd, double* dydd_dy, double* dydd_dyd,
                                                  double* dydd_dtau);

// Kinematics

/// Axes in which twists and wrenches of a frame are expressed. The reference point is the frame's origin.
typedef enum grbda_axes {
    GRBDA_LOCAL = 0,         ///< the frame's own axes
    GRBDA_WORLD_ALIGNED = 1  ///< the world's axes
} grbda_axes;

/// Computes the kinematics of all bodies, for the functions below, which read the results of the last call.
/// in      q [nq]; yd [nv] or NULL: velocities are then NaN; ydd [nv] or NULL: accelerations are then NaN;
///         ydd needs yd
GRBDA_C_EXPORT grbda_status grbda_forward_kinematics(const grbda_model* model, grbda_data* data,
                                                     const double* q, const double* yd, const double* ydd);

/// Returns rotation [3 × 3] and position [3], m, of a frame in the world. Either output may be NULL.
GRBDA_C_EXPORT grbda_status grbda_frame_pose(const grbda_model* model, const grbda_data* data, int frame,
                                             double* rotation, double* position);

/// Returns the twist [6] of a frame: velocity of its origin, m/s, and angular velocity, rad/s.
GRBDA_C_EXPORT grbda_status grbda_frame_velocity(const grbda_model* model, const grbda_data* data, int frame,
                                                 grbda_axes axes, double* twist);

/// Returns the acceleration [6] of a frame's origin, m/s², and its angular acceleration, rad/s².
GRBDA_C_EXPORT grbda_status grbda_frame_acceleration(const grbda_model* model, const grbda_data* data,
                                                     int frame, grbda_axes axes, double* acceleration);

/// Computes the Jacobian J [6 × nv] of a frame: twist = J yd.
GRBDA_C_EXPORT grbda_status grbda_frame_jacobian(const grbda_model* model, const grbda_data* data, int frame,
                                                 grbda_axes axes, double* J);

/// Adds a wrench [6] on a frame, N and N·m, to wrenches [6 × bodies], the argument of grbda_aba(). A wrench
/// on a rod becomes forces on the bodies at its ends; its moment about the rod's line has no effect.
GRBDA_C_EXPORT grbda_status grbda_add_frame_wrench(const grbda_model* model, const grbda_data* data,
                                                   int frame, grbda_axes axes, const double* wrench,
                                                   double* wrenches);

// Motors, forces in loops and bearings

/// Computes the Jacobian J [motors × nv] of the motors: their velocities are J yd, and motor forces f act as
/// tau = Jᵀ f. The first call for each grbda_data allocates.
GRBDA_C_EXPORT grbda_status grbda_motor_jacobian(const grbda_model* model, grbda_data* data, const double* q,
                                                 double* J);

/// Computes motor forces [motors] that act as tau [nv] at the configuration of the last call of
/// grbda_motor_jacobian() on data.
/// errors  GRBDA_UNBALANCED if motors cannot produce tau
GRBDA_C_EXPORT grbda_status grbda_motor_forces(const grbda_model* model, grbda_data* data, const double* tau,
                                               double* motors);

/// Computes the wrenches in loops and bearings for a motion. The first call for each grbda_data allocates.
/// in      q, yd, ydd, wrenches as for grbda_rnea(); joint_forces [nv_tree]: the forces of motors and springs
///         on all joints; NULL: the tau of grbda_rnea() on the independent joints
/// out     loops [6 × loops]: on the successor of each loop joint; joints [6 × bodies]: on each body through
///         its joint, at its origin; both in the axes of the world. Either may be NULL
/// errors  GRBDA_UNBALANCED if joint_forces do not produce the motion
GRBDA_C_EXPORT grbda_status grbda_constraint_forces(const grbda_model* model, grbda_data* data,
                                                    const double* q, const double* yd, const double* ydd,
                                                    const double* wrenches, const double* joint_forces,
                                                    double* loops, double* joints);

#ifdef __cplusplus
}
#endif
