// This header has the growable array of constant evaluation, which is plain new[] and indices and several times cheaper
// there than std::vector, and a list of different items that finds them by hashing.
#pragma once

#include <kroton/arithmetic/plain_array.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kroton::graph {

/// Copies the first `count` items of one array or list to another.
constexpr void copy_items(auto* to, const auto& from, int count) {
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

template <class T>
class array_list {
 public:
  T* items = nullptr;  ///< for loops in which a call costs more than what it does

  constexpr array_list() = default;
  constexpr explicit array_list(int count, T fill = T{}) { resize(count, fill); }
  constexpr array_list(const array_list& other) { append(other); }
  constexpr array_list(array_list&& other) noexcept
      : items(other.items), capacity_(other.capacity_), size_(other.size_) {
    other.items = nullptr;
    other.size_ = other.capacity_ = 0;
  }
  constexpr array_list& operator=(array_list other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~array_list() { delete[] items; }

  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](int i) { return items[i]; }
  constexpr const T& operator[](int i) const { return items[i]; }
  constexpr T& back() { return items[size_ - 1]; }
  constexpr const T& back() const { return items[size_ - 1]; }
  constexpr T* begin() { return items; }
  constexpr T* end() { return items + size_; }
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + size_; }

  constexpr void push_back(const T& item) {
    if (size_ == capacity_) {
      const T copy = item;  // item may live in the storage that is about to move
      reserve(capacity_ == 0 ? 4 : 2 * capacity_);
      items[size_++] = copy;
      return;
    }
    items[size_++] = item;
  }
  constexpr void pop_back() { --size_; }
  constexpr void clear() { size_ = 0; }
  constexpr void resize(int count, T fill = T{}) {
    bool is_filled = false;  // with what `reserve` puts there
    if constexpr (std::is_scalar_v<T>) is_filled = size_ == 0 && capacity_ == 0 && fill == T{};
    reserve(count);
    for (int i = is_filled ? count : size_; i < count; ++i) items[i] = fill;
    size_ = count;
  }
  constexpr void append(const array_list& other) {
    reserve(size_ + other.size_);
    append(other.items, other.size_);
  }
  constexpr void append(const T* first, int count) {
    if (size_ + count > capacity_) reserve(capacity_ == 0 ? count : 2 * (size_ + count));
    T* to = items + size_;
    for (int i = 0; i < count; ++i) to[i] = first[i];
    size_ += count;
  }
  constexpr bool contains(const T& item) const {
    for (int i = 0; i < size_; ++i)
      if (items[i] == item) return true;
    return false;
  }
  constexpr void reserve(int count) {
    if (count <= capacity_) return;
    T* grown = new T[static_cast<unsigned>(count)]{};
    for (int i = 0; i < size_; ++i) grown[i] = items[i];
    delete[] items;
    items = grown;
    capacity_ = count;
  }

 private:
  constexpr void swap(array_list& other) noexcept {
    T* mine = items;
    int size = size_, capacity = capacity_;
    items = other.items, size_ = other.size_, capacity_ = other.capacity_;
    other.items = mine, other.size_ = size, other.capacity_ = capacity;
  }

  int capacity_ = 0;

 protected:
  int size_ = 0;
};

/// A list of different items, `item.hash()` finds each.
template <class T>
class interned_list : public array_list<T> {
 public:
  /// The number of an item: of the one there is, or of a new one.
  constexpr int intern(const T& item) {
    if (indexed_ < this->size_ || indexed_ >= room_) index();
    std::uint32_t at = item.hash() & mask_;
    for (; slots_.items[at] != 0; at = (at + 1) & mask_)
      if (this->items[slots_.items[at] - 1] == item) return slots_.items[at] - 1;
    this->push_back(item);
    slots_.items[at] = ++indexed_;
    return indexed_ - 1;
  }

 private:
  array_list<int> slots_;  // open addressing; item + 1, 0 is free
  int indexed_ = 0;        // items that are in there; others were appended
  int room_ = 0;           // for items in there, half of its places
  std::uint32_t mask_ = 0;

  constexpr void index() {
    const int count = this->size();
    int size = 32;
    while (size < 4 * count) size *= 2;
    slots_ = array_list<int>(size, 0);
    room_ = size / 2;
    mask_ = static_cast<std::uint32_t>(size - 1);
    for (int i = 0; i < count; ++i) {
      std::uint32_t at = this->items[i].hash() & mask_;
      while (slots_.items[at] != 0) at = (at + 1) & mask_;
      slots_.items[at] = i + 1;
    }
    indexed_ = count;
  }
};

/// Objects that end with the list.
template <class T>
class owned_list {
 public:
  constexpr owned_list() = default;
  constexpr owned_list(owned_list&&) = default;
  constexpr owned_list& operator=(owned_list&&) = default;
  constexpr ~owned_list() {
    for (T* object : objects_) delete object;
  }
  constexpr void add(T* object) { objects_.push_back(object); }

 private:
  array_list<T*> objects_;
};

/// Refers to items that lie elsewhere, as std::span<const T> does. g++ 12 takes 16 ms for std::span of each new type,
/// and 5 ms for this.
template <class T>
class list_view {
 public:
  constexpr list_view() = default;
  constexpr list_view(const T* items, std::size_t size) : items_(items), size_(size) {}
  template <class List>
    requires requires(const List& every) { every.data(); }
  constexpr list_view(const List& every) : list_view(every.data(), every.size()) {}
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* data() const { return items_; }
  constexpr const T& operator[](std::integral auto i) const { return items_[i]; }
  constexpr const T* begin() const { return items_; }
  constexpr const T* end() const { return items_ + size_; }

 private:
  const T* items_ = nullptr;
  std::size_t size_ = 0;
};

/// Goes on with a hash.
constexpr std::uint32_t hash_more(std::uint32_t h, std::int64_t value) {
  return (h ^ static_cast<std::uint32_t>(value ^ (value >> 32))) * 0x01000193u;
}

}  // namespace kroton::graph
