#include "grbda/generate/generate.hpp"

#include "components.hpp"
#include "objects.hpp"

namespace grbda::python {
namespace {

using Algorithms = std::vector<GeneratedAlgorithm>;
using NameList = std::vector<std::string>;

GeneratedCode code_for(const Model& model, const std::string& name, const Algorithms& algorithms,
                       bool wrenches, const NameList& frames, const NameList& parameters, int lanes,
                       const std::string& isa, bool iso, int batch) {
    return generate(model, {name, algorithms, wrenches, frames, parameters, lanes, isa, iso, batch});
}

void bind_code(py::module_& m) {
    py::enum_<GeneratedAlgorithm> algorithm(m, "GeneratedAlgorithm", "Algorithm of a generated function.");
    for (int i = 0; i <= static_cast<int>(GeneratedAlgorithm::aba_derivatives); ++i)
        algorithm.value(to_string(static_cast<GeneratedAlgorithm>(i)), static_cast<GeneratedAlgorithm>(i));
    py::class_<GeneratedFunction>(m, "GeneratedFunction",
                                  "Name, algorithm and size of one generated function.")
        .def_readonly("name", &GeneratedFunction::name, "str: in C")
        .def_readonly("algorithm", &GeneratedFunction::algorithm, "GeneratedAlgorithm: that it computes")
        .def_readonly("lanes", &GeneratedFunction::lanes, "int: of the widest group of limbs")
        .def_readonly("operations", &GeneratedFunction::operations, "int: that are left, one for a vector");
    py::class_<GeneratedCode>(m, "GeneratedCode", "C for one robot.")
        .def_readonly("header", &GeneratedCode::header, "str: for a file NAME.h")
        .def_readonly("source", &GeneratedCode::source, "str: for a file NAME.c")
        .def_readonly("functions", &GeneratedCode::functions, "list[GeneratedFunction]: in their order");
}

}  // namespace

void bind_generate(py::module_& m) {
    bind_code(m);
    using G = GeneratedAlgorithm;
    algorithm<Nothing>(
        m, "generate", "A robot's own code: algorithms of one model as plain C.", code_for,
        Value<std::string>{"name", "str", "what all names begin with: an identifier of C", "robot",
                           "'robot'"},
        Value<Algorithms>{"algorithms", "Sequence[GeneratedAlgorithm] | None", "None: aba, rnea, crba",
                          Algorithms{G::aba, G::rnea, G::crba}, "None"},
        Value<bool>{"wrenches", "bool", "also variants with external wrenches", false, "False"},
        Value<NameList>{"frames", "Sequence[str]", "of poses, twists and jacobians", NameList{}, "()"},
        Value<NameList>{"parameters", "Sequence[str]", "links whose inertias are given to the functions",
                        NameList{}, "()"},
        Value<int>{"lanes", "int", "1, 2 or 4 limbs in one register; 0: what takes least", 0, "0"},
        Value<std::string>{"isa", "str", "-march that the header says to compile with", "native", "'native'"},
        Value<bool>{"iso", "bool", "no vectors of GNU C", false, "False"},
        Value<int>{"batch", "int", "also a variant for 4 or 8 states at a time; 0: none", 0, "0"});
}

}  // namespace grbda::python
