#include "grbda/model/chart.hpp"

namespace grbda {

Chart::Chart(const Model& model) {
    require_whole(model);
    layout = model.layout;
    independent = model.independent;
    dependent = model.dependent;
    blocks = model.blocks;
    block_count = model.block_count;
    block_lists = model.block_lists;
    inertia_floor = model.inertia_floor;
    basis.resize(static_cast<std::size_t>(model.swept.basis));
    tangent.resize(model.clusters.size());
    version.resize(model.clusters.size());
}

void Chart::make_room(const Model& model) { basis.resize(static_cast<std::size_t>(model.sizes.basis)); }

Chart::Chart(const Chart&) = default;
Chart::Chart(Chart&&) noexcept = default;
Chart& Chart::operator=(const Chart&) = default;
Chart& Chart::operator=(Chart&&) noexcept = default;
Chart::~Chart() = default;

}  // namespace grbda
