#pragma once

#include <cstddef>
#include <span>

#include "grbda/collision/collide.hpp"

namespace grbda::collision {

/// Keeps the deepest touches of those that it is given in the order of their features, in that order.
class Gather {
public:
    Gather(std::span<Touch> touches, double margin) : touches_(touches), margin_(margin) {}

    void add(const Touch& touch) {
        if (!(touch.gap < margin_)) return;
        if (count_ == touches_.size() && !drop_above(touch.gap)) return;
        touches_[count_++] = touch;
    }
    int count() const { return static_cast<int>(count_); }

private:
    /// Drops the shallowest if its gap is larger; of equal ones the last.
    bool drop_above(double gap) {
        std::size_t worst = 0;
        for (std::size_t i = 1; i < count_; ++i)
            if (touches_[i].gap >= touches_[worst].gap) worst = i;
        if (count_ == 0 || !(gap < touches_[worst].gap)) return false;
        --count_;
        for (std::size_t i = worst; i < count_; ++i) touches_[i] = touches_[i + 1];
        return true;
    }

    std::span<Touch> touches_;
    double margin_;
    std::size_t count_ = 0;
};

}  // namespace grbda::collision
