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
KROTON_DEFINITION void* from_system(std::size_t bytes) {
  void* const at = ::operator new(bytes, system_alignment(bytes));
  const auto room = static_cast<std::int64_t>(bytes);
  page_advice::begin({static_cast<std::byte*>(at), room, room});
  return at;
}

}  // namespace kroton::runtime
