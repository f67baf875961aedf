// This file has the functions by which tensors borrow memory of a context, and by which other memory counts there.
#pragma once

#include <kroton/runtime/context/memory.hpp>

namespace kroton::runtime {

KROTON_DEFINITION memory_block lend(memory_account& account, std::int64_t bytes) { return account.lend(bytes); }
KROTON_DEFINITION void take_back(memory_account& account, const memory_block& block) noexcept {
  account.take_back(block);
}
KROTON_DEFINITION void charge(memory_account& account, std::int64_t bytes) { account.charge(bytes); }
KROTON_DEFINITION void discharge(memory_account& account, std::int64_t bytes) noexcept { account.discharge(bytes); }
KROTON_DEFINITION aligned_block block_for_any(const std::int64_t* extents, std::size_t rank, std::int64_t element_size,
                                              memory_account* lender) {
  const list_view<std::int64_t> all(extents, rank);
  for (const std::int64_t e : all) require_extent("tensor", e);
  return within_memory(
      [&] { return aligned_block(static_cast<std::size_t>(tensor_bytes(all, element_size)), lender); });
}
KROTON_DEFINITION void* from_system(std::size_t bytes) {
  void* const at = ::operator new(bytes, system_alignment(bytes));
  const auto room = static_cast<std::int64_t>(bytes);
  page_advice::begin({static_cast<std::byte*>(at), room, room});
  return at;
}

}  // namespace kroton::runtime
