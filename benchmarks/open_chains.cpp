#include <functional>
#include <string>

#include "families.hpp"
#include "grbda/compile/build.hpp"
#include "groups.hpp"
#include "methods.hpp"

// open_chains/ROBOT/METHOD: robots without loops or gears, where every algorithm is the classical one.

namespace grbda::benchmarks {
namespace {

void add_robot(const std::string& name, const std::function<RobotDescription()>& describe) {
    const std::string group = "open_chains/" + name;
    const auto make = [=]() -> const Subject& {
        return subject(group, [&] { return build_model(describe()); });
    };
    const auto add = [&](const char* which) { add_benchmark(group + "/" + which, method(which), make); };
    for (const char* which : recursions) add(which);
    for (const char* which : baseline_names) add(which);
    add("spanning_inverse");
}

}  // namespace

void register_open_chains() {
    add_robot("arm_7", [] { return serial_chain(7); });
    add_robot("chain_30", [] { return serial_chain(30); });
    add_robot("humanoid_29", plain_humanoid);
    add_robot("binary_tree_127", [] { return binary_tree(7); });
}

}  // namespace grbda::benchmarks
