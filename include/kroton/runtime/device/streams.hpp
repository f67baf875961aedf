// This header has the streams of a program's places, in the order in which their locks are taken, and lets them begin
// and end together.
//
//     places {home on a, dev1 on b}  ->  b waits for an event of a at the beginning, a for one of b at the end
#pragma once

#include <kroton/runtime/context/context.hpp>
#include <kroton/runtime/context/driver.hpp>
#include <kroton/arithmetic/indexed.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace kroton::runtime::on_device {

/// Holds streams, which other threads may use too, while this thread puts work on them.
class held_streams {
 public:
  /// Locks each stream once, always in the same order.
  explicit held_streams(const std::vector<device_stream*>& in_order) : streams_(in_order) {
    for (device_stream* stream : streams_) stream->mutex.lock();
  }
  held_streams(const held_streams&) = delete;
  held_streams& operator=(const held_streams&) = delete;
  ~held_streams() {
    for (device_stream* stream : streams_) stream->mutex.unlock();
  }

 private:
  const std::vector<device_stream*>& streams_;
};

class place_streams {
 public:
  explicit place_streams(const std::vector<context>& places) : of_places_(of(places)), in_order_(of_places_) {
    std::erase(in_order_, nullptr);
    if (in_order_.empty()) return;
    first_ = in_order_[0];
    std::sort(in_order_.begin(), in_order_.end());
    in_order_.erase(std::unique(in_order_.begin(), in_order_.end()), in_order_.end());
    begin_ = first_->make_event();
    for (device_stream* stream : of_places_)
      ends_.push_back(stream == nullptr || stream == first_ ? nullptr : stream->make_event());
  }
  /// The stream of each place; null for a place on the host.
  static std::vector<device_stream*> of(const std::vector<context>& places) {
    std::vector<device_stream*> streams;
    for (const context& place : places) streams.push_back(place.stream());
    return streams;
  }
  const std::vector<device_stream*>& of_places() const { return of_places_; }
  device_stream* operator[](std::integral auto place) const { return of_places_[place]; }
  /// The stream on which calls begin and end.
  device_stream& first() const { return *first_; }
  device_stream& home() const { return of_places_[0] == nullptr ? *first_ : *of_places_[0]; }
  held_streams hold() const { return held_streams(in_order_); }

  /// Later work on any stream comes after the work that is on the first stream now.
  void fork() const {
    if (in_order_.size() == 1) return;
    first_->record(*begin_);
    for (device_stream* stream : of_places_)
      if (stream != nullptr && stream != first_) stream->wait(*begin_);
  }
  /// Later work on the first stream comes after all work so far.
  void join() const {
    for (std::size_t p = 0; p < of_places_.size(); ++p) {
      if (ends_[p] == nullptr) continue;
      of_places_[p]->record(*ends_[p]);
      first_->wait(*ends_[p]);
    }
  }

 private:
  indexed_vector<device_stream*> of_places_;
  std::vector<device_stream*> in_order_;  // in the order in which they are held
  device_stream* first_ = nullptr;
  std::unique_ptr<device_event> begin_;
  std::vector<std::unique_ptr<device_event>> ends_;  // of the places on streams other than the first
};

}  // namespace kroton::runtime::on_device
