// The workloads of bench/peers as one writes them by hand: packs of xsimd, CBLAS, threads of OpenMP, buffers that are
// taken once.
#pragma once

#include "peers.hpp"

#include <xsimd/xsimd.hpp>

#include <cblas.h>

#include <algorithm>

namespace peers::by_hand {

using pack = xsimd::batch<float>;
constexpr auto lanes = static_cast<std::int64_t>(pack::size);
using buffer = std::shared_ptr<std::vector<float>>;

inline pack load(const float* from) { return pack::load_unaligned(from); }
inline float sum_of(const pack& x) {
  float all[pack::size], sum = 0;
  x.store_unaligned(all);
  for (const float each : all) sum += each;
  return sum;
}
inline float largest_of(const pack& x) {
  float all[pack::size];
  x.store_unaligned(all);
  return *std::max_element(all, all + pack::size);
}
inline buffer room(std::int64_t count) { return std::make_shared<std::vector<float>>(static_cast<std::size_t>(count)); }
template <class Tensor>
buffer copy_of(const Tensor& x) {
  return std::make_shared<std::vector<float>>(x.begin(), x.end());
}
/// z (m, n) = factor * x (m, k) y (k, n) + keep * z, where x or y may be transposed.
inline void multiply(bool x_is_transposed, bool y_is_transposed, int m, int n, int k, const float* x, const float* y,
                     float* z, float factor = 1, float keep = 0) {
  cblas_sgemm(CblasRowMajor, x_is_transposed ? CblasTrans : CblasNoTrans, y_is_transposed ? CblasTrans : CblasNoTrans,
              m, n, k, factor, x, x_is_transposed ? m : k, y, y_is_transposed ? k : n, keep, z, n);
}

inline void add_maps() {
  const auto x = numbers<1>({many}, 1), y = numbers<1>({many}, 2);
  add_code("map/by hand", many, [x, y](float* z) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < many; i += lanes) {
      const pack a = load(x.data() + i);
      (xsimd::exp(-a * a) * load(y.data() + i) + 0.5f * a).store_unaligned(z + i);
    }
  });
  add_code("mean of squares/by hand", 1, [x](float* z) {
    double sum = 0;
    constexpr std::int64_t block = 4096;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::int64_t first = 0; first < many; first += block) {
      pack sums[4] = {pack(0.0f), pack(0.0f), pack(0.0f), pack(0.0f)};
      for (std::int64_t i = first; i < first + block; i += 4 * lanes)
        for (std::int64_t k = 0; k < 4; ++k) {
          const pack a = load(x.data() + i + k * lanes);
          sums[k] = xsimd::fma(a, a, sums[k]);
        }
      sum += static_cast<double>(sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])));
    }
    z[0] = static_cast<float>(sum / many);
  });
  const auto few = numbers<1>({16}, 1), others = numbers<1>({16}, 2);
  add_code("16 elements/by hand", 16, [few, others](float* z) {
    for (std::int64_t i = 0; i < 16; i += lanes)
      xsimd::tanh(load(few.data() + i) * 2.0f + load(others.data() + i)).store_unaligned(z + i);
  });
}

inline void add_rows() {
  const auto square = numbers<2>({side, side}, 1), long_one = numbers<2>({tall, side}, 1);
  const auto gain = numbers<1>({side}, 3), bias = numbers<1>({side}, 4);
  add_code("softmax/by hand", side * side, [=](float* z) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < side; ++row) {
      const float* const x = square.data() + row * side;
      float* const y = z + row * side;
      pack most = load(x);
      for (std::int64_t i = 0; i < side; i += lanes) most = xsimd::max(most, load(x + i));
      const pack largest(largest_of(most));
      pack sum(0.0f);
      for (std::int64_t i = 0; i < side; i += lanes) {
        const pack e = xsimd::exp((load(x + i) - largest) * 3.0f);
        e.store_unaligned(y + i);
        sum += e;
      }
      const pack scale(1 / sum_of(sum));
      for (std::int64_t i = 0; i < side; i += lanes) (load(y + i) * scale).store_unaligned(y + i);
    }
  });
  add_code("layer norm and gelu/by hand", side * side, [=](float* z) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < side; ++row) {
      const float* const x = square.data() + row * side;
      float* const y = z + row * side;
      pack sum(0.0f), squares(0.0f);
      for (std::int64_t i = 0; i < side; i += lanes) sum += load(x + i);
      const pack mean(sum_of(sum) / side);
      for (std::int64_t i = 0; i < side; i += lanes) {
        const pack centred = load(x + i) - mean;
        squares = xsimd::fma(centred, centred, squares);
      }
      const pack scale(1 / std::sqrt(sum_of(squares) / side + 1e-5f));
      for (std::int64_t i = 0; i < side; i += lanes) {
        const pack of = (load(x + i) - mean) * scale * load(gain.data() + i) + load(bias.data() + i);
        (0.5f * of * (1.0f + xsimd::erf(of * 0.70710678f))).store_unaligned(y + i);
      }
    }
  });
  add_code("column sums/by hand", side, [=](float* z) {
    std::fill_n(z, side, 0.0f);
#pragma omp parallel
    {
      std::vector<float> sums(side);
#pragma omp for schedule(static) nowait
      for (std::int64_t row = 0; row < tall; row += 4) {
        const float* const x = long_one.data() + row * side;
        for (std::int64_t i = 0; i < side; i += lanes)
          (load(sums.data() + i) +
           ((load(x + i) + load(x + side + i)) + (load(x + 2 * side + i) + load(x + 3 * side + i))))
              .store_unaligned(sums.data() + i);
      }
#pragma omp critical
      for (std::int64_t i = 0; i < side; i += lanes) (load(z + i) + load(sums.data() + i)).store_unaligned(z + i);
    }
  });
}

inline void add_products() {
  constexpr int edge = 512;
  const auto x = numbers<2>({edge, edge}, 1), w = numbers<2>({edge, edge}, 2);
  const auto b = numbers<1>({edge}, 3);
  add_code("product, bias and relu/by hand", edge * edge, [=](float* z) {
    multiply(false, false, edge, edge, edge, x.data(), w.data(), z);
#pragma omp parallel for
    for (int i = 0; i < edge; ++i)
      for (int j = 0; j < edge; ++j) z[i * edge + j] = std::max(0.0f, z[i * edge + j] + b.data()[j]);
  });
  constexpr int count = 1000, small = 16;
  const auto p = numbers<3>({count, small, small}, 1), q = numbers<3>({count, small, small}, 2);
  add_code("1,000 products of 16 x 16/by hand", count * small * small, [=](float* z) {
    constexpr int packs = small / static_cast<int>(lanes);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
      for (int row = 0; row < small; ++row) {
        pack sums[packs];
        for (pack& each : sums) each = pack(0.0f);
        for (int k = 0; k < small; ++k)
          for (int j = 0; j < packs; ++j)
            sums[j] = xsimd::fma(pack(p.data()[(i * small + row) * small + k]),
                                 load(q.data() + (i * small + k) * small + j * static_cast<int>(lanes)), sums[j]);
        for (int j = 0; j < packs; ++j)
          sums[j].store_unaligned(z + (i * small + row) * small + j * static_cast<int>(lanes));
      }
  });
}

/// The cost of scores (rows, classes) for labels, in whose place their gradients are put.
inline float cross_entropy(float* scores, const std::int64_t* label, int rows) {
  float cost = 0;
  for (int i = 0; i < rows; ++i) {
    float* const s = scores + i * classes;
    const float most = *std::max_element(s, s + classes);
    float sum = 0;
    cost -= s[label[i]] - most;
    for (int j = 0; j < classes; ++j) sum += s[j] = std::exp(s[j] - most);
    cost += std::log(sum);
    for (int j = 0; j < classes; ++j) s[j] = s[j] / sum / static_cast<float>(rows);
    s[label[i]] -= 1.0f / static_cast<float>(rows);
  }
  return cost / static_cast<float>(rows);
}

inline void add_steps() {
  for (const int rows : {128, 16}) {
    const auto x = numbers<2>({rows, inputs}, 3);
    const auto label = integers(rows, classes);
    const buffer W = copy_of(numbers<2>({inputs, hidden}, 1, 0.05)), b = room(hidden),
                 V = copy_of(numbers<2>({hidden, classes}, 2, 0.05)), h = room(rows * hidden), s = room(rows * classes),
                 back = room(rows * hidden), dV = room(hidden * classes);
    add_code("step of a network, batch " + std::to_string(rows) + "/by hand", 1, [=](float* z) {
      multiply(false, false, rows, hidden, inputs, x.data(), W->data(), h->data());
#pragma omp parallel for
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < hidden; ++j)
          h->data()[i * hidden + j] = std::max(0.0f, h->data()[i * hidden + j] + b->data()[j]);
      multiply(false, false, rows, classes, hidden, h->data(), V->data(), s->data());
      z[0] = cross_entropy(s->data(), label.data(), rows);
      multiply(false, true, rows, hidden, classes, s->data(), V->data(), back->data());
      multiply(true, false, hidden, classes, rows, h->data(), s->data(), V->data(), -rate, 1);
#pragma omp parallel for
      for (int i = 0; i < rows * hidden; ++i)
        if (!(h->data()[i] > 0)) back->data()[i] = 0;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < hidden; ++j) b->data()[j] -= rate * back->data()[i * hidden + j];
      multiply(true, false, inputs, hidden, rows, x.data(), back->data(), W->data(), -rate, 1);
    });
  }
  {
    const auto x = numbers<2>({observations, inputs}, 3);
    const auto y = kinds();
    const buffer w = copy_of(numbers<1>({inputs}, 1, 0.1)), score = room(observations);
    add_code("step of logistic regression/by hand", 1, [=](float* z) {
      cblas_sgemv(CblasRowMajor, CblasNoTrans, observations, inputs, 1, x.data(), inputs, w->data(), 1, 0,
                  score->data(), 1);
      float cost = 0;
#pragma omp parallel for reduction(+ : cost)
      for (std::int64_t i = 0; i < observations; i += lanes) {
        const pack s = load(score->data() + i), kind = load(y.data() + i), e = xsimd::exp(-xsimd::abs(s));
        cost += sum_of(xsimd::max(s, pack(0.0f)) + xsimd::log1p(e) - kind * s);
        const pack chance = xsimd::select(s > 0.0f, pack(1.0f), e) / (1.0f + e);
        ((chance - kind) / static_cast<float>(observations)).store_unaligned(score->data() + i);
      }
      z[0] = cost / observations;
      cblas_sgemv(CblasRowMajor, CblasTrans, observations, inputs, -rate, x.data(), inputs, score->data(), 1, 1,
                  w->data(), 1);
    });
  }
  {
    const auto gradient = numbers<1>({trained}, 2);
    const buffer w = copy_of(numbers<1>({trained}, 1)), m = room(trained), v = room(trained);
    add_code("Adam on 10^7 parameters/by hand", 1, [=, t = std::make_shared<int>(0)](float* z) {
      const float by_m = 1 / (1 - std::pow(0.9f, static_cast<float>(++*t))),
                  by_v = 1 / (1 - std::pow(0.999f, static_cast<float>(*t)));
      z[0] = w->front();
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < trained; i += lanes) {
        const pack g = load(gradient.data() + i), first = 0.9f * load(m->data() + i) + 0.1f * g,
                   second = 0.999f * load(v->data() + i) + 0.001f * g * g;
        first.store_unaligned(m->data() + i);
        second.store_unaligned(v->data() + i);
        (load(w->data() + i) - rate * (first * by_m) / (xsimd::sqrt(second * by_v) + 1e-8f))
            .store_unaligned(w->data() + i);
      }
    });
  }
  {
    constexpr int looked_up = 4096, deep = 64;
    const auto at = integers(looked_up, words);
    const auto x = numbers<2>({looked_up, deep}, 3);
    const buffer W = copy_of(numbers<2>({words, deep}, 1)), slopes = room(looked_up * deep);
    add_code("step of an embedding/by hand", 1, [=](float* z) {
      pack sum(0.0f);
      for (int i = 0; i < looked_up; ++i)
        for (int j = 0; j < deep; j += static_cast<int>(lanes)) {
          const pack off = load(W->data() + at(i) * deep + j) - load(x.data() + i * deep + j);
          sum += off * off;
          (off * (2.0f / (looked_up * deep))).store_unaligned(slopes->data() + i * deep + j);
        }
      for (int i = 0; i < looked_up; ++i)
        for (int j = 0; j < deep; j += static_cast<int>(lanes))
          (load(W->data() + at(i) * deep + j) - rate * load(slopes->data() + i * deep + j))
              .store_unaligned(W->data() + at(i) * deep + j);
      z[0] = sum_of(sum) / (looked_up * deep);
    });
  }
}

inline void add_prices() {
  const auto of = market();
  add_code("Black-Scholes and five greeks/by hand", options, [of](float* z) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < options; i += lanes) {
      const pack spot = load(of[0].data() + i), strike = load(of[1].data() + i), time = load(of[2].data() + i),
                 interest = load(of[3].data() + i), volatility = load(of[4].data() + i);
      const pack root = xsimd::sqrt(time), deviation = volatility * root;
      const pack d = (xsimd::log(spot / strike) + (interest + 0.5f * volatility * volatility) * time) / deviation;
      const pack below = 0.5f * xsimd::erfc(d * -0.70710678f),
                 discounted =
                     strike * xsimd::exp(-interest * time) * (0.5f * xsimd::erfc((d - deviation) * -0.70710678f));
      const pack density = 0.39894228f * xsimd::exp(-0.5f * d * d);
      const pack price = spot * below - discounted, gamma = density / (spot * deviation), vega = spot * density * root,
                 by_time = 0.5f * spot * density * volatility / root + interest * discounted, rho = time * discounted;
      (price + below + gamma + vega + by_time + rho).store_unaligned(z + i);
    }
  });
}

inline void add_recurrent() {
  const auto x = numbers<3>({length, batch, features}, 1);
  const auto W = numbers<2>({features, width}, 2, 0.1), U = numbers<2>({width, width}, 3, 0.1);
  const auto b = numbers<1>({width}, 4, 0.1);
  const auto begin = numbers<2>({batch, width}, 5);
  constexpr int state = batch * width;
  const buffer h = room((length + 1) * state), slopes = room(length * state), dh = room(state),
               dW = room(features * width), dU = room(width * width);
  add_code("recurrent network with gradients/by hand", width, [=](float* z) {
    std::copy_n(begin.data(), state, h->data());
    multiply(false, false, length * batch, width, features, x.data(), W.data(), h->data() + state);
    for (int t = 0; t < length; ++t) {
      float* const next = h->data() + (t + 1) * state;
      multiply(false, false, batch, width, width, h->data() + t * state, U.data(), next, 1, 1);
      for (int i = 0; i < state; i += static_cast<int>(lanes))
        xsimd::tanh(load(next + i) + load(b.data() + i % width)).store_unaligned(next + i);
    }
    const float* const last = h->data() + length * state;
    for (int i = 0; i < state; ++i) dh->data()[i] = 2 * last[i];
    for (int t = length; t-- > 0;) {
      const float* const now = h->data() + (t + 1) * state;
      float* const slope = slopes->data() + t * state;
      for (int i = 0; i < state; ++i) slope[i] = dh->data()[i] * (1 - now[i] * now[i]);
      if (t > 0) multiply(false, true, batch, width, width, slope, U.data(), dh->data());
    }
    multiply(true, false, features, width, length * batch, x.data(), slopes->data(), dW->data());
    multiply(true, false, width, width, length * batch, h->data(), slopes->data(), dU->data());
    std::fill_n(z, width, 0.0f);
    const auto add_rows = [&](const buffer& from, int rows) {
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < width; ++j) z[j] += from->data()[i * width + j];
    };
    add_rows(slopes, length * batch);
    add_rows(dW, features);
    add_rows(dU, width);
  });
}

/// Patches of all positions as columns, one product, and the largest of each four.
inline void add_convolution() {
  const auto x = numbers<3>({images, picture, picture}, 1);
  const auto label = integers(images, classes);
  constexpr int taps = kernel * kernel, places = images * convolved * convolved, kept = pooled * pooled * channels;
  const buffer K = copy_of(numbers<2>({taps, channels}, 2, 0.2)), c = room(channels),
               V = copy_of(numbers<2>({kept, classes}, 4, 0.05)), patches = room(taps * places),
               y = room(places * channels), p = room(images * kept), s = room(images * classes),
               dp = room(images * kept), dy = room(places * channels);
  add_code("step of a convolutional network/by hand", 1, [=](float* z) {
#pragma omp parallel for
    for (int tap = 0; tap < taps; ++tap)
      for (int i = 0; i < images * convolved; ++i)
        std::copy_n(x.data() + (i / convolved * picture + i % convolved + tap / kernel) * picture + tap % kernel,
                    convolved, patches->data() + tap * places + i * convolved);
    multiply(true, false, places, channels, taps, patches->data(), K->data(), y->data());
    const auto at = [](int image, int i, int j, int channel) {
      return ((image * convolved + i) * convolved + j) * channels + channel;
    };
#pragma omp parallel for
    for (int image = 0; image < images; ++image)
      for (int i = 0; i < pooled; ++i)
        for (int j = 0; j < pooled; ++j)
          for (int k = 0; k < channels; ++k) {
            const float* const of = y->data();
            const float most =
                std::max(std::max(of[at(image, 2 * i, 2 * j, k)], of[at(image, 2 * i, 2 * j + 1, k)]),
                         std::max(of[at(image, 2 * i + 1, 2 * j, k)], of[at(image, 2 * i + 1, 2 * j + 1, k)]));
            p->data()[image * kept + (i * pooled + j) * channels + k] = std::max(0.0f, most + c->data()[k]);
          }
    multiply(false, false, images, classes, kept, p->data(), V->data(), s->data());
    z[0] = cross_entropy(s->data(), label.data(), images);
    multiply(false, true, images, kept, classes, s->data(), V->data(), dp->data());
    multiply(true, false, kept, classes, images, p->data(), s->data(), V->data(), -rate, 1);
#pragma omp parallel for
    for (int image = 0; image < images; ++image)
      for (int i = 0; i < convolved; ++i)
        for (int j = 0; j < convolved; ++j)
          for (int k = 0; k < channels; ++k) {
            const int from = image * kept + (i / 2 * pooled + j / 2) * channels + k, here = at(image, i, j, k);
            const bool is_largest = p->data()[from] > 0 && y->data()[here] + c->data()[k] == p->data()[from];
            dy->data()[here] = is_largest ? dp->data()[from] : 0;
          }
    for (int i = 0; i < places; ++i)
      for (int k = 0; k < channels; ++k) c->data()[k] -= rate * dy->data()[i * channels + k];
    multiply(false, false, taps, channels, places, patches->data(), dy->data(), K->data(), -rate, 1);
  });
}

inline void add() {
  add_maps();
  add_rows();
  add_products();
  add_steps();
  add_prices();
  add_recurrent();
  add_convolution();
}

}  // namespace peers::by_hand
