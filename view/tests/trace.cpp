#include <cstdio>
#include <string>

#include "api.h"
#include "robot.hpp"

// Prints descriptions, motions and forces of robots as JSON, to compare this machine's build with that for
// WebAssembly. Usage: grbda_view_trace FILE[,FILE…]…

namespace {

void print(const char* name, const grbda::VectorX<double>& q) {
    std::printf(",\n\"%s\": [", name);
    for (Eigen::Index i = 0; i < q.size(); ++i) std::printf(i > 0 ? ", %.17g" : "%.17g", q[i]);
    std::printf("]");
}

void trace(grbda::view::Robot& robot) {
    print("neutral", robot.q);
    const int nv = robot.model.nv_tree;
    for (int v = 0; v < nv; ++v) {
        const int status = view_move(v, 0.01);
        print(("move " + std::to_string(v) + " status " + std::to_string(status)).c_str(), robot.q);
        view_reset();
    }
    const grbda::Status status = static_cast<grbda::Status>(view_forces(0));
    print(("forces " + std::string(to_string(status))).c_str(), robot.data.constraint_forces.tree);
    const int body = static_cast<int>(robot.order.size()) - 1;
    const float* pose = &robot.poses[12 * static_cast<std::size_t>(body)];
    view_drag(body, 0, 0, 0, pose[9] + 0.004, pose[10], pose[11] + 0.003, 0, 200);
    print("drag", grbda::VectorX<double>::Constant(1, robot.figures[grbda::view::gap]));
    view_reset();
    view_start(1e-3, 0, 0);
    for (int i = 0; i < 10; ++i) view_step(1e-3, 1000, -2, 0, 0, 0, 0, 0, 0);
    print("ten steps", robot.q);
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::string files = argv[i];
        for (char& c : files)
            if (c == ',') c = '\n';
        if (view_load(files.c_str(), "", view_spherical) != 0) {
            std::printf("%s\n", view_json());
            return 1;
        }
        std::printf("%s{\"info\": %s", i == 1 ? "[" : ",\n", view_json());
        trace(*grbda::view::shown_robot());
        std::printf("}");
    }
    std::printf("]\n");
    return 0;
}
