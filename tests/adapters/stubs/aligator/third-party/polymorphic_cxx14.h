#pragma once

#include <functional>
#include <memory>
#include <type_traits>

// An object of a derived class as a value: a copy of it copies the object.

namespace xyz {

template <class T, class Allocator = std::allocator<T>>
class polymorphic {
public:
    template <class U, std::enable_if_t<std::is_base_of_v<T, std::decay_t<U>>, int> = 0>
    polymorphic(U&& object)
        : object_(std::make_unique<std::decay_t<U>>(std::forward<U>(object))),
          copy_([](const T& other) -> std::unique_ptr<T> {
              return std::make_unique<std::decay_t<U>>(static_cast<const std::decay_t<U>&>(other));
          }) {}
    polymorphic(const polymorphic& other) : object_(other.copy_(*other.object_)), copy_(other.copy_) {}
    polymorphic& operator=(const polymorphic& other) {
        object_ = other.copy_(*other.object_);
        copy_ = other.copy_;
        return *this;
    }

    const T& operator*() const { return *object_; }
    const T* operator->() const { return object_.get(); }

private:
    std::unique_ptr<T> object_;
    std::function<std::unique_ptr<T>(const T&)> copy_;
};

}  // namespace xyz
