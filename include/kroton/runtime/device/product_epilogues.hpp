// This header decides for the extents of a call which epilogues products have, and where the aux of each lies in the
// workspace of its place.
//
//     step 2 has epilogue relu + bias, step 7 its gradient, m x n = 128 x 512
//       ->  steps 3 and 8 are done by them; the mask, 8192 bytes, lies at offset 0 of the workspace
#pragma once

#include <kroton/passes/epilogue.hpp>
#include <kroton/runtime/context/driver.hpp>
#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/program/memory_sizes.hpp>

#include <utility>
#include <vector>

namespace kroton::runtime::on_device {

/// The operands of a product's epilogue, see `epilogue` and `device_product`.
struct epilogue_arguments {
  std::byte* result = nullptr;  ///< the address of the result; null: the product's own result
  const std::byte* bias = nullptr;
  product_function function = product_function::none;
  bool is_gradient = false;
  std::byte* aux = nullptr;
  std::byte* sums = nullptr;
};

/// The role of one step in epilogues.
struct step_epilogue {
  bool is_there = false;              ///< the step is a product that does the work of another step
  bool is_done = false;               ///< a product does the work of this step, except for the work after the sums
  std::int64_t mask = -1, sums = -1;  ///< offsets in the workspace of the mask and sums that the step writes or reads;
                                      ///< -1: none
};

/// The epilogues of all products of a call. The aux tensors that products write for later steps lie at the beginning of
/// the workspace of their place.
class product_epilogues {
 public:
  product_epilogues() = default;
  product_epilogues(std::size_t steps, std::size_t places) : of_steps_(steps), kept_(places) {}

  const step_epilogue& operator[](std::size_t s) const { return of_steps_[s]; }
  /// Bytes of the workspace of a place that aux tensors take.
  std::int64_t bytes_held(place_id place) const { return kept_[place]; }

  /// Notes that product `s`, at `place`, with `m` rows of `n` columns, has the epilogue `e`. `keeps_sums`: its reader
  /// goes on from the sums.
  void add(int s, const epilogue& e, place_id place, std::int64_t m, std::int64_t n, bool keeps_sums) {
    step_epilogue &product = of_step(s), &reader = of_step(e.reader);
    product.is_there = reader.is_done = true;
    if (e.is_gradient && e.function == product_function::relu) {
      std::int64_t& mask = of_step(e.other).mask;
      if (mask < 0) mask = room(place, mask_bytes(m, n));
      product.mask = mask;
    }
    if (keeps_sums) product.sums = reader.sums = room(place, n * static_cast<std::int64_t>(sizeof(float)));
  }

 private:
  indexed_vector<step_epilogue> of_steps_;
  indexed_vector<std::int64_t> kept_;  // for each place

  step_epilogue& of_step(int s) { return of_steps_[s]; }
  std::int64_t room(place_id place, std::int64_t bytes) {
    std::int64_t& kept = kept_[place];
    return std::exchange(kept, kept + bytes_on_device(bytes));
  }
};

}  // namespace kroton::runtime::on_device
