// A growable array for constant evaluation: plain new[] and indices, several times cheaper there than std::vector.
#pragma once

namespace kroton {

/// Copies the first `count` items of one array or list to another.
constexpr void copy_items(auto* to, const auto& from, int count) {
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

template <class T>
class array_list {
 public:
  constexpr array_list() = default;
  constexpr explicit array_list(int count, T fill = T{}) { resize(count, fill); }
  constexpr array_list(const array_list& other) { append(other); }
  constexpr array_list(array_list&& other) noexcept
      : items_(other.items_), size_(other.size_), capacity_(other.capacity_) {
    other.items_ = nullptr;
    other.size_ = other.capacity_ = 0;
  }
  constexpr array_list& operator=(array_list other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~array_list() { delete[] items_; }

  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](int i) { return items_[i]; }
  constexpr const T& operator[](int i) const { return items_[i]; }
  constexpr T& back() { return items_[size_ - 1]; }
  constexpr const T& back() const { return items_[size_ - 1]; }
  constexpr T* begin() { return items_; }
  constexpr T* end() { return items_ + size_; }
  constexpr const T* begin() const { return items_; }
  constexpr const T* end() const { return items_ + size_; }

  constexpr void push_back(const T& item) {
    if (size_ == capacity_) {
      const T copy = item;  // item may live in the storage that is about to move
      reserve(capacity_ == 0 ? 16 : 2 * capacity_);
      items_[size_++] = copy;
      return;
    }
    items_[size_++] = item;
  }
  constexpr void pop_back() { --size_; }
  constexpr void clear() { size_ = 0; }
  constexpr void truncate(int count) { size_ = count; }
  constexpr void resize(int count, T fill = T{}) {
    reserve(count);
    for (int i = size_; i < count; ++i) items_[i] = fill;
    size_ = count;
  }
  constexpr void append(const array_list& other) {
    reserve(size_ + other.size_);
    for (int i = 0; i < other.size_; ++i) items_[size_ + i] = other.items_[i];
    size_ += other.size_;
  }
  constexpr bool contains(const T& item) const {
    for (int i = 0; i < size_; ++i)
      if (items_[i] == item) return true;
    return false;
  }
  constexpr void reserve(int count) {
    if (count <= capacity_) return;
    T* grown = new T[static_cast<unsigned>(count)]{};
    for (int i = 0; i < size_; ++i) grown[i] = items_[i];
    delete[] items_;
    items_ = grown;
    capacity_ = count;
  }

 private:
  constexpr void swap(array_list& other) noexcept {
    T* items = items_;
    int size = size_, capacity = capacity_;
    items_ = other.items_, size_ = other.size_, capacity_ = other.capacity_;
    other.items_ = items, other.size_ = size, other.capacity_ = capacity;
  }

  T* items_ = nullptr;
  int size_ = 0, capacity_ = 0;
};

}  // namespace kroton
