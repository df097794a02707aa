#include "mujoco_mechanism.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

namespace grbda::benchmarks {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

std::string numbers(std::initializer_list<double> values) {
    std::ostringstream text;
    text << std::setprecision(17);
    for (const double value : values) text << value << ' ';
    return text.str();
}
std::string numbers(const Vector3d& x) { return numbers({x[0], x[1], x[2]}); }
std::string numbers(const Quaterniond& x) { return numbers({x.w(), x.x(), x.y(), x.z()}); }

std::string body_name(int body) { return body == world ? std::string("world") : 'b' + std::to_string(body); }
std::string joint_name(int body, int component = 0) {
    return 'j' + std::to_string(body) + '_' + std::to_string(component);
}
std::string site_name(std::size_t loop, char end) { return end + std::to_string(loop); }

struct Principal {
    Vector3d moments;
    Quaterniond axes;
};

/// The body's own axes if they are principal ones, which makes MuJoCo faster.
Principal principal(const Inertial& inertial) {
    if (inertial.inertia.isDiagonal()) return {inertial.inertia.diagonal(), Quaterniond::Identity()};
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertial.inertia);
    Eigen::Matrix3d axes = solver.eigenvectors();
    axes.col(2) *= axes.determinant();
    return {solver.eigenvalues(), Quaterniond(axes)};
}

/// An equality constraint of a loop.
struct Closure {
    int equality = 0;
    Vector3d predecessor, successor;  ///< points of the bodies that coincide; unused by a rod
    Quaterniond rotation;             ///< weld: orientation of the second body in the first
    double length = 0;                ///< rod
};

class MjcfWriter {
public:
    MjcfWriter(const Mechanism& mechanism, const Model& model, const std::optional<MujocoGround>& ground)
        : mechanism_(mechanism), model_(model), ground_(ground) {}

    const std::vector<Closure>& closures() const { return closures_; }

    std::string run() {
        children_.resize(mechanism_.bodies.size() + 1);
        for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i)
            children_[static_cast<std::size_t>(mechanism_.bodies[i].parent + 1)].push_back(
                static_cast<int>(i));
        const auto& gravity = model_.gravity;
        text_ << "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option solver='Newton' gravity='"
              << numbers({gravity.x, gravity.y, gravity.z}) << "' cone='elliptic'";
        if (ground_) text_ << " timestep='" << numbers({ground_->step}) << "'";
        text_ << "/><worldbody>";
        if (ground_)
            text_ << "<geom type='plane' size='9 9 1' pos='" << numbers({0, 0, ground_->height}) << "'/>";
        contents(world);
        text_ << "</worldbody>";
        for (std::size_t i = 0; i < mechanism_.loops.size(); ++i) loop(i);
        for (std::size_t i = 0; i < mechanism_.couplings.size(); ++i) coupling(i);
        text_ << "<tendon>" << tendons_.str() << "</tendon><equality>" << equalities_.str()
              << "</equality></mujoco>";
        return text_.str();
    }

private:
    void contents(int body) {
        for (std::size_t i = 0; i < mechanism_.loops.size(); ++i) {
            const MechanismLoop& loop = mechanism_.loops[i];
            if (loop.predecessor == body) site(i, 'p', loop.predecessor_placement);
            if (loop.successor == body) site(i, 's', loop.successor_placement);
        }
        for (const int child : children_[static_cast<std::size_t>(body + 1)]) add_body(child);
    }

    void site(std::size_t loop, char end, const Pose& placement) {
        text_ << "<site name='" << site_name(loop, end) << "' pos='" << numbers(placement.translation)
              << "'/>";
    }

    void add_body(int index) {
        const MechanismBody& body = mechanism_.bodies[static_cast<std::size_t>(index)];
        text_ << "<body name='" << body_name(index) << "' pos='" << numbers(body.placement.translation)
              << "' quat='" << numbers(Quaterniond(body.placement.rotation))
              << "'><inertial mass='1' diaginertia='1 1 1' pos='" << numbers(body.inertia.com) << "' quat='"
              << numbers(principal(body.inertia).axes) << "'/>";
        joints(index, body);
        if (ground_) shapes(index);
        contents(index);
        text_ << "</body>";
    }

    /// Writes shapes that touch only the ground.
    void shapes(int body) {
        for (const MechanismShape& x : mechanism_.shapes) {
            if (x.body != body || !x.shape.collision) continue;
            const Shape& shape = x.shape.shape;
            if (shape.kind != ShapeKind::box && shape.kind != ShapeKind::sphere)
                throw NotExpressible(std::string("a ") + to_string(shape.kind));
            const bool is_box = shape.kind == ShapeKind::box;
            text_ << "<geom type='" << to_string(shape.kind) << "' size='"
                  << (is_box ? numbers(Vector3d(shape.size / 2)) : numbers({shape.size.x()})) << "' pos='"
                  << numbers(x.placement.translation) << "' quat='"
                  << numbers(Quaterniond(x.placement.rotation)) << "' contype='0'/>";
        }
    }

    void joints(int index, const MechanismBody& body) {
        const auto add = [&](int component, const char* type, const Vector3d& axis) {
            text_ << "<joint name='" << joint_name(index, component) << "' type='" << type << "' axis='"
                  << numbers(axis) << "' armature='" << numbers({body.armature}) << "'/>";
        };
        switch (body.type) {
            case JointType::revolute: return add(0, "hinge", body.axis);
            case JointType::prismatic: return add(0, "slide", body.axis);
            case JointType::cylindrical: add(0, "hinge", body.axis); return add(1, "slide", body.axis);
            case JointType::universal: add(0, "hinge", body.axis); return add(1, "hinge", body.axis2);
            case JointType::spherical: return add(0, "ball", body.axis);
            case JointType::floating:
                if (body.parent != world) throw NotExpressible("a floating joint on a moving body");
                return add(0, "free", body.axis);
            case JointType::fixed:
            case JointType::continuous:
            case JointType::helical:
            case JointType::planar: break;
        }
        throw NotExpressible(std::string("joint of type ") + to_string(body.type));
    }

    void loop(std::size_t index) {
        const MechanismLoop& loop = mechanism_.loops[index];
        switch (loop.type) {
            case LoopType::revolute:
                connect(loop, 0);
                if (turns_out_of_plane(index)) connect(loop, hinge_width);
                return;
            case LoopType::spherical: return connect(loop, 0);
            case LoopType::fixed: return weld(loop);
            case LoopType::distance: return rod(index);
            case LoopType::continuous:
            case LoopType::prismatic:
            case LoopType::helical:
            case LoopType::cylindrical:
            case LoopType::universal:
            case LoopType::planar:
            case LoopType::point_on_line:
            case LoopType::floating: break;
        }
        throw NotExpressible(std::string("loop of type ") + to_string(loop.type));
    }

    bool turns_out_of_plane(std::size_t index) const {
        return std::any_of(model_.loops.begin(), model_.loops.end(), [&](const Loop& loop) {
            return loop.source == static_cast<int>(index) && loop.lengths < loop.rows;
        });
    }

    /// Adds the closure of points at the distance `along` from the origins of P and Q on their axes.
    Closure& add_closure(const MechanismLoop& loop, double along) {
        const auto point = [&](const Pose& placement) -> Vector3d {
            return placement.translation + placement.rotation * loop.axis * along;
        };
        const Pose& p = loop.predecessor_placement;
        const Pose& s = loop.successor_placement;
        closures_.push_back({equality_count_++, point(p), point(s),
                             Quaterniond(p.rotation * s.rotation.transpose()), loop.length});
        return closures_.back();
    }

    void connect(const MechanismLoop& loop, double along) {
        const Closure& closure = add_closure(loop, along);
        equalities_ << "<connect body1='" << body_name(loop.predecessor) << "' body2='"
                    << body_name(loop.successor) << "' anchor='" << numbers(closure.predecessor) << "'/>";
    }

    void weld(const MechanismLoop& loop) {
        add_closure(loop, 0);
        equalities_ << "<weld body1='" << body_name(loop.predecessor) << "' body2='"
                    << body_name(loop.successor) << "'/>";
    }

    void rod(std::size_t index) {
        const std::string name = 'r' + std::to_string(index);
        add_closure(mechanism_.loops[index], 0);
        tendons_ << "<spatial name='" << name << "'><site site='" << site_name(index, 'p')
                 << "'/><site site='" << site_name(index, 's') << "'/></spatial>";
        equalities_ << "<tendon tendon1='" << name << "'/>";
    }

    void coupling(std::size_t index) {
        const MechanismCoupling& coupling = mechanism_.couplings[index];
        if (!coupling.polynomial.empty()) throw NotExpressible("a polynomial coupling");
        if (coupling.terms.size() == 2) return gear(coupling);
        const std::string name = 'c' + std::to_string(index);
        tendons_ << "<fixed name='" << name << "'>";
        for (const MechanismTerm& term : coupling.terms)
            tendons_ << "<joint joint='" << joint_name(term.body, term.component) << "' coef='"
                     << numbers({term.coefficient}) << "'/>";
        tendons_ << "</fixed>";
        ++equality_count_;
        equalities_ << "<tendon tendon1='" << name << "' polycoef='"
                    << numbers({-coupling.offset, 0, 0, 0, 0}) << "'/>";
    }

    void gear(const MechanismCoupling& coupling) {
        MechanismTerm follower = coupling.terms[0], leader = coupling.terms[1];
        if (std::abs(leader.coefficient) < std::abs(follower.coefficient)) std::swap(follower, leader);
        ++equality_count_;
        equalities_ << "<joint joint1='" << joint_name(follower.body, follower.component) << "' joint2='"
                    << joint_name(leader.body, leader.component) << "' polycoef='"
                    << numbers({-coupling.offset / follower.coefficient,
                                -leader.coefficient / follower.coefficient, 0, 0, 0})
                    << "'/>";
    }

    static constexpr double hinge_width = 0.05;  // m between the two points of a hinge, as in a real one

    const Mechanism& mechanism_;
    const Model& model_;
    std::optional<MujocoGround> ground_;
    std::vector<std::vector<int>> children_;  // of the world, then of each body
    std::ostringstream text_, tendons_, equalities_;
    int equality_count_ = 0;
    std::vector<Closure> closures_;
};

MujocoModel compile(const std::string& mjcf) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(mjcf.size()));
    std::copy(mjcf.begin(), mjcf.end(), static_cast<char*>(files->filedata[0]));
    std::array<char, 1000> error{};
    MujocoModel model(mj_loadXML("robot.xml", files.get(), error.data(), static_cast<int>(error.size())));
    mj_deleteVFS(files.get());
    if (!model) throw NotExpressible(error.data());
    return model;
}

void write(const Vector3d& x, mjtNum* to) { std::copy(x.begin(), x.end(), to); }
void write(const Quaterniond& x, mjtNum* to) {
    *to = x.w();
    write(x.vec(), to + 1);
}

/// Sets the data of the second body, which MJCF takes from the pose at q = 0, where the loops may be open.
void set_closures(const std::vector<Closure>& closures, mjModel& model) {
    for (const Closure& closure : closures) {
        mjtNum* data = model.eq_data + closure.equality * mjNEQDATA;
        switch (model.eq_type[closure.equality]) {
            case mjEQ_CONNECT: write(closure.successor, data + 3); break;
            case mjEQ_WELD:
                write(closure.successor, data);
                write(closure.predecessor, data + 3);
                write(closure.rotation, data + 6);
                break;
            default: data[0] = closure.length - model.tendon_length0[model.eq_obj1id[closure.equality]];
        }
    }
}

/// Sets inertias in the compiled model, because MJCF refuses bodies without mass and physically impossible
/// inertias, which published robots contain.
void set_inertias(const Mechanism& mechanism, mjModel& model) {
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
        const Inertial& inertial = mechanism.bodies[i].inertia;
        const int id = mj_name2id(&model, mjOBJ_BODY, body_name(static_cast<int>(i)).c_str());
        model.body_mass[id] = inertial.mass;
        write(principal(inertial).moments, model.body_inertia + 3 * id);
    }
    const MujocoData data(mj_makeData(&model));
    mj_setConst(&model, data.get());
}

}  // namespace

int mujoco_joint(const mjModel& model, int body) {
    return mj_name2id(&model, mjOBJ_JOINT, joint_name(body).c_str());
}

MujocoModel make_mujoco_model(const Mechanism& mechanism, const Model& model,
                              const std::optional<MujocoGround>& ground) {
    MjcfWriter writer(mechanism, model, ground);
    MujocoModel result = compile(writer.run());
    set_inertias(mechanism, *result);
    set_closures(writer.closures(), *result);
    if (result->nq != model.nq || result->nv != model.nv_tree)
        throw std::logic_error("MuJoCo's coordinates differ");
    return result;
}

}  // namespace grbda::benchmarks
