#pragma once

// The engine of the viewer's page as C functions on one robot. They do not throw. Positions in m, rad and
// quaternions (x, y, z, w); bodies are counted in the order of q, −1 is the world. Results lie in buffers
// that view_layout() lists; memory may grow in every call, which moves nothing but ends views of it in
// JavaScript.

#if defined(__EMSCRIPTEN__)
#define GRBDA_VIEW_API __attribute__((used, visibility("default")))
#else
#define GRBDA_VIEW_API
#endif

extern "C" {

/// Bits of view_load()'s options, as LoadOptions has them.
enum {
    view_spherical = 1,
    view_floating = 2,
    view_adjust = 4,
    view_rotors = 8,
    view_predecessor_ratio = 16,
    view_successor_ratio = 32
};

/// Loads a robot. `paths`: files, one a line; `folder`: from which they may include others, or empty.
/// 0 if it is loaded; else view_json() has the findings, and the robot before stays.
GRBDA_VIEW_API int view_load(const char* paths, const char* folder, int options);
/// The robot as JSON: that of `grbda info --json`, and under "view" what drawing needs. After an error
/// {"diagnostics": […]}.
GRBDA_VIEW_API const char* view_json();

/// Addresses of the buffers, in the order of the enumeration ViewBuffer in robot.hpp, and their lengths:
/// address, length, ….
GRBDA_VIEW_API const unsigned* view_layout();

/// Moves component `v` of q̇ by `delta`, through change points. Locked joints stay. While a simulation holds a
/// pose, it moves that pose instead. Returns a Status.
GRBDA_VIEW_API int view_move(int v, double delta);
/// Moves a point of a body towards a target in the world; `turn`: the body keeps its orientation. At most
/// `iterations` steps. Returns an Outcome; the distance that is left is in the figures.
GRBDA_VIEW_API int view_drag(int body, double px, double py, double pz, double tx, double ty, double tz,
                             int turn, int iterations);
/// Locks or unlocks the joint of a body.
GRBDA_VIEW_API void view_lock(int body, int on);
/// Reads the buffer q as a configuration to show; one that leaves loops open is projected onto them. Joints
/// at NaN move from where they are to close loops, the others stay. 0, or an Outcome.
GRBDA_VIEW_API int view_set();
/// Back to the configuration that assembly found.
GRBDA_VIEW_API void view_reset();

/// Computes the forces of loops, bearings and motors: at rest, or, if `moving`, in the motion that follows
/// from the buffers q, qd, controls and wrenches. Returns a Status.
GRBDA_VIEW_API int view_forces(int moving);

/// Starts a simulation from the configuration shown, at rest; `ground`: a plane at the height z. Returns a
/// Status; if it is not ok, no simulation exists.
GRBDA_VIEW_API int view_start(double step, int ground, double z);
/// Chooses whether a simulation, also one that runs, holds the pose from which it started, or the one shown
/// now: servos act on the independent joints, except a floating base. Returns a Status.
GRBDA_VIEW_API int view_hold(int on);
/// Steps by `seconds` while less than `budget_ms` have passed, and writes qd, controls, wrenches and
/// contact_points. Returns a Status. A spring pulls a point of a body to a target unless body is −2.
GRBDA_VIEW_API int view_step(double seconds, double budget_ms, int body, double px, double py, double pz,
                             double tx, double ty, double tz);
/// Ends the simulation; the configuration stays.
GRBDA_VIEW_API void view_stop();
}
