#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "grbda/version.hpp"
#include "state.hpp"

// Converts a state to bytes for the same version and kind of machine. All members are numbers, or tables of
// plain structs.

namespace grbda {
namespace {

constexpr std::string_view heading = "grbda simulation state " GRBDA_VERSION "\n";

std::uint64_t checksum(std::string_view bytes) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

[[noreturn]] void refuse() {
    throw std::invalid_argument("simulation: these are not the bytes of a state of grbda " GRBDA_VERSION);
}

class Writer {
public:
    explicit Writer(std::string& bytes) : bytes_(&bytes) {}

    template <class T>
    void operator()(const T& number) {
        write(&number, 1);
    }
    template <class T>
    void operator()(const Table<T>& table) {
        (*this)(table.size());
        write(table.data(), table.size());
    }
    void operator()(const VectorX<double>& vector) {
        (*this)(static_cast<std::size_t>(vector.size()));
        write(vector.data(), static_cast<std::size_t>(vector.size()));
    }

private:
    template <class T>
    void write(const T* values, std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        bytes_->append(reinterpret_cast<const char*>(values), count * sizeof(T));
    }

    std::string* bytes_;
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    bool at_end() const { return rest_.empty(); }
    template <class T>
    void operator()(T& number) {
        read(&number, 1);
    }
    template <class T>
    void operator()(Table<T>& table) {
        table.resize(count<T>());
        read(table.data(), table.size());
    }
    void operator()(VectorX<double>& vector) {
        vector.resize(static_cast<Eigen::Index>(count<double>()));
        read(vector.data(), static_cast<std::size_t>(vector.size()));
    }

private:
    template <class T>
    std::size_t count() {
        std::size_t size = 0;
        (*this)(size);
        if (size > rest_.size() / sizeof(T)) refuse();
        return size;
    }
    template <class T>
    void read(T* values, std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        if (count > rest_.size() / sizeof(T)) refuse();
        if (count > 0) std::memcpy(static_cast<void*>(values), rest_.data(), count * sizeof(T));
        rest_.remove_prefix(count * sizeof(T));
    }

    std::string_view rest_;
};

}  // namespace

std::string SimulatorState::bytes() const {
    if (!state_) throw std::invalid_argument("simulation: this state is empty");
    std::string body;
    Writer write(body);
    write(time_);
    write(step_);
    write(layout_);
    simulation::State::each_member(*state_, write);
    std::string all(heading);
    Writer begin(all);
    begin(checksum(body));
    return all + body;
}

SimulatorState SimulatorState::from_bytes(std::string_view bytes) {
    std::uint64_t sum = 0;
    if (!bytes.starts_with(heading) || bytes.size() < heading.size() + sizeof(sum)) refuse();
    bytes.remove_prefix(heading.size());
    Reader{bytes}(sum);
    bytes.remove_prefix(sizeof(sum));
    if (checksum(bytes) != sum) refuse();
    SimulatorState result;
    simulation::State state;
    Reader read(bytes);
    read(result.time_);
    read(result.step_);
    read(result.layout_);
    simulation::State::each_member(state, read);
    if (!read.at_end()) refuse();
    result.state_ = std::make_shared<const simulation::State>(std::move(state));
    return result;
}

}  // namespace grbda
