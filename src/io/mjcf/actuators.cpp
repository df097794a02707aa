#include "actuators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace grbda::mjcf {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string name_or_kind(pugi::xml_node node) {
    const std::string name = node.attribute("name").value();
    return name.empty() ? node.name() : name;
}

/// The joint on which an actuator acts, and the length of its transmission by the joint's position.
struct Transmission {
    const Joint* joint = nullptr;
    bool is_scalar = false;  ///< hinge or slide
    double ratio = 1;        ///< at a hinge or slide
    double lever = 1;        ///< largest force on the joint by force of the actuator
};

class ActuatorReader {
public:
    ActuatorReader(Context& context, const Tree& tree, const Tendons& tendons, RobotDescription& robot)
        : context_(context), document_(context.document), tree_(tree), tendons_(tendons), robot_(robot) {}

    std::vector<Actuator> read() {
        std::vector<Transmission> transmissions;  // before the servos, as armature is part of their inertia
        each([&](const Element& element) {
            transmissions.push_back(transmission_of(element));
            add_armature(element, transmissions.back());
        });
        std::vector<Actuator> actuators;
        each([&](const Element& element) {
            actuators.push_back(read_actuator(element, transmissions[actuators.size()]));
        });
        for (const auto& [joint, effort] : efforts_) {
            double& limit = robot_.joints[joint].limits.effort;
            limit = std::min(limit, effort);
        }
        set_servos(actuators);
        if (!others_.names.empty())
            document_.report(Severity::note, Code::assumed, others_.first,
                             "only actuators of joints are read as motors, and one motor for each joint",
                             "others: " + listed(others_.names));
        return actuators;
    }

private:
    template <class Visit>
    void each(const Visit& visit) {
        for (const pugi::xml_node section : document_.root().children("actuator"))
            for (const pugi::xml_node node : section.children())
                if (node.type() == pugi::node_element) visit(context_.element(node, "general"));
    }

    /// A fixed tendon along one joint acts on this joint alone.
    Transmission transmission_of(const Element& actuator) {
        Transmission result;
        std::vector<double> gear = context_.some_numbers(actuator, "gear", 6).value_or(std::vector<double>());
        if (gear.empty()) gear.push_back(1);
        for (const char* attribute : {"joint", "jointinparent"}) {
            if (!actuator.node.attribute(attribute) || result.joint != nullptr) continue;
            const std::optional<int> index = tree_.joint_names.find(document_, actuator.node, attribute);
            if (index) result.joint = &tree_.joints[at(*index)];
        }
        double coefficient = 1;
        if (const Tendon* const tendon = tendon_of(actuator)) {
            if (tendon->terms.size() != 1) return result;
            coefficient = tendon->terms.front().coefficient;
            for (const Joint& joint : tree_.joints)
                if (robot_.joints[joint.index].name == tendon->terms.front().joint) result.joint = &joint;
        }
        if (result.joint == nullptr) return result;
        result.is_scalar = result.joint->reference.size() == 1;
        result.ratio = gear.front() * coefficient;
        if (result.is_scalar) gear.resize(1);
        double squares = 0;
        for (const double ratio : gear) squares += ratio * ratio;
        result.lever = std::sqrt(squares) * std::abs(coefficient);
        return result;
    }

    const Tendon* tendon_of(const Element& actuator) const {
        const std::string name = actuator.node.attribute("tendon").value();
        if (name.empty() || !tendons_.names.contains(name)) return nullptr;
        const std::optional<int> index = tendons_.names.find(document_, actuator.node, "tendon");
        return index ? &tendons_.entries[at(*index)] : nullptr;
    }

    /// Adds the inertia of an actuator, reflected through its gear, to the joint.
    void add_armature(const Element& actuator, const Transmission& transmission) {
        const double armature = context_.number(actuator, "armature").value_or(0);
        if (armature == 0) return;
        if (!transmission.is_scalar) {
            context_.error(Code::wrong_kind, actuator, "armature",
                           "an armature on the actuator of a hinge or slide joint only",
                           "give the joints an armature instead");
            return;
        }
        robot_.joints[transmission.joint->index].armature +=
            transmission.ratio * transmission.ratio * armature;
    }

    Actuator read_actuator(const Element& element, const Transmission& transmission) {
        const Drive drive = read_drive(context_, element);
        const std::optional<ActuatorServo> servo = servo_of(element, transmission, drive);
        if (transmission.joint == nullptr) {
            const pugi::xml_node node = element.node;
            if (!node.attribute("joint") && !node.attribute("jointinparent"))
                others_.add(node, name_or_kind(node));
            return {};
        }
        const std::size_t joint = transmission.joint->index;
        const std::string& name = robot_.joints[joint].name;
        if (known_.insert(name).second) {
            robot_.actuated.push_back(name);
            if (transmission.is_scalar) set_reduction(element, transmission.ratio, robot_.joints[joint]);
        } else if (!servo)
            others_.add(element.node, name_or_kind(element.node));
        add_effort(largest_force(element, drive) * transmission.lever, transmission.is_scalar,
                   efforts_[joint]);
        return {servo};
    }

    /// The gear of the first actuator of a hinge or slide becomes the reduction of its motor.
    void set_reduction(const Element& actuator, double ratio, JointDescription& joint) {
        if (ratio != 0) {
            joint.reduction = ratio;
            return;
        }
        document_.report(Severity::note, Code::ignored, actuator.node,
                         "a gear other than zero, which becomes the reduction of the joint's motor", "0");
    }

    /// Adds the efforts of motors on one hinge or slide; those of a ball joint act about separate axes.
    static void add_effort(double force, bool adds_up, double& effort) {
        effort = adds_up ? effort + force : std::max(effort, force);
    }

    struct Interval {
        double lower = -infinity, upper = infinity;
        double largest() const { return std::max(std::abs(lower), std::abs(upper)); }
    };

    /// Without limits, from −∞ to ∞.
    Interval read_range(const Element& actuator, const char* range, const char* limited) {
        const auto given = context_.numbers(actuator, range, 2);
        const bool rises = given && (*given)[0] < (*given)[1];
        if (given && (*given)[0] > (*given)[1])
            context_.error(Code::conflict, actuator, range, "a lower and an upper bound, in this order",
                           "swap them");
        if (!context_.limited(actuator, limited, rises) || !rises) return {};
        return {(*given)[0], (*given)[1]};
    }

    /// The range of a motor's input: of the control, or of its integral.
    Interval read_input_range(const Element& actuator, const Drive& drive) {
        return drive.dynamics == Drive::Dynamics::integrator
                   ? read_range(actuator, "actrange", "actlimited")
                   : read_range(actuator, "ctrlrange", "ctrllimited");
    }

    /// Returns the largest force of an actuator, infinity without a limit. The gains of a servo set no limit.
    double largest_force(const Element& actuator, const Drive& drive) {
        const double force = read_range(actuator, "forcerange", "forcelimited").largest();
        const Interval input = read_input_range(actuator, drive);
        const double gain = std::abs(drive.gain[0]);
        return drive.is_motor() && gain > 0 ? std::min(force, gain * input.largest()) : force;
    }

    /// Empty for motors and for what no servo of one joint represents, which is noted if it acts by itself.
    std::optional<ActuatorServo> servo_of(const Element& element, const Transmission& transmission,
                                          const Drive& drive) {
        if (!context_.compiler.has_actuation || !acts(drive)) return std::nullopt;
        const double ratio = transmission.ratio;
        const std::array<double, 3>& bias = drive.bias;
        const double damping = damping_of(transmission, drive);
        const bool fits = transmission.is_scalar && drive.is_servo() && ratio != 0 && bias[1] <= 0 &&
                          damping >= 0 && (bias[1] != 0 || damping != 0);
        if (!fits) {
            context_.summary.acting.add(element.node, name_or_kind(element.node));
            return std::nullopt;
        }
        if (drive.dynamics != Drive::Dynamics::none)
            context_.summary.filtered.add(element.node, name_or_kind(element.node));
        ActuatorServo servo;
        servo.joint = transmission.joint->index;
        servo.stiffness = -ratio * ratio * bias[1];
        servo.damping = ratio * ratio * damping;
        servo.force = ratio * bias[0];
        servo.force_by_control = ratio * drive.gain[0];
        servo.is_integrated = drive.dynamics == Drive::Dynamics::integrator;
        Interval range = read_input_range(element, drive);
        const JointLimits& limits = robot_.joints[servo.joint].limits;
        if (drive.inherited_range > 0 && std::isfinite(limits.lower) && std::isfinite(limits.upper)) {
            const double middle = (limits.lower + limits.upper) / 2;
            const double half = (limits.upper - limits.lower) / 2 * drive.inherited_range;
            range = {middle - half, middle + half};
        }
        servo.lower = range.lower;
        servo.upper = range.upper;
        return servo;
    }

    /// True if there may be a force at zero control.
    static bool acts(const Drive& drive) {
        const auto is_zero = [](double x) { return x == 0; };
        switch (drive.bias_type) {
            case Drive::Function::none:
            case Drive::Function::fixed: return false;
            case Drive::Function::affine: return !std::all_of(drive.bias.begin(), drive.bias.end(), is_zero);
            case Drive::Function::other: break;
        }
        return true;
    }

    /// A positive number is the damping ratio of a position servo, at the robot's inertia.
    double damping_of(const Transmission& transmission, const Drive& drive) {
        const double given = drive.bias[2], stiffness = -drive.bias[1];
        const bool is_ratio = given > 0 && transmission.is_scalar && transmission.ratio != 0 &&
                              drive.gain_type == Drive::Function::fixed && stiffness == drive.gain[0];
        if (!is_ratio) return -given;
        const double ratio = transmission.ratio;
        const double inertia =
            inertia_at_reference(tree_, robot_, transmission.joint->index) / (ratio * ratio);
        return 2 * given * std::sqrt(std::max(0., stiffness * inertia));
    }

    /// Servos on one joint act together: gains add up, and the target is where their forces balance.
    void set_servos(const std::vector<Actuator>& actuators) {
        for (const Actuator& actuator : actuators) {
            if (!actuator.servo) continue;
            std::optional<ServoDescription>& sum = robot_.joints[actuator.servo->joint].servo;
            if (!sum) sum.emplace();
            sum->stiffness += actuator.servo->stiffness;
            sum->damping += actuator.servo->damping;
        }
        const std::vector<double> zero(actuators.size(), 0);
        std::vector<double> lowest = zero, highest = zero;
        for (std::size_t i = 0; i < actuators.size(); ++i) {
            if (!actuators[i].servo) continue;
            const ActuatorServo& servo = *actuators[i].servo;
            // beside a servo of the position, one of the velocity is a damper
            if (servo.stiffness == 0 && robot_.joints[servo.joint].servo->stiffness > 0) continue;
            const bool rises = servo.force_by_control >= 0;
            lowest[i] = rises ? servo.lower : servo.upper;
            highest[i] = rises ? servo.upper : servo.lower;
        }
        for (const auto& [joint, target] : targets_of(actuators, zero))
            robot_.joints[joint].servo->target = target;
        for (const auto& [joint, target] : targets_of(actuators, lowest))
            robot_.joints[joint].servo->lower = target;
        for (const auto& [joint, target] : targets_of(actuators, highest))
            robot_.joints[joint].servo->upper = target;
    }

    Context& context_;
    xml::Document& document_;
    const Tree& tree_;
    const Tendons& tendons_;
    RobotDescription& robot_;
    std::set<std::string> known_;
    std::map<std::size_t, double> efforts_;
    Finding others_;
};

}  // namespace

std::map<std::size_t, double> targets_of(const std::vector<Actuator>& actuators,
                                         const std::vector<double>& controls) {
    struct Sum {
        double force = 0, stiffness = 0, damping = 0;
    };
    std::map<std::size_t, Sum> sums;
    for (std::size_t i = 0; i < actuators.size(); ++i) {
        if (!actuators[i].servo) continue;
        const ActuatorServo& servo = *actuators[i].servo;
        Sum& sum = sums[servo.joint];
        const double control = std::clamp(controls[i], servo.lower, servo.upper);
        sum.force += servo.force;
        if (control != 0 && servo.force_by_control != 0) sum.force += servo.force_by_control * control;
        sum.stiffness += servo.stiffness;
        sum.damping += servo.damping;
    }
    std::map<std::size_t, double> targets;
    for (const auto& [joint, sum] : sums)
        targets[joint] = sum.force / (sum.stiffness > 0 ? sum.stiffness : sum.damping);
    return targets;
}

std::vector<Actuator> read_actuators(Context& context, const Tree& tree, const Tendons& tendons,
                                     RobotDescription& robot) {
    return ActuatorReader(context, tree, tendons, robot).read();
}

}  // namespace grbda::mjcf
