#include "support/charts.hpp"

namespace charts {

bool take(Kind kind, const grbda::Model& model, grbda::Workspace<double>& data, const Eigen::VectorXd& q,
          test_robots::Random& random) {
    switch (kind) {
        case Kind::own: return grbda::forward_kinematics<double>(model, data, q).ok();
        case Kind::chosen:
            return grbda::choose_coordinates<double>(model, data, q, grbda::Marks::ignored).ok();
        case Kind::any: {
            std::vector<int> wanted(static_cast<std::size_t>(model.nv_tree));
            for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<int>(i);
            std::shuffle(wanted.begin(), wanted.end(), random);
            wanted.resize((wanted.size() + 1) / 2);
            return grbda::prefer_coordinates<double>(model, data, q, wanted).ok();
        }
        case Kind::tangent: return grbda::take_tangents<double>(model, data, q).ok();
    }
    return false;
}

}  // namespace charts
