#include "analysis/stochastic_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

// No curve is believed to be surer than this, so that one odd answer proves little.
constexpr long double lapse = 0.004L;
constexpr int scale_count = 14;
// Cells of the belief in one width of the precision asked for.
constexpr long double cells_a_width = 8;
constexpr std::int64_t most_nodes = 100'000;

// log(y * if_yes + (1 - y) * if_no)
long double log_mix(double y, long double if_yes, long double if_no) {
  return portable::log(static_cast<long double>(y) * if_yes +
                       (1 - static_cast<long double>(y)) * if_no);
}

void require(bool holds, const char* message) {
  if (!holds) {
    throw NoAnswer(message);
  }
}

void check(const CrossingOptions& o) {
  require(std::isfinite(o.low) && std::isfinite(o.high) && std::isfinite(o.start),
          "the range of a search must be finite");
  require(o.low < o.high, "the low end of a search must be below its high end");
  require(o.spacing != Spacing::logarithmic || o.low > 0,
          "a search on a logarithmic scale needs a low end above 0");
  require(o.spacing != Spacing::whole ||
              (o.low == std::floor(o.low) && o.high == std::floor(o.high)),
          "the ends of a search among whole numbers must be whole");
  require(o.level >= 0.01 && o.level <= 0.99, "the level must lie from 0.01 to 0.99");
  require(o.spacing == Spacing::whole || (o.precision > 0 && std::isfinite(o.precision)),
          "the precision must be above 0");
  require(o.confidence >= 0.5 && o.confidence < 1,
          "the confidence must lie from 0.5 to below 1");
  require(o.runs_at_once >= 1 && o.most_runs >= 1, "a search needs at least one run");
}

}  // namespace

// Inside, nodes are numbered from the yes side, so that the trend is always falling.
// Crossing j means: nodes below j have at least the level, the others less. A crossing
// may lie outside the nodes, up to `pad_` beyond them.
class CrossingSearch::State {
 public:
  explicit State(const CrossingOptions& options) : options_{options} {
    check(options);
    lay_out_nodes();
    lay_out_curves();
    begin_belief();
    plan();
  }

  const std::optional<Question>& next() const { return question_; }

  void take(std::span<const double> answers) {
    require(question_.has_value(), "the search is over and takes no answers");
    require(static_cast<std::int64_t>(answers.size()) == question_->runs,
            "a search takes as many answers as it asked for");
    for (const double answer : answers) {
      require(answer >= 0 && answer <= 1, "an answer must lie from 0 to 1");
      take_one(asked_, answer);
    }
    runs_ += question_->runs;
    plan();
  }

  Crossing result() const;

 private:
  struct Node {
    std::int64_t runs = 0;
    double sum = 0;
    long double won_on_yes = 0;  // log of the winnings of the bets that were made here
    long double won_on_no = 0;
  };

  void lay_out_nodes() {
    const auto& o = options_;
    long double cells = 0;
    switch (o.spacing) {
      case Spacing::linear:
        cells = (static_cast<long double>(o.high) - o.low) / o.precision * cells_a_width;
        break;
      case Spacing::logarithmic:
        cells = portable::log(static_cast<long double>(o.high) / o.low) / o.precision *
                cells_a_width;
        break;
      case Spacing::whole:
        cells = static_cast<long double>(o.high) - o.low;
        require(cells < static_cast<long double>(most_nodes),
                "a search among whole numbers takes at most 100,000 of them");
        break;
    }
    cells = std::clamp(std::ceil(cells), 1.0L, static_cast<long double>(most_nodes));
    nodes_ = static_cast<std::int64_t>(cells) + 1;
    pad_ = std::max<std::int64_t>(nodes_ / 4, 4);
    width_ = o.spacing == Spacing::whole ? 1 : static_cast<std::int64_t>(cells_a_width);
  }

  // Value of a node.
  double value(std::int64_t node) const {
    const std::int64_t k = options_.trend == Trend::falling ? node : nodes_ - 1 - node;
    if (k <= 0) {
      return options_.low;
    }
    if (k >= nodes_ - 1) {
      return options_.high;
    }
    const long double part =
        static_cast<long double>(k) / static_cast<long double>(nodes_ - 1);
    const long double low = options_.low;
    const long double high = options_.high;
    if (options_.spacing == Spacing::logarithmic) {
      return static_cast<double>(low * portable::exp(part * portable::log(high / low)));
    }
    if (options_.spacing == Spacing::whole) {
      return options_.low + static_cast<double>(k);
    }
    return static_cast<double>(low + part * (high - low));
  }

  // The node nearest to a value.
  std::int64_t node_of(double at) const {
    const long double low = options_.low;
    const long double high = options_.high;
    const long double x = std::clamp(at, options_.low, options_.high);
    const long double part = options_.spacing == Spacing::logarithmic
                                 ? portable::log(x / low) / portable::log(high / low)
                                 : (x - low) / (high - low);
    const std::int64_t k = std::llround(part * static_cast<long double>(nodes_ - 1));
    return options_.trend == Trend::falling ? k : nodes_ - 1 - k;
  }

  // curves_[s][d + offset_]: probability of a yes at a node that lies d before crossing.
  void lay_out_curves() {
    offset_ = nodes_ + pad_;
    const long double level = options_.level;
    const long double inner = (level - lapse) / (1 - 2 * lapse);
    const long double at_level = portable::log(inner / (1 - inner));
    const long double first = 0.3L;
    const long double last = std::max(static_cast<long double>(nodes_) / 2, 2 * first);
    for (int s = 0; s < scale_count; ++s) {
      const long double scale =
          first * portable::exp(portable::log(last / first) *
                                static_cast<long double>(s) / (scale_count - 1));
      std::vector<double>& curve = curves_.emplace_back();
      curve.reserve(static_cast<std::size_t>(2 * offset_ + 1));
      for (std::int64_t d = -offset_; d <= offset_; ++d) {
        const long double z = (static_cast<long double>(d) - 0.5L) / scale + at_level;
        curve.push_back(
            static_cast<double>(lapse + (1 - 2 * lapse) / (1 + portable::exp(-z))));
      }
    }
  }

  // Half of it is near the start, half anywhere.
  void begin_belief() {
    const std::int64_t crossings = nodes_ + 2 * pad_ + 1;
    const std::int64_t middle = node_of(options_.start);
    const long double spread = static_cast<long double>(nodes_) / 16 + 1;
    std::vector<long double> near(static_cast<std::size_t>(crossings));
    long double sum = 0;
    for (std::int64_t c = 0; c < crossings; ++c) {
      const std::int64_t away = std::abs(c - pad_ - middle);
      const long double here = portable::exp(-static_cast<long double>(away) / spread);
      near[static_cast<std::size_t>(c)] = here;
      sum += here;
    }
    std::vector<double> prior(near.size());
    for (std::size_t c = 0; c < prior.size(); ++c) {
      prior[c] = static_cast<double>(
          (near[c] / sum + 1 / static_cast<long double>(crossings)) / (2 * scale_count));
    }
    belief_.assign(scale_count, prior);
  }

  const double* curve_at(int scale, std::int64_t node) const {
    // Crossing c - pad_ lies c - pad_ - node after the node.
    return curves_[static_cast<std::size_t>(scale)].data() + (offset_ - pad_ - node);
  }

  double expected(std::int64_t node) const {
    double sum = 0;
    for (int s = 0; s < scale_count; ++s) {
      const std::vector<double>& belief = belief_[static_cast<std::size_t>(s)];
      const double* curve = curve_at(s, node);
      for (std::size_t c = 0; c < belief.size(); ++c) {
        sum += belief[c] * curve[c];
      }
    }
    return sum;
  }

  void learn(std::int64_t node, double y) {
    double total = 0;
    for (int s = 0; s < scale_count; ++s) {
      std::vector<double>& belief = belief_[static_cast<std::size_t>(s)];
      const double* curve = curve_at(s, node);
      for (std::size_t c = 0; c < belief.size(); ++c) {
        if (y == 1) {
          belief[c] *= curve[c];
        } else if (y == 0) {
          belief[c] *= 1 - curve[c];
        } else {
          const long double p = curve[c];
          belief[c] *= static_cast<double>(
              portable::exp(y * portable::log(p) + (1 - y) * portable::log(1 - p)));
        }
        total += belief[c];
      }
    }
    for (std::vector<double>& belief : belief_) {
      for (double& mass : belief) {
        mass /= total;
      }
    }
  }

  void take_one(std::int64_t node, double y) {
    const long double level = options_.level;
    const long double p = expected(node);
    Node& here = tried_[node];
    if (p > level) {
      here.won_on_yes += log_mix(y, p / level, (1 - p) / (1 - level));
    } else {
      here.won_on_no += log_mix(y, p / level, (1 - p) / (1 - level));
    }
    here.runs += 1;
    here.sum += y;
    learn(node, y);
    prove();
  }

  long double needed() const {
    return -portable::log((1 - static_cast<long double>(options_.confidence)) / 2);
  }
  // Against every crossing at or before `node`: what was won on a yes from there on.
  long double won_on_yes_from(std::int64_t node) const {
    long double sum = 0;
    for (auto at = tried_.lower_bound(node); at != tried_.end(); ++at) {
      sum += at->second.won_on_yes;
    }
    return sum;
  }
  // Against every crossing after `node`.
  long double won_on_no_up_to(std::int64_t node) const {
    long double sum = 0;
    for (auto at = tried_.begin(); at != tried_.upper_bound(node); ++at) {
      sum += at->second.won_on_no;
    }
    return sum;
  }

  // What is proved once stays so.
  void prove() {
    long double sum = 0;
    for (auto at = tried_.rbegin(); at != tried_.rend(); ++at) {
      sum += at->second.won_on_yes;
      if (sum >= needed()) {
        yes_up_to_ = std::max(yes_up_to_, at->first);
        break;
      }
    }
    sum = 0;
    for (const auto& [node, seen] : tried_) {
      sum += seen.won_on_no;
      if (sum >= needed()) {
        no_from_ = std::min(no_from_, node);
        break;
      }
    }
  }

  std::vector<double> belief_in_crossings() const {
    std::vector<double> sum(belief_[0].size(), 0.0);
    for (const std::vector<double>& belief : belief_) {
      for (std::size_t c = 0; c < sum.size(); ++c) {
        sum[c] += belief[c];
      }
    }
    return sum;
  }
  std::int64_t quantile(const std::vector<double>& mass, double p) const {
    double sum = 0;
    for (std::size_t c = 0; c < mass.size(); ++c) {
      sum += mass[c];
      if (sum >= p) {
        return static_cast<std::int64_t>(c) - pad_;
      }
    }
    return nodes_ + pad_;
  }

  std::int64_t clamp_node(std::int64_t node) const {
    return std::clamp<std::int64_t>(node, 0, nodes_ - 1);
  }

  // Runs that bets at `node` are expected to need, beside what is won already.
  double runs_to_prove(std::int64_t node, bool yes) const {
    const long double level = options_.level;
    const long double p = expected(node);
    const long double growth =
        p * portable::log(p / level) + (1 - p) * portable::log((1 - p) / (1 - level));
    const long double won = yes ? won_on_yes_from(node) : won_on_no_up_to(node);
    return growth > 0 && (p > level) == yes
               ? static_cast<double>(std::max(needed() - won, 0.0L) / growth)
               : 1e18;
  }

  // Where to prove a yes, or a no: as near to `middle` as what is left affords, else
  // where it is cheapest; farther from it than a proof that is there already, nowhere.
  std::optional<std::int64_t> node_to_prove(std::int64_t middle,
                                            bool yes,
                                            double affordable) const {
    std::optional<std::int64_t> cheapest;
    double least = 0;
    std::int64_t away = yes ? (width_ + 1) / 2 : width_ / 2;
    for (bool last = false; !last;) {
      std::int64_t node = yes ? middle - away : middle + away;
      last = yes ? node <= 0 : node >= nodes_ - 1;
      node = clamp_node(node);
      if (yes ? node <= yes_up_to_ : node >= no_from_) {
        break;
      }
      const double cost = runs_to_prove(node, yes);
      if (!cheapest || cost < least) {
        cheapest = node;
        least = cost;
      }
      if (cost <= affordable) {
        break;
      }
      away += (away + 2) / 2;
    }
    return cheapest;
  }

  bool precise() const {
    return (yes_up_to_ >= nodes_ - 1) || (no_from_ <= 0) ||
           (yes_up_to_ >= 0 && no_from_ < nodes_ && no_from_ - yes_up_to_ <= width_);
  }

  // What to ask next.
  void plan() {
    question_.reset();
    const std::int64_t left = options_.most_runs - runs_;
    if (left <= 0) {
      return;
    }
    if (precise() || yes_up_to_ >= no_from_) {
      plan_checks();
      return;
    }
    const std::vector<double> mass = belief_in_crossings();
    const std::int64_t middle = quantile(mass, 0.5);
    const std::int64_t spread = quantile(mass, 0.9) - quantile(mass, 0.1);
    const double affordable = static_cast<double>(left) / 2.5;
    const auto yes = node_to_prove(middle, true, affordable);
    const auto no = node_to_prove(middle, false, affordable);
    const std::int64_t reach =
        (yes ? middle - *yes : width_) + (no ? *no - middle : width_);
    if ((spread > reach && 2 * runs_ < options_.most_runs) || (!yes && !no)) {
      asked_ = clamp_node(middle);
    } else if (middle >= nodes_) {  // beyond an end of the range
      asked_ = nodes_ - 1;
    } else if (middle <= 0) {
      asked_ = 0;
    } else {
      // The side that has no proof yet, else where one is cheaper.
      const bool yes_known = yes_up_to_ >= 0;
      const bool no_known = no_from_ < nodes_;
      const bool yes_first = yes && no &&
                             (yes_known != no_known ? no_known
                                                    : runs_to_prove(*yes, true) <=
                                                          runs_to_prove(*no, false));
      const bool yes_side = yes && (!no || yes_first);
      asked_ = yes_side ? *yes : *no;
    }
    ask();
  }

  void ask() {
    question_ =
        Question{.at = value(asked_),
                 .first = runs_,
                 .runs = std::min(options_.runs_at_once, options_.most_runs - runs_)};
  }

  // When the crossing is known: one look into the widest gap on either side of it, where
  // a breach of the trend might hide.
  void plan_checks() {
    if (checks_ > 0) {
      // A surprise is looked at again.
      const Node& seen = tried_.at(asked_);
      const bool yes = seen.sum >= options_.level * static_cast<double>(seen.runs);
      if (yes != (checks_ == 1) && seen.runs < 4 * options_.runs_at_once) {
        ask();
        return;
      }
    }
    while (checks_ < 2) {
      const bool yes_side = checks_++ == 0;
      const std::int64_t to = yes_side ? yes_up_to_ : nodes_ - 1;
      std::int64_t last = yes_side ? 0 : std::max<std::int64_t>(no_from_, 0);
      std::int64_t widest = 1;
      const auto pass = [&](std::int64_t node) {
        if (node - last > widest) {
          widest = node - last;
          asked_ = last + widest / 2;
        }
        last = node;
      };
      for (auto at = tried_.lower_bound(last); at != tried_.end() && at->first <= to;
           ++at) {
        pass(at->first);
      }
      pass(to);
      if (widest > 1) {
        ask();
        return;
      }
    }
  }

  TriedPoint point_of(std::int64_t node, const Node& seen) const {
    return {.at = value(node),
            .runs = seen.runs,
            .mean = seen.sum / static_cast<double>(seen.runs)};
  }
  std::optional<std::pair<TriedPoint, TriedPoint>> breach() const;

  CrossingOptions options_;
  std::int64_t nodes_ = 0;
  std::int64_t pad_ = 0;
  std::int64_t width_ = 1;  // nodes in the width asked for
  std::int64_t offset_ = 0;
  std::vector<std::vector<double>> curves_;
  std::vector<std::vector<double>> belief_;  // [scale][crossing + pad_], sums to 1
  std::map<std::int64_t, Node> tried_;
  std::int64_t runs_ = 0;
  // Proved: the probability is at least the level at this node, less than it at that.
  std::int64_t yes_up_to_ = -1;
  std::int64_t no_from_ = std::int64_t{1} << 40;
  int checks_ = 0;  // of the two sides
  std::int64_t asked_ = 0;
  std::optional<Question> question_;
};

// Neighbouring points are put together: [no, yes) against [yes, end).
std::optional<std::pair<TriedPoint, TriedPoint>> CrossingSearch::State::breach() const {
  double least = 0.0005;
  std::optional<std::pair<TriedPoint, TriedPoint>> found;
  for (auto no = tried_.begin(); no != tried_.end(); ++no) {
    Node before;
    for (auto yes = std::next(no); yes != tried_.end(); ++yes) {
      before.runs += std::prev(yes)->second.runs;
      before.sum += std::prev(yes)->second.sum;
      const TriedPoint first = point_of(no->first, before);
      Node after;
      for (auto end = yes; end != tried_.end() && first.mean < options_.level; ++end) {
        after.runs += end->second.runs;
        after.sum += end->second.sum;
        const TriedPoint second = point_of(yes->first, after);
        if (second.mean < options_.level) {
          continue;
        }
        const double p = fisher_less(
            std::llround(before.sum), first.runs, std::llround(after.sum), second.runs);
        if (p < least) {
          least = p;
          found = {first, second};
        }
      }
    }
  }
  return found;
}

Crossing CrossingSearch::State::result() const {
  Crossing crossing;
  crossing.runs = runs_;
  const std::int64_t middle = quantile(belief_in_crossings(), 0.5);
  const bool yes_known = yes_up_to_ >= 0;
  const bool no_known = no_from_ < nodes_;
  const bool whole = options_.spacing == Spacing::whole;
  // From the yes side: the last yes, and the first no (of whole numbers the one before).
  const std::int64_t from = yes_known ? yes_up_to_ : 0;
  const std::int64_t to =
      std::max(from, no_known ? no_from_ - (whole ? 1 : 0) : nodes_ - 1);
  crossing.estimate =
      value(std::clamp(whole ? middle - 1 : middle, clamp_node(from), clamp_node(to)));
  if (yes_up_to_ >= nodes_ - 1) {
    crossing.at = CrossingAt::all_yes;
    crossing.estimate = value(nodes_ - 1);
  } else if (no_from_ <= 0) {
    crossing.at = CrossingAt::all_no;
    crossing.estimate = value(0);
  }
  const bool falling = options_.trend == Trend::falling;
  const double yes_end = value(clamp_node(from));
  const double no_end = value(clamp_node(to));
  crossing.interval = {.low = std::min(yes_end, no_end),
                       .high = std::max(yes_end, no_end)};
  crossing.bounded_low = falling ? yes_known : no_known;
  crossing.bounded_high = falling ? no_known : yes_known;
  crossing.reached = precise();
  for (const auto& [node, seen] : tried_) {
    crossing.points.push_back(point_of(node, seen));
  }
  if (!falling) {
    std::reverse(crossing.points.begin(), crossing.points.end());
  }
  crossing.breach = breach();
  return crossing;
}

CrossingSearch::CrossingSearch(const CrossingOptions& options)
    : state_{std::make_unique<State>(options)} {}
CrossingSearch::~CrossingSearch() = default;
CrossingSearch::CrossingSearch(CrossingSearch&&) noexcept = default;
CrossingSearch& CrossingSearch::operator=(CrossingSearch&&) noexcept = default;

std::optional<Question> CrossingSearch::next() const {
  return state_->next();
}
void CrossingSearch::take(std::span<const double> answers) {
  state_->take(answers);
}
Crossing CrossingSearch::result() const {
  return state_->result();
}

double fisher_less(std::int64_t successes_1,
                   std::int64_t trials_1,
                   std::int64_t successes_2,
                   std::int64_t trials_2) {
  // Hypergeometric: of all trials, `drawn` are the first sample's.
  const std::int64_t successes = successes_1 + successes_2;
  const auto log_choose = [](std::int64_t n, std::int64_t k) {
    return portable::lgamma(static_cast<long double>(n) + 1) -
           portable::lgamma(static_cast<long double>(k) + 1) -
           portable::lgamma(static_cast<long double>(n - k) + 1);
  };
  const long double all = log_choose(trials_1 + trials_2, successes);
  long double sum = 0;
  for (std::int64_t k = std::max<std::int64_t>(0, successes - trials_2); k <= successes_1;
       ++k) {
    sum += portable::exp(log_choose(trials_1, k) + log_choose(trials_2, successes - k) -
                         all);
  }
  return static_cast<double>(std::min(sum, 1.0L));
}

}  // namespace basin
