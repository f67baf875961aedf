// This header has schedules, which make a learning rate of the number of steps that an optimiser has done. A schedule
// is any object that is called with a scalar expression and returns one, so that yours can be a lambda:
//
//     optimiser(cost, parameters(), kt::optim::cosine{.rate = 0.1, .steps = 1000})
//     optimiser(cost, parameters(), [](auto steps) { return 0.1 / (1 + 0.01 * steps); })
#pragma once

#include <kroton/expr/functions.hpp>
#include <kroton/optim/options.hpp>

#include <numbers>

namespace kroton::optim {

/// The ranges of the options of a schedule that is called with `steps`. The optimiser adds the line.
constexpr option_ranges ranges_for(const auto& steps) { return {*steps.untyped().owner, 0}; }

/// The same rate in all steps: `kt::optim::constant{.rate = 0.1}`.
struct constant {
  double rate;
  constexpr auto operator()(const auto& steps) const { return full_like(steps, rate); }
};

/// A rate that is multiplied by `factor` after each `every` steps: `kt::optim::staircase{.rate = 0.1, .every = 1000,
/// .factor = 0.5}`.
struct staircase {
  double rate, every, factor = 0.1;
  constexpr auto operator()(const auto& steps) const {
    const double length = ranges_for(steps).positive("every", every) ? every : 1;
    return rate * pow(full_like(steps, factor), floor(steps / length));
  }
};

/// From `rate` to `last` along half a period of a cosine, in so many steps; `last` after them. Loshchilov and Hutter,
/// "SGDR", 2017: `kt::optim::cosine{.rate = 0.1, .steps = 1000}`.
struct cosine {
  double rate, steps, last = 0;
  constexpr auto operator()(const auto& done) const {
    const double length = ranges_for(done).positive("steps", steps) ? steps : 1;
    return last + (0.5 * (rate - last)) * (1 + cos(minimum(done * (1 / length), 1) * std::numbers::pi));
  }
};

/// The rate of another schedule, or a number, after so many steps in which the rate grows in proportion to their
/// number: `kt::optim::warm_up(100, kt::optim::cosine{.rate = 0.1, .steps = 900})`. The other schedule counts the steps
/// after these, which are all where the number is 0.
template <class Schedule>
class warm_up {
 public:
  constexpr warm_up(double steps, const Schedule& then) : steps_(steps), then_(then) {}
  constexpr auto operator()(const auto& done) const {
    const bool grows = ranges_for(done).not_negative("steps", steps_) && steps_ > 0;
    const auto share = minimum((done + 1) * (grows ? 1 / steps_ : 1), 1);
    if constexpr (literal<Schedule>) return then_ * share;
    else return then_(maximum(done - steps_, 0)) * share;
  }

 private:
  double steps_;
  Schedule then_;
};

/// Up from rate / 25 to `rate` in the first 30% of the steps, and then down to rate / 10^5 along halves of a cosine:
/// Smith and Topin, "Super-convergence", 2018, with the shape that is usual since: `kt::optim::one_cycle{.rate = 0.1,
/// .steps = 1000}`. With `.rising = 0` it only goes down.
struct one_cycle {
  double rate, steps, rising = 0.3, first = 1.0 / 25, last = 1e-5;
  constexpr auto operator()(const auto& done) const {
    const option_ranges ranges = ranges_for(done);
    const double length = ranges.positive("steps", steps) ? steps : 1,
                 part = ranges.weight("rising", rising) ? rising : 0;
    const auto share = minimum(done * (1 / length), 1);
    const auto up = clip(share * (part > 0 ? 1 / part : 1), 0, 1), down = clip((share - part) * (1 / (1 - part)), 0, 1);
    const auto rise = first + (1 - first) * 0.5 * (1 - cos(up * std::numbers::pi)),
               fall = last + (1 - last) * 0.5 * (1 + cos(down * std::numbers::pi));
    return where(share < part, rise, fall) * rate;
  }
};

}  // namespace kroton::optim
