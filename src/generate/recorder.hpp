#pragma once

#include <memory>

#include "kernels/pass/kinds/visit.hpp"
#include "kernels/cluster/wrenches.hpp"
#include "recording.hpp"

// Common parts of all recordings: input, output, sines and cosines. The passes are those of the library's
// kernels, which announce the cluster that they visit to Traced numbers.

namespace grbda::generated {

class Recorder {
public:
    Recorder(const Canonical& robot, const Request& request)
        : model(robot.model), robot_(robot), request_(request), began_(&tape), data(robot.model) {
        ensure_room(model, data);
    }
    ~Recorder() { Tape::current = nullptr; }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Adds input numbers; their addresses do not change.
    const Traced* input(const std::string& name, int size, const std::string& meaning) {
        auto numbers = std::make_unique<Table<Traced>>();
        for (int i = 0; i < size; ++i) numbers->push_back(Traced::at(tape.write(Op::input, given_++)));
        inputs_.push_back({name, size, meaning, 0, false});
        held_.push_back(std::move(numbers));
        return held_.back()->data();
    }

    /// Adds wrenches on all bodies, in the user's frames; otherwise null.
    const Traced* wrenches() {
        if (!request_.wrenches) return nullptr;
        const Traced* w = input("wrenches", 6 * model.body_count(), "wrenches on the bodies");
        held_.push_back(std::make_unique<Table<Traced>>());
        for (int i = 0; i < model.body_count(); ++i)
            for (int half = 0; half < 2; ++half, w += 3) {
                const Vector3<Traced> v =
                    transpose_times(robot_.body_frames[i].cast<Traced>(), Vector3<Traced>{w[0], w[1], w[2]});
                for (const Traced& x : {v.x, v.y, v.z}) held_.back()->push_back(x);
            }
        return held_.back()->data();
    }

    const std::vector<int>& frames() const { return request_.frames; }
    const Request& request() const { return request_; }

    /// Records sines and cosines of all angles.
    void turn(const Traced* q) {
        for (const Cluster& c : model.clusters) {
            tape.enter(c.index);
            for (const int i : c.angles) {
                data.angle[i] = q[model.angles[i]] + Traced(robot_.offsets[i]);
                data.sine[i] = sin(data.angle[i]);
                data.cosine[i] = cos(data.angle[i]);
            }
        }
        tape.enter(-1);
    }

    void check_constraints() {
        if (model.rows == 0) return;
        for (const Cluster& c : model.clusters)
            if (c.embedding == Embedding::implicit) rconds_.push_back(data.rcond[c.index].step());
    }
    void check_rank(const Traced& rcond) { rconds_.push_back(rcond.step()); }
    void check_inertia() {
        for (const Traced& margin : data.margin) margins_.push_back(margin.step());
    }

    void output(const std::string& name, const std::string& meaning, const Table<Traced>& numbers,
                int diagonal = 0) {
        Output output{{name, static_cast<int>(numbers.size()), meaning, diagonal, false}, {}};
        for (const Traced& x : numbers) output.steps.push_back(x.step());
        outputs_.push_back(std::move(output));
    }

    /// Adds a matrix, or several consecutive ones, row by row.
    void matrix(const std::string& name, const std::string& meaning, const Table<Traced>& numbers, int rows,
                int columns, int diagonal = 0) {
        output(name, meaning, numbers, diagonal);
        outputs_.back().argument.rows = rows;
        outputs_.back().argument.columns = columns;
    }

    /// Adds a product of existing outputs.
    void product(Product product) { products_.push_back(std::move(product)); }

    Recording take() {
        tape.end();
        bool parametric = false;
        for (Step& step : tape.steps) {
            if (step.op != Op::input || step.a >= 0) continue;
            step.a = given_ - 1 - step.a;
            parametric = true;
        }
        if (parametric)
            inputs_.push_back(
                {"parameters", static_cast<int>(robot_.parameters.size()), "inertias", 0, true});
        return {std::move(tape),    std::move(inputs_),  std::move(outputs_),
                std::move(rconds_), std::move(margins_), std::move(products_)};
    }

private:
    struct Began {
        explicit Began(Tape* tape) {
            Tape::current = tape;
            tape->enter(-1);
        }
    };

public:
    Tape tape;
    const Model& model;

private:
    const Canonical& robot_;
    const Request& request_;
    Began began_;  // precedes the workspace, whose numbers are recorded too
    int given_ = 0;
    std::vector<std::unique_ptr<Table<Traced>>> held_;
    std::vector<Argument> inputs_;
    std::vector<Output> outputs_;
    Table<int> rconds_, margins_;
    std::vector<Product> products_;

public:
    Workspace<Traced> data;
};

}  // namespace grbda::generated
