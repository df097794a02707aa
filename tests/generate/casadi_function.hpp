#pragma once

#include "generate/generated_fixture.hpp"

// A function under CasADi's calling protocol, as external() of CasADi loads it.

namespace casadi_protocol {

using Integer = long long;
using Vectors = std::vector<Eigen::VectorXd>;

struct Pattern {
    Integer rows = 0, columns = 0;
    bool dense = true;
    std::vector<Integer> offsets = {}, places = {};  ///< otherwise: of columns, and of entries in them
    Integer entries() const { return dense ? rows * columns : offsets.back(); }

    Eigen::MatrixXd matrix(const Eigen::VectorXd& entry) const {
        if (dense) return Eigen::Map<const Eigen::MatrixXd>(entry.data(), rows, columns);
        Eigen::MatrixXd M = Eigen::MatrixXd::Zero(rows, columns);
        for (Integer j = 0; j < columns; ++j)
            for (Integer i = offsets[at(j)]; i < offsets[at(j + 1)]; ++i) M(places[at(i)], j) = entry[i];
        return M;
    }
    static std::size_t at(Integer i) { return static_cast<std::size_t>(i); }
};

class Function {
public:
    Function(const generated_code::Compiled& code, const std::string& name) : code_(code), name_(name) {
        call_ = reinterpret_cast<Call>(code.symbol(name));
        if (!call_) return;
        const Integer inputs = symbol<Integer (*)()>("_n_in")(), outputs = symbol<Integer (*)()>("_n_out")();
        const auto in = symbol<const Integer*(*)(Integer)>("_sparsity_in"),
                   out = symbol<const Integer*(*)(Integer)>("_sparsity_out");
        const auto name_in = symbol<const char*(*)(Integer)>("_name_in"),
                   name_out = symbol<const char*(*)(Integer)>("_name_out");
        for (Integer i = 0; i < inputs; ++i) {
            in_.push_back(read(in(i)));
            names_in.emplace_back(name_in(i));
            varies.push_back(symbol<int (*)(Integer)>("_diff_in")(i) != 0);
        }
        for (Integer i = 0; i < outputs; ++i) {
            out_.push_back(read(out(i)));
            names_out.emplace_back(name_out(i));
        }
        for (const Integer i : {Integer{-1}, inputs}) {
            CHECK(in(i) == nullptr);
            CHECK(name_in(i) == nullptr);
        }
        CHECK(out(outputs) == nullptr);
        Integer arg = 0, res = 0, iw = 0;
        CHECK(symbol<int (*)(Integer*, Integer*, Integer*, Integer*)>("_work")(&arg, &res, &iw, &work_) == 0);
        CHECK(arg >= inputs);
        CHECK(res >= outputs);
    }

    explicit operator bool() const { return call_ != nullptr; }
    const std::string& name() const { return name_; }
    const std::vector<Pattern>& in() const { return in_; }
    const std::vector<Pattern>& out() const { return out_; }

    /// Null inputs and outputs: with these indices. Numbers that are not written stay infinite.
    int call(const Vectors& inputs, Vectors& outputs, int without_input = -1, int without_output = -1) const {
        std::vector<const double*> arg(in_.size());
        std::vector<double*> res(out_.size());
        std::vector<double> w(static_cast<std::size_t>(work_) + 1);
        outputs.clear();
        for (const Pattern& p : out_)
            outputs.push_back(
                Eigen::VectorXd::Constant(p.entries(), std::numeric_limits<double>::infinity()));
        for (std::size_t i = 0; i < arg.size(); ++i)
            arg[i] = static_cast<int>(i) == without_input ? nullptr : inputs[i].data();
        for (std::size_t i = 0; i < res.size(); ++i)
            res[i] = static_cast<int>(i) == without_output ? nullptr : outputs[i].data();
        return call_(arg.data(), res.data(), nullptr, w.data(), 0);
    }

    std::vector<std::string> names_in, names_out;
    std::vector<bool> varies;

private:
    using Call = int (*)(const double**, double**, Integer*, double*, int);

    template <class Type>
    Type symbol(const std::string& suffix) const {
        INFO(name_ << suffix);
        void* const found = code_.symbol(name_ + suffix);
        REQUIRE(found);
        return reinterpret_cast<Type>(found);
    }
    /// Rows, columns, then 1, or the offsets of the columns.
    static Pattern read(const Integer* p) {
        REQUIRE(p);
        if (p[2] == 1) return {p[0], p[1], true};
        Pattern result{p[0], p[1], false, {p + 2, p + 3 + p[1]}};
        CHECK(p[2] == 0);
        for (Integer j = 0; j < p[1]; ++j) CHECK(p[2 + j] <= p[3 + j]);
        const Integer* const places = p + 3 + p[1];
        result.places.assign(places, places + result.entries());
        for (Integer j = 0; j < p[1]; ++j)  // rows within a column rise
            for (Integer i = p[2 + j]; i < p[3 + j]; ++i)
                CHECK((places[i] < p[0] && (i == p[2 + j] ? places[i] >= 0 : places[i] > places[i - 1])));
        return result;
    }

    const generated_code::Compiled& code_;
    std::string name_;
    Call call_ = nullptr;
    std::vector<Pattern> in_, out_;
    Integer work_ = 0;
};

}  // namespace casadi_protocol
