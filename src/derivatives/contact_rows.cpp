#include "contact_rows.hpp"

#include "kernels/cluster/rotor_motion.hpp"
#include "moving_frame.hpp"

namespace grbda::contacts {
namespace {

/// The first `rows` components of a motion in the axes of a frame, into a column of a matrix.
template <class Matrix>
void put_rows(const FramePlacement<double>& place, const Motion<double>& x, int first, int rows,
              Eigen::Index column, Matrix& matrix) {
    matrix.col(column).segment(first, rows) =
        in_axes(place, ReferenceFrame::local, x.linear, x.angular).head(rows);
}

/// E = R_refᵀ R of a contact that holds a frame.
Matrix3<double> turned(const ContactReference& reference, const Matrix3<double>& R) {
    return transpose(reference.rotation) * R;
}

/// Errors of position of one contact into `e`.
void find_error(const ContactReference& reference, const FramePlacement<double>& place, int rows, double* e) {
    const Vector3<double> way = transpose_times(place.R, place.origin + place.p - reference.position);
    e[0] = way.x;
    e[1] = way.y;
    e[2] = way.z;
    if (rows == 3) return;
    const Matrix3<double> E = turned(reference, place.R);
    e[3] = (E.y.z - E.z.y) / 2;
    e[4] = (E.z.x - E.x.z) / 2;
    e[5] = (E.x.y - E.y.x) / 2;
}

/// Change of the errors of position with a displacement x of the frame, in its axes.
Motion<double> error_along(const ContactReference& reference, const Matrix3<double>& R, const double* e,
                           int rows, const Motion<double>& x) {
    Motion<double> change{x.linear + cross(Vector3<double>{e[0], e[1], e[2]}, x.angular), {}};
    if (rows == 3) return change;
    const Matrix3<double> E = turned(reference, R);
    const double trace = E.x.x + E.y.y + E.z.z;
    change.angular = (x.angular * trace - transpose_times(E, x.angular)) * 0.5;
    return change;
}

Motion<double> in_frame(const Matrix3<double>& R, const Motion<double>& x) {
    return {transpose_times(R, x.linear), transpose_times(R, x.angular)};
}

/// Rows that no coordinate moves consist of rounding, m/rad or less: they must not count as motions.
constexpr double immobile = 1e-10;
void clear_immobile_rows(int rows, MatrixX<double>& J) {
    for (int i = 0; i < rows; ++i)
        if (J.cols() > 0 && J.row(i).cwiseAbs().maxCoeff() < immobile) J.row(i).setZero();
}

}  // namespace

void require_contacts(const Model& model, const ContactDynamics& work, const ContactPhase& phase) {
    require_fit("ContactDynamics", model, work.bodies, work.layout);
    require_size("active", static_cast<long>(phase.active.size()), static_cast<long>(work.contacts.size()));
}

void require_references(const ContactDynamics& work, const ContactPhase& phase) {
    if (phase.position_gain != 0)
        require_size("references", static_cast<long>(phase.references.size()),
                     static_cast<long>(work.contacts.size()));
}

void find_rows(const Model& model, const Workspace<double>& data, const ContactPhase& phase,
               ContactDynamics& work) {
    work.J.setZero();
    work.angular.setZero();
    work.active_rows = 0;
    const bool referenced = phase.references.size() == work.contacts.size();
    for (std::size_t c = 0; c < work.contacts.size(); ++c) {
        work.first_row[c] = -1;
        if (!phase.active[c]) continue;
        const ContactFrame& contact = work.contacts[c];
        const int rows = rows_of(contact.kind), first = work.active_rows;
        const MovingFrame<double> f = moving_frame(model, data, contact.frame, Kinematics::motion);
        const FramePlacement<double>& place = f.place;
        work.first_row[c] = first;
        work.active_rows += rows;
        work.axes[c] = place.R;
        put_rows(place, f.velocity, first, rows, 0, work.v);
        put_rows(place, f.acceleration, first, rows, 0, work.drift);
        if (referenced) find_error(phase.references[c], place, rows, &work.e[first]);
        const Eigen::Index turning = 3 * static_cast<Eigen::Index>(c);
        kernels::each_jacobian_column(model, data, f.body, [&](int y, const Motion<double>& column) {
            const Motion<double> x = at_point(column, place.p);
            put_rows(place, x, first, rows, y, work.J);
            work.angular.col(y).segment<3>(turning) = eigen(transpose_times(place.R, x.angular));
        });
    }
    clear_immobile_rows(work.active_rows, work.J);
}

void velocities_along_y(const Model& model, const Workspace<double>& data, const ContactDynamics& work,
                        MatrixOut<double> by_y) {
    by_y.setZero();
    each_active(work, [&](int c, int first, int rows) {
        const MovingFrame<double> f =
            moving_frame(model, data, work.contacts[c].frame, Kinematics::derivatives);
        kernels::derivatives::each_direction(model, data, f.body, [&](int y, const auto& d) {
            put_rows(f.place, at_point(d.e, f.place.p), first, rows, y, by_y);
        });
    });
}

void accelerations_along(const Model& model, const Workspace<double>& data, const ContactPhase& phase,
                         const ContactDynamics& work, MatrixOut<double> by_y, MatrixOut<double> by_yd) {
    by_y.setZero();
    by_yd.setZero();
    each_active(work, [&](int c, int first, int rows) {
        const MovingFrame<double> f =
            moving_frame(model, data, work.contacts[c].frame, Kinematics::derivatives);
        const FramePlacement<double>& place = f.place;
        kernels::derivatives::each_direction(model, data, f.body, [&](int y, const auto& d) {
            const Motion<double> x = at_point(d.x, place.p), e = at_point(d.e, place.p);
            put_rows(place, acceleration_along_y(f, d) + e * phase.velocity_gain, first, rows, y, by_y);
            put_rows(place, acceleration_along_yd(f, d) + x * phase.velocity_gain, first, rows, y, by_yd);
            if (phase.position_gain == 0) return;
            const Motion<double> change =
                error_along(phase.references[c], place.R, &work.e[first], rows, in_frame(place.R, x));
            for (int k = 0; k < 3; ++k) {
                by_y(first + k, y) += phase.position_gain * eigen(change.linear)[k];
                if (rows == 6) by_y(first + 3 + k, y) += phase.position_gain * eigen(change.angular)[k];
            }
        });
    });
}

void set_wrenches(const VectorX<double>& forces, ContactDynamics& work) {
    work.wrenches.setZero();
    each_active(work, [&](int c, int first, int rows) {
        const Frame& frame = work.contacts[c].frame;
        const auto three = [&](int i) { return Vector3<double>{forces[i], forces[i + 1], forces[i + 2]}; };
        const Vector3<double> force = frame.rotation * three(first);
        Vector3<double> moment = cross(frame.position, force);
        if (rows == 6) moment += frame.rotation * three(first + 3);
        work.wrenches.col(frame.body).head<3>() += eigen(force);
        work.wrenches.col(frame.body).tail<3>() += eigen(moment);
    });
}

}  // namespace grbda::contacts
