#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "grbda/diagnostics.hpp"
#include "grbda/model/model.hpp"

// Arguments of the commands, and the loading of the robot that they share.

namespace grbda::tool {

/// Exit codes of every command: an error in files, an error on the command line, no result exists, or under
/// `check --strict` a locked mechanism.
enum Exit { success = 0, bad_input = 1, bad_call = 2, no_answer = 3, locked = 4 };

struct ModelArguments {
    std::vector<std::string> files;
    std::vector<std::string> paths;  ///< folders for included files
    std::string coupling_ratio;      ///< empty: as the file states
    std::string form;                ///< of clusters with loops; empty: the cheapest one
    std::optional<double> density;   ///< of links without mass, kg/m³
    bool adjust = false;
    bool floating_base = false;
    bool no_rotor_reduction = false;
    bool no_rod_reduction = false;
    bool spherical_joints = false;
    bool ignore_mocap = false;
    bool quiet = false, notes = false;
    bool strict = false;
};

struct CheckArguments {
    ModelArguments model;
    bool json = false;
};

struct InfoArguments {
    ModelArguments model;
    bool json = false;
    bool dot = false;
};

struct ComputeArguments {
    ModelArguments model;
    std::string states;                        ///< a file; empty: one state of `q`, `yd`, `ydd` and `tau`
    std::vector<std::string> q, yd, ydd, tau;  ///< "JOINT=NUMBERS"
    std::string start;                         ///< saved state from which states start; empty: none
    std::string output;                        ///< empty or -: standard output
    std::string method = "aba";
    bool joint_forces = false;
    std::vector<std::string> frames;
    bool constraints = false;
    bool derivatives = false;
};

struct ConvertArguments {
    ModelArguments model;
    std::string to;      ///< format; empty: from the output's extension
    std::string output;  ///< empty or -: standard output
    bool no_meshes = false;
};

/// A configuration on the command line.
struct ConfigurationArguments {
    std::string state;                   ///< saved state; empty: neutral
    std::vector<std::string> positions;  ///< "JOINT=VALUE", replacing those
};

struct FreezeArguments {
    ModelArguments model;
    ConfigurationArguments at;
    std::vector<std::string> joints;
    std::string output;  ///< empty or -: standard output
};

struct MountArguments {
    ModelArguments model;
    ConfigurationArguments at;
    std::string frame, name;
    std::string type = "fixed";
    std::string place;        ///< "X,Y,Z" or "X,Y,Z,ROLL,PITCH,YAW"; empty: the frame's present place
    std::string axis, axis2;  ///< "X,Y,Z"
    std::optional<double> pitch, length;
    std::string output;  ///< empty or -: standard output
};

struct WorkspaceArguments {
    ModelArguments model;
    ConfigurationArguments at;
    std::string joint;
    std::optional<double> from, to;  ///< default: the joint's limits
    int steps = 100;
    int guesses = 32;
    std::uint64_t seed = 1;
    std::vector<std::string> watched;
    bool json = false;
    bool csv = false;
    std::string output;  ///< empty or -: standard output
};

/// Thrown for invalid values on the command line: a name that
/// the robot does not have, a value that is not a number.
class CallError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Thrown if files and command line are valid, but no such configuration exists.
class NoAnswer : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct IkArguments {
    ModelArguments model;
    std::vector<std::string> targets, held, start;
    std::string output;  ///< empty or -: standard output
    int starts = 1;
    std::uint64_t seed = 1;
    int iterations = 200;
    double tolerance = 1e-9;
    bool no_limits = false;
};

struct ProjectArguments {
    ModelArguments model;
    std::vector<std::string> q, qd, qdd, weights;
    std::string output;  ///< empty or -: standard output
    bool inertia = false;
    bool limits = false;
    int starts = 1;
    std::uint64_t seed = 1;
};

struct SimulateArguments {
    ModelArguments model;
    double duration = 0, step = 1e-3;  ///< s
    std::optional<double> tolerance;   ///< of adaptive steps
    std::string integrator = "semi_implicit";
    std::string contact = "compliant";
    double friction = 1;
    std::optional<double> ground;  ///< z of a plane
    std::string terrain;           ///< height field; empty: none
    std::string ground_motion;     ///< numbers; empty: at rest
    std::string start;             ///< saved state, or states file; empty: neutral
    int threads = 1;
    std::string controls;  ///< table; empty: no control
    std::vector<std::string> servos, pushes;
    double every = 1;
    std::string output;  ///< empty or -: standard output
    bool self_collision = false, no_contacts = false, no_meshes = false, no_limits = false, no_servos = false,
         passive = true, summary = false;
};

struct GenerateArguments {
    ModelArguments model;
    std::string output;  ///< folder and name of the files without extension
    std::string algorithms = "aba,rnea,crba";
    std::string lanes = "auto";
    std::string isa = "native";
    std::vector<std::string> frames;
    std::vector<std::string> parameters;
    int batch = 0;
    std::string step;               ///< rule of steps for solvers; empty: no steps
    std::string inputs = "motors";  ///< u of these steps
    std::vector<double> gravity;    ///< empty: that of the file
    bool columns = false;
    bool joint_forces = false;
    bool hessian = false;
    std::string abi = "c";
    bool wrenches = false;
    bool iso = false;
    bool json = false;
};

struct SerialArguments {
    ModelArguments model;
    ConfigurationArguments at;
    std::string output;  ///< folder and name of the files without extension
    std::vector<std::string> ends, ranges;
    int points = 0;  ///< 0: by the number of coordinates
    double most_change = 4, tolerance = 0.1;
    std::string motor_gains, joint_gains;  ///< "K,D"; empty: none
};

struct ServeArguments {
    int port = 0;      ///< 0: a free one
    std::string rows;  ///< file of rows that a program writes; -: standard input; empty: none
};

struct ViewArguments {
    ModelArguments model;
    std::string output;  ///< empty or -: standard output
    std::string page;    ///< template; empty: the one installed with this program
    std::string record;  ///< of `simulate`; empty: none
    bool is_served = false;
    ServeArguments serve;
};

struct CompletionArguments {
    std::string shell;
    std::string output;  ///< empty or -: standard output
};

struct PlotArguments {
    std::string record;
    std::vector<std::string> columns;  ///< empty: positions, velocities, energies
    std::string output;                ///< empty: a browser, or standard output; -: standard output
};

struct NamesArguments {
    std::string kind;  ///< joint, frame or state
    std::vector<std::string> files;
};

LoadOptions load_options(const ModelArguments& arguments);

/// Throws LoadError with every finding.
Model load_model(const ModelArguments& arguments);

int check(const CheckArguments& arguments);
int info(const InfoArguments& arguments);
int compute(const ComputeArguments& arguments);
int convert(const ConvertArguments& arguments);
int freeze(const FreezeArguments& arguments);
int mount(const MountArguments& arguments);
int workspace(const WorkspaceArguments& arguments);
int ik(const IkArguments& arguments);
int project(const ProjectArguments& arguments);
int generate(const GenerateArguments& arguments);
int serial(const SerialArguments& arguments);
int simulate(const SimulateArguments& arguments);
int plot(const PlotArguments& arguments);
int view(const ViewArguments& arguments);
/// Prints findings and a summary, and shows the page.
int try_robot(const ViewArguments& arguments);

}  // namespace grbda::tool
