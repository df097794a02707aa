#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "grbda/diagnostics.hpp"
#include "grbda/model/model.hpp"

// What the commands are given on the command line, and how all of them load the robot.

namespace grbda::tool {

/// Exit codes of every command: files are wrong, the command line is, or there is no answer to what it asks.
enum Exit { success = 0, bad_input = 1, bad_call = 2, no_answer = 3 };

struct ModelArguments {
    std::vector<std::string> files;
    std::vector<std::string> paths;  ///< folders to include files from
    std::string coupling_ratio;      ///< empty: as the file says
    std::string form;                ///< of clusters with loops; empty: the one that costs least
    bool adjust = false;
    bool floating_base = false;
    bool no_rotor_reduction = false;
    bool no_rod_reduction = false;
    bool spherical_joints = false;
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
    std::string states;
    std::string start;   ///< saved state that states begin at; empty: none
    std::string output;  ///< empty or -: standard output
    std::string method = "aba";
    bool joint_forces = false;
    std::vector<std::string> frames;
    bool constraints = false;
    bool derivatives = false;
};

struct ConvertArguments {
    ModelArguments model;
    std::string to;      ///< format; empty: as the output is called
    std::string output;  ///< empty or -: standard output
};

/// At which configuration.
struct ConfigurationArguments {
    std::string state;                   ///< saved one; empty: neutral
    std::vector<std::string> positions;  ///< "JOINT=VALUE", in place of those
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
    std::string place;        ///< "X,Y,Z" or "X,Y,Z,ROLL,PITCH,YAW"; empty: where the frame is
    std::string axis, axis2;  ///< "X,Y,Z"
    std::optional<double> pitch, length;
    std::string output;  ///< empty or -: standard output
};

struct SweepArguments {
    ModelArguments model;
    ConfigurationArguments at;
    std::string joint;
    std::optional<double> from, to;  ///< none: the joint's limits
    int steps = 100;
    int guesses = 32;
    std::uint64_t seed = 1;
    std::vector<std::string> watched;
    bool json = false;
    bool csv = false;
    std::string output;  ///< empty or -: standard output
};

/// What the command line asks for cannot be: a name that the robot does not have, a value that is no
/// number.
class CallError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Nothing is wrong with files or command line, but there is no configuration as they ask for.
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
    std::string start;             ///< saved state, or states file; empty: neutral
    int threads = 1;
    std::string controls;  ///< table; empty: nothing drives
    std::vector<std::string> servos;
    int every = 1;
    std::string output;  ///< empty or -: standard output
    bool self_collision = false, no_contacts = false, no_limits = false, passive = true, summary = false;
};

struct GenerateArguments {
    ModelArguments model;
    std::string output;  ///< folder and name of the files without their endings
    std::string algorithms = "aba,rnea,crba";
    std::string lanes = "auto";
    std::string isa = "native";
    std::vector<std::string> frames;
    std::vector<std::string> parameters;
    int batch = 0;
    bool wrenches = false;
    bool iso = false;
    bool json = false;
};

struct ViewArguments {
    ModelArguments model;
    std::string output;  ///< empty or -: standard output
    std::string page;    ///< template; empty: the one beside this program
    std::string record;  ///< of `simulate`; empty: none
};

struct CompletionArguments {
    std::string shell;
    std::string output;  ///< empty or -: standard output
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
int sweep(const SweepArguments& arguments);
int ik(const IkArguments& arguments);
int project(const ProjectArguments& arguments);
int generate(const GenerateArguments& arguments);
int simulate(const SimulateArguments& arguments);
int view(const ViewArguments& arguments);

}  // namespace grbda::tool
