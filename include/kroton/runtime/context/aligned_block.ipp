// This file has the functions by which tensors borrow memory of a context, and by which other memory counts there.
#pragma once

#include <kroton/runtime/context/memory.hpp>

namespace kroton::runtime {

KROTON_DEFINITION void charge(memory_account& account, std::int64_t bytes) { account.charge(bytes); }
KROTON_DEFINITION void discharge(memory_account& account, std::int64_t bytes) noexcept { account.discharge(bytes); }
KROTON_DEFINITION aligned_block block_for_any(const std::int64_t* extents, std::size_t rank, std::int64_t element_size,
                                              memory_account* lender) {
  const list_view<std::int64_t> all(extents, rank);
  for (const std::int64_t e : all) require_extent("tensor", e);
  return within_memory(
      [&] { return aligned_block(static_cast<std::size_t>(tensor_bytes(all, element_size)), lender); });
}
constexpr std::align_val_t system_alignment(std::int64_t bytes) {
  return std::align_val_t(bytes < static_cast<std::int64_t>(huge_page) ? buffer_alignment : huge_page);
}
KROTON_DEFINITION void aligned_block::take_large(memory_account* lender) {
  if (lender == nullptr) {
    from_ = ::operator new(static_cast<std::size_t>(bytes_), system_alignment(bytes_));
    data_ = static_cast<std::byte*>(from_);
    page_advice::begin({data_, bytes_, bytes_});
  } else {
    const memory_block lent = lender->lend(bytes_);
    data_ = lent.data;
    room_ = lent.room;
    from_ = lender;
  }
}
KROTON_DEFINITION void aligned_block::give_large() noexcept {
  if (room_ > 0) static_cast<memory_account*>(from_)->take_back({data_, bytes_, room_});
  else ::operator delete(from_, system_alignment(bytes_));
}

}  // namespace kroton::runtime
