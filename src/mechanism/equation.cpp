#include <cmath>
#include <string>

#include "description/number_text.hpp"
#include "steps.hpp"

namespace grbda {

namespace mechanism {

std::string number(double value) {
    constexpr int digits = 10;
    return rounded_text(value, digits);
}

std::string listed(const std::vector<std::string>& names, const char* separator) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == most && names.size() > most + 1) {
            return text + separator + "… (" + std::to_string(names.size() - most) + " more)";
        }
        if (i > 0) text += separator;
        text += names[i];
    }
    return text;
}

}  // namespace mechanism

namespace {

std::string coordinate(const Mechanism& mechanism, const MechanismTerm& term) {
    const MechanismBody& body = mechanism.bodies[static_cast<std::size_t>(term.body)];
    const std::string name = "q[" + body.joint + "]";
    return velocity_size(body.type) > 1 ? name + "[" + std::to_string(term.component) + "]" : name;
}

/// Appends "+ 2 q[a]", "- q[b]", "0.1"; without a plus at the start of a sum.
void append(std::string& sum, double coefficient, const std::string& factor) {
    if (sum.empty()) {
        if (coefficient < 0) sum += "-";
    } else {
        sum += coefficient < 0 ? " - " : " + ";
    }
    const double size = std::abs(coefficient);
    if (factor.empty() || size != 1) sum += mechanism::number(size);
    if (!factor.empty()) sum += (size != 1 ? " " : "") + factor;
}

/// Index of the term for the left side; the number of terms without one. It must
/// have coefficient ±1, and be the only such term or the first of two terms in all.
std::size_t solved_term(const MechanismCoupling& coupling) {
    const std::size_t none = coupling.terms.size();
    std::size_t solved = none;
    for (std::size_t i = 0; i < coupling.terms.size(); ++i) {
        if (std::abs(coupling.terms[i].coefficient) != 1) continue;
        if (solved == none) {
            solved = i;
        } else if (coupling.terms.size() > 2) {
            return none;
        }
    }
    return solved;
}

/// "0.1 + 2 (q[b] - 0.3) - 0.5 (q[b] - 0.3)^2"
std::string polynomial(const Mechanism& mechanism, const MechanismCoupling& coupling) {
    std::string base = coordinate(mechanism, coupling.terms[1]);
    if (coupling.reference != 0) {
        base = "(" + base + (coupling.reference < 0 ? " + " : " - ") +
               mechanism::number(std::abs(coupling.reference)) + ")";
    }
    std::string sum;
    const double constant = coupling.polynomial.front() - coupling.offset;
    if (constant != 0) append(sum, constant, {});
    for (std::size_t power = 1; power < coupling.polynomial.size(); ++power) {
        if (coupling.polynomial[power] == 0) continue;
        append(sum, coupling.polynomial[power], power == 1 ? base : base + "^" + std::to_string(power));
    }
    return sum.empty() ? "0" : sum;
}

}  // namespace

std::string equation(const Mechanism& mechanism, const MechanismCoupling& coupling) {
    if (!coupling.polynomial.empty()) {
        return coordinate(mechanism, coupling.terms[0]) + " = " + polynomial(mechanism, coupling);
    }
    const std::size_t solved = solved_term(coupling);
    const bool is_solved = solved < coupling.terms.size();
    // q + Σ = 0 becomes q = -Σ, and so does -q - Σ = 0.
    const double factor = is_solved ? -coupling.terms[solved].coefficient : 1;
    constexpr std::size_t most_terms = 12;
    std::string sum;
    std::size_t written = 0;
    for (std::size_t i = 0; i < coupling.terms.size(); ++i) {
        if (i == solved) continue;
        if (++written > most_terms) continue;
        append(sum, factor * coupling.terms[i].coefficient, coordinate(mechanism, coupling.terms[i]));
    }
    if (written > most_terms) sum += " + … (" + std::to_string(written - most_terms) + " more terms)";
    if (coupling.offset != 0) append(sum, factor * coupling.offset, {});
    if (sum.empty()) sum = "0";
    return is_solved ? coordinate(mechanism, coupling.terms[solved]) + " = " + sum : sum + " = 0";
}

}  // namespace grbda
