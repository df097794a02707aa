#include "grbda/algorithms/arguments.hpp"

#include <stdexcept>
#include <string>

namespace grbda {

void require_size(const char* argument, long given, long expected) {
    if (given == expected) return;
    throw std::invalid_argument(std::string(argument) + " has size " + std::to_string(given) + ", expected " +
                                std::to_string(expected));
}

void require_layout(const char* workspace, std::size_t given, std::size_t expected) {
    if (given == expected) return;
    throw std::invalid_argument(std::string(workspace) +
                                " was made for another model: its clusters, rotors or constraints differ");
}

}  // namespace grbda
