// alone: its globals would trouble other tests of one file.
// Users name their dimensions with short words. That these are global names must not make g++ warn of the library's own
// local names, in templates that are instantiated after them; tests are compiled with -Wshadow as an error.
#include <doctest/doctest.h>
#undef KROTON_SHADOW_WARNINGS
#include <kroton/kroton.hpp>
// after it
#include <kroton/debug/print.hpp>

namespace kt = kroton;

inline constexpr struct a : kt::dim<a> {} a;
inline constexpr struct args : kt::dim<args> {} args;
inline constexpr struct at : kt::dim<at> {} at;
inline constexpr struct axis : kt::dim<axis> {} axis;
inline constexpr struct b : kt::dim<b> {} b;
inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct block : kt::dim<block> {} block;
inline constexpr struct bytes : kt::dim<bytes> {} bytes;
inline constexpr struct c : kt::dim<c> {} c;
inline constexpr struct cols : kt::dim<cols> {} cols;
inline constexpr struct columns : kt::dim<columns> {} columns;
inline constexpr struct count : kt::dim<count> {} count;
inline constexpr struct d : kt::dim<d> {} d;
inline constexpr struct depth : kt::dim<depth> {} depth;
inline constexpr struct e : kt::dim<e> {} e;
inline constexpr struct element : kt::dim<element> {} element;
inline constexpr struct elements : kt::dim<elements> {} elements;
inline constexpr struct extent : kt::dim<extent> {} extent;
inline constexpr struct f : kt::dim<f> {} f;
inline constexpr struct features : kt::dim<features> {} features;
inline constexpr struct first : kt::dim<first> {} first;
inline constexpr struct from : kt::dim<from> {} from;
inline constexpr struct g : kt::dim<g> {} g;
inline constexpr struct group : kt::dim<group> {} group;
inline constexpr struct h : kt::dim<h> {} h;
inline constexpr struct height : kt::dim<height> {} height;
inline constexpr struct i : kt::dim<i> {} i;
inline constexpr struct in : kt::dim<in> {} in;
inline constexpr struct inner : kt::dim<inner> {} inner;
inline constexpr struct input : kt::dim<input> {} input;
inline constexpr struct inputs : kt::dim<inputs> {} inputs;
inline constexpr struct items : kt::dim<items> {} items;
inline constexpr struct j : kt::dim<j> {} j;
inline constexpr struct k : kt::dim<k> {} k;
inline constexpr struct l : kt::dim<l> {} l;
inline constexpr struct label : kt::dim<label> {} label;
inline constexpr struct last : kt::dim<last> {} last;
inline constexpr struct length : kt::dim<length> {} length;
inline constexpr struct line : kt::dim<line> {} line;
inline constexpr struct m : kt::dim<m> {} m;
inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct name : kt::dim<name> {} name;
inline constexpr struct node : kt::dim<node> {} node;
inline constexpr struct nodes : kt::dim<nodes> {} nodes;
inline constexpr struct number : kt::dim<number> {} number;
inline constexpr struct o : kt::dim<o> {} o;
inline constexpr struct offset : kt::dim<offset> {} offset;
inline constexpr struct out : kt::dim<out> {} out;
inline constexpr struct outer : kt::dim<outer> {} outer;
inline constexpr struct output : kt::dim<output> {} output;
inline constexpr struct p : kt::dim<p> {} p;
inline constexpr struct panel : kt::dim<panel> {} panel;
inline constexpr struct part : kt::dim<part> {} part;
inline constexpr struct parts : kt::dim<parts> {} parts;
inline constexpr struct q : kt::dim<q> {} q;
inline constexpr struct r : kt::dim<r> {} r;
inline constexpr struct rank : kt::dim<rank> {} rank;
inline constexpr struct result : kt::dim<result> {} result;
inline constexpr struct row : kt::dim<row> {} row;
inline constexpr struct rows : kt::dim<rows> {} rows;
inline constexpr struct s : kt::dim<s> {} s;
inline constexpr struct samples : kt::dim<samples> {} samples;
inline constexpr struct seed : kt::dim<seed> {} seed;
inline constexpr struct size : kt::dim<size> {} size;
inline constexpr struct source : kt::dim<source> {} source;
inline constexpr struct step : kt::dim<step> {} step;
inline constexpr struct steps : kt::dim<steps> {} steps;
inline constexpr struct stride : kt::dim<stride> {} stride;
inline constexpr struct t : kt::dim<t> {} t;
inline constexpr struct table : kt::dim<table> {} table;
inline constexpr struct text : kt::dim<text> {} text;
inline constexpr struct threads : kt::dim<threads> {} threads;
inline constexpr struct to : kt::dim<to> {} to;
inline constexpr struct total : kt::dim<total> {} total;
inline constexpr struct type : kt::dim<type> {} type;
inline constexpr struct u : kt::dim<u> {} u;
inline constexpr struct units : kt::dim<units> {} units;
inline constexpr struct use : kt::dim<use> {} use;
inline constexpr struct used : kt::dim<used> {} used;
inline constexpr struct v : kt::dim<v> {} v;
inline constexpr struct value : kt::dim<value> {} value;
inline constexpr struct values : kt::dim<values> {} values;
inline constexpr struct w : kt::dim<w> {} w;
inline constexpr struct where : kt::dim<where> {} where;
inline constexpr struct width : kt::dim<width> {} width;
inline constexpr struct x : kt::dim<x> {} x;
inline constexpr struct y : kt::dim<y> {} y;
inline constexpr struct z : kt::dim<z> {} z;

namespace {

struct unit : kt::model {
  using kt::model::model;
  kt::shared<float, 8, 8> W{this, "W", kt::init::he_uniform};
  kt::shared<float, 8> bias{this, "bias", kt::init::normal(0, 1)};
  constexpr auto operator()(kt::var<float, batch, 8> given) const { return given + kt::relu(kt::dot(given, W) + bias); }
};
struct network : kt::model {
  kt::stack<unit, 2> layers{this, "layers"};
  kt::shared<double, 3> unused{this, "unused"};
  kt::shared<std::int64_t> calls{this, "calls"};
  constexpr auto train(kt::var<float, batch, 8> given, kt::var<int, batch> wanted, kt::var<float> rate) const {
    for (const unit& each : layers) given = each(given);
    const auto cost = kt::mean(kt::nn::cross_entropy(given, wanted));
    kt::parameter_list weights = layers[0].parameters();
    return kt::outputs(cost, kt::argmax(given, kt::axis<1>), kt::variance(given, kt::axis<0>))
        .updates(kt::optim::sgd(cost, weights, rate), kt::update(calls, calls + 1));
  }
};

}  // namespace

TEST_CASE("user globals: dimensions of any name") {
  kt::session<network> session{kt::context::host(1), kt::seed{1}};
  auto train = session.compile<&network::train>();
  const std::vector<float> given(32, 0.5F);
  const auto [cost, best, spread] = train(kt::view(given.data(), {4, 8}), std::vector<int>{0, 1, 2, 3}, 0.1F);
  CHECK(static_cast<float>(cost) > 0);
  CHECK(best.extent(0) == 4);
  CHECK(spread.extent(0) == 8);
  CHECK(session.values<&network::calls>()[0] == 1);
  static_assert(kt::peak_bytes<&network::train>(batch(4)) >= 0);
  static_assert(kt::stats<&network::train>().gemms > 0);
}

TEST_CASE("user globals: every kind of kernel") {
  auto many = kt::function([](kt::var<float, n, k> first_one, kt::var<float, k, m> second, kt::var<int, i> positions,
                              kt::var<int> bound, kt::var<float, kt::any> open) {
    const auto product = kt::dot(first_one, second);
    return kt::outputs(
        product, kt::sum(product), kt::sum(product, kt::axis<0>), kt::nn::softmax(product),
        kt::take(first_one, positions), kt::transpose(first_one) * 2, kt::concatenate(kt::axis<0>, open, open),
        open[kt::rows(0, bound)], kt::grad(kt::sum(kt::take(first_one, positions)), first_one),
        kt::grad(kt::sum(kt::log(1 + kt::exp(product))), second), kt::prod(open), kt::max(product, kt::axis<1>),
        kt::where(open > 0, open, 0), kt::cast<int>(open), kt::any(product > 0), kt::one_hot<5>(positions),
        kt::reshape<n, k>(first_one) + 1, kt::pow(open, open), kt::erf(open), kt::mod(open, 2));
  });
  const std::vector<float> four{1, 2, 3, 4};
  const auto results =
      many(kt::view(four.data(), {2, 2}), kt::view(four.data(), {2, 2}), std::vector<int>{1, 0, 1}, 2, four);
  CHECK(std::get<0>(results)(0, 0) == 7);
  std::ostringstream text_of_it;
  kt::debug::print(many, text_of_it);
  CHECK(text_of_it.str().size() > 100);
}
