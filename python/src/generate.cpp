#include "grbda/generate/generate.hpp"

#include "components.hpp"
#include "objects.hpp"
#include "values.hpp"

namespace grbda::python {
namespace {

using Algorithms = std::vector<GeneratedAlgorithm>;
using NameList = std::vector<std::string>;

GeneratedCode code_for(const Model& model, const std::string& name, const Algorithms& algorithms,
                       bool wrenches, const NameList& frames, const NameList& parameters, int lanes,
                       const std::string& isa, bool iso, int batch, std::optional<Integrator> step,
                       bool from_motors, bool joint_forces, bool hessian, Abi abi, bool columns) {
    return generate(model, {name, algorithms, wrenches, frames, parameters, lanes, isa, iso, batch, step,
                            from_motors, joint_forces, hessian, abi, columns});
}

void bind_code(py::module_& m) {
    py::enum_<GeneratedAlgorithm> algorithm(m, "GeneratedAlgorithm", "Algorithm of a generated function.");
    using enum GeneratedAlgorithm;
    for (const GeneratedAlgorithm each :
         {aba, rnea, bias, crba, poses, twists, jacobians, close, rnea_derivatives, aba_derivatives, forces,
          forces_derivatives, tangent, motors, rnea_hessian, forces_hessian, tangent_hessian,
          frames_derivatives, frames_hessian})
        algorithm.value(to_string(each), each);
    py::enum_<Abi>(m, "Abi", "Convention by which programs call generated code.")
        .value("c", Abi::c)
        .value("casadi", Abi::casadi)
        .value("acados", Abi::acados);
    py::class_<GeneratedFunction> function(m, "GeneratedFunction",
                                           "Name, algorithm and size of one generated function.");
    bind_members(function, &GeneratedFunction::name, &GeneratedFunction::algorithm, &GeneratedFunction::lanes,
                 &GeneratedFunction::operations);
    function.def_readonly("name", &GeneratedFunction::name, "str: in C")
        .def_readonly("algorithm", &GeneratedFunction::algorithm, "GeneratedAlgorithm: that it computes")
        .def_readonly("lanes", &GeneratedFunction::lanes, "int: of the widest group of limbs")
        .def_readonly("operations", &GeneratedFunction::operations, "int: that are left, one for a vector");
    py::class_<GeneratedCode> code(m, "GeneratedCode", "C for one robot.");
    bind_members(code, &GeneratedCode::header, &GeneratedCode::source, &GeneratedCode::module,
                 &GeneratedCode::functions);
    code.def_readonly("header", &GeneratedCode::header, "str: for a file NAME.h")
        .def_readonly("source", &GeneratedCode::source, "str: for a file NAME.c")
        .def_readonly("module", &GeneratedCode::module,
                      "str: Python, for a file NAME_acados.py; empty for other solvers")
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
        Value<int>{"batch", "int", "also a variant for 4 or 8 states at a time; 0: none", 0, "0"},
        Value<std::optional<Integrator>>{"step", "Integrator | None",
                                         "rule of steps for solvers; None: no steps",
                                         std::optional<Integrator>{}, "None"},
        Value<bool>{"motors", "bool", "inputs of steps are forces of the motors; False: tau", true, "True"},
        Value<bool>{"joint_forces", "bool", "springs, dampers, tendons and gravity compensation act in steps",
                    false, "False"},
        Value<bool>{"hessian", "bool", "second derivatives of steps, too", false, "False"},
        Value<Abi>{"abi", "Abi", "functions for a solver, with their derivatives", Abi::c, "Abi.c"},
        Value<bool>{"columns", "bool", "matrices are stored column by column, except orientations of frames",
                    false, "False"});
}

}  // namespace grbda::python
