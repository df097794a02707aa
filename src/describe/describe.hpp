#pragma once

#include <string>
#include <vector>

#include "grbda/model/model.hpp"
#include "grbda/table.hpp"
#include "topology/connectivity_graph.hpp"

// Facts about a model in words and small lists, shared by the commands.

namespace grbda::describe {

/// Independent components of a body's joint with their indices in y.
struct IndependentPart {
    std::vector<int> components;
    std::vector<int> y;
};
/// Returns, per body, its independent parts for these coordinates.
std::vector<IndependentPart> independent_parts(const Model& model,
                                               const std::vector<Coordinate>& coordinates);
std::vector<IndependentPart> independent_parts(const Model& model);  ///< for those of the model

/// Bodies in the order of q.
std::vector<int> bodies_in_user_order(const Model& model);

double moving_mass(const Model& model);
bool has_floating_base(const Model& model);

/// Tells if a joint has no coordinates because it is one of a rod.
bool is_joint_of_rod(const Model& model, const std::string& joint);

/// Name of a body, or of the root link for the world.
const std::string& body_name(const Model& model, int body);

/// "translation x y, rotation z; the other 2 vanish": the constraint
/// rows of a loop, in its frame P, whose x axis is the axis of the loop.
std::string loop_rows(const Model& model, const Loop& loop);

/// "the cluster of joints 'hip', 'knee'", or "the robot" if there is no such cluster.
std::string cluster_joints(const Model& model, int cluster);

/// The bodies of branches without mass, which have no dynamics; empty if every branch has mass.
std::vector<int> bodies_without_mass(const Model& model);
/// "links 'thigh', 'shin' have no mass; give them an inertial, …": why the robot has no dynamics. Empty if
/// every branch has mass.
std::string missing_mass(const Model& model);

/// "'torso', 'shin' …".
std::string some_of(const std::vector<std::string>& names);
/// The text, followed by the nearest of these names if one is near.
std::string with_hint(const std::string& text, const std::string& name,
                      const std::vector<std::string>& names);

/// A cell of CSV: names that contain a comma or a quote are quoted.
std::string csv_cell(const std::string& text);
/// Writes at most `digits` significant digits.
std::string number(double x, int digits = 4);

/// The graph from which clusters are made; bodies are numbered as in the model.
topology::ConnectivityGraph connectivity_graph(const Model& model);

}  // namespace grbda::describe
