#include "grbda/model/data.hpp"

#include <stdexcept>

#include "model/workspaces.hpp"

namespace grbda {
namespace {

/// Copies a chart, and keeps memory for bases that the other workspace may lack.
void take(const Chart& chart, Workspace<double>& one) {
    const std::size_t room = one.chart.basis.size();
    one.chart = chart;
    if (one.chart.basis.size() < room) one.chart.basis.resize(room);
}

}  // namespace

Workspaces::Workspaces(const Workspaces& other)
    : general(other.general),
      dynamics(other.dynamics),
      kinematics(other.kinematics),
      has_motors(other.has_motors) {
    for (std::size_t i = 0; i < extras_.size(); ++i)
        if (other.extras_[i]) extras_[i] = other.extras_[i]->copy();
}

Workspaces& Workspaces::operator=(const Workspaces& other) {
    if (this == &other) return *this;
    general = other.general;
    dynamics = other.dynamics;
    kinematics = other.kinematics;
    has_motors = other.has_motors;
    for (std::size_t i = 0; i < extras_.size(); ++i)
        extras_[i] = other.extras_[i] ? other.extras_[i]->copy() : nullptr;
    return *this;
}

void Workspaces::set_chart(const Chart& chart) {
    if (chart.layout != general.chart.layout || chart.independent.size() != general.chart.independent.size())
        refuse_chart(chart);
    has_motors = false;
    for (Workspace<double>* one : {&general, &dynamics, &kinematics}) {
        const bool posed = one->kinematics != Kinematics::none;
        take(chart, *one);
        clear_results(*one);
        if (posed) one->kinematics = Kinematics::poses;
    }
}

void Workspaces::share_chart() {
    for (Workspace<double>* other : {&dynamics, &kinematics}) {
        if (other->chart.version == general.chart.version) continue;
        take(general.chart, *other);
        has_motors = false;
        other->factors = Factors::none;
        other->every_body = false;
        if (other->kinematics != Kinematics::none) other->kinematics = Kinematics::poses;
    }
}

WorkspacesPointer::WorkspacesPointer(const Model& model) : all_(std::make_unique<Workspaces>(model)) {}
WorkspacesPointer::WorkspacesPointer(const WorkspacesPointer& other)
    : all_(other.all_ == nullptr ? nullptr : std::make_unique<Workspaces>(*other.all_)) {}
WorkspacesPointer::WorkspacesPointer(WorkspacesPointer&&) noexcept = default;
WorkspacesPointer& WorkspacesPointer::operator=(const WorkspacesPointer& other) {
    if (this != &other) *this = WorkspacesPointer(other);
    return *this;
}
WorkspacesPointer& WorkspacesPointer::operator=(WorkspacesPointer&&) noexcept = default;
WorkspacesPointer::~WorkspacesPointer() = default;

Data::Data(const Model& model) : memory_(model) {
    for (Eigen::VectorXd* x : {&ydd, &tau, &yd_next}) x->setZero(model.nv);
    for (Eigen::VectorXd* x : {&tau_tree, &qd, &qdd, &moved}) x->setZero(model.nv_tree);
    q_next.setZero(model.nq);
}
Data::Data(const Data&) = default;
Data::Data(Data&&) noexcept = default;
Data& Data::operator=(const Data&) = default;
Data& Data::operator=(Data&&) noexcept = default;
Data::~Data() = default;

Workspaces& Data::workspaces() {
    if (memory_.get() == nullptr) [[unlikely]]
        throw std::invalid_argument("Data is empty: it was moved from");
    return *memory_.get();
}
const Workspaces& Data::workspaces() const { return const_cast<Data*>(this)->workspaces(); }

const Chart& Data::chart() const { return workspaces().general.chart; }

void Data::set_chart(const Chart& chart) { workspaces().set_chart(chart); }

}  // namespace grbda
