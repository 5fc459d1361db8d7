#include <algorithm>
#include <cmath>
#include <numeric>

#include "layout/spec.hpp"
#include "search/exchange.hpp"
#include "search/search.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

enum class Exchange { states, labels, none };

// Parallel tempering: one rung a replica, deterministic even-odd exchange after every round, the ladder
// re-spaced from its rejection counts. `exchange=labels` moves temperatures instead of states,
// `exchange=none` leaves the rungs independent: the control arms. The energy's table is common to the ladder.
class Tempering : public Search {
 public:
  explicit Tempering(Spec& spec)
      : exchange_(parse_exchange(spec.text("exchange", "states"))),
        lower_(spec.real("lower", 0.4, 0.0, 1.0)),
        lower_hot_(spec.real("lower_hot", 3.0, 0.0, 1000.0)),
        lower_cold_(spec.real("lower_cold", 0.3, 0.0, 1000.0)),
        power_(spec.real("power", 1.0, 0.01, 16.0)),
        slope_(spec.real("slope", 0.01, 0.0, 1.0)),
        hot_(spec.real("hot", 1.0, 1e-4, 1000.0)),
        cold_(spec.real("cold", 0.05, 1e-4, 1000.0)),
        respace_(spec.integer("respace", 50, 0, 1000000)) {
    spec.finish();
    if (hot_ < cold_) throw usage_error("search: hot must be at least cold");
  }

  void run(Driver& driver, SolveResult& result) override {
    const std::vector<std::int64_t> linear = linear_table(driver.input().graph.m());
    const int rungs = driver.population().size();
    if (lower_ > 0) {
      driver.begin_stage("lower", lower_);
      while (driver.next()) {
        RoundPlan plan{to_fixed(lower_hot_ * std::pow(lower_cold_ / lower_hot_, driver.progress())), 0};
        driver.run(
            plan, EnergyKind::table,
            [&](const RoundPlan& p) {
              return std::vector<std::int64_t>(static_cast<std::size_t>(rungs), p.temperature);
            },
            [&](const RoundPlan&) -> const std::vector<std::int64_t>& { return linear; });
      }
    }
    if (driver.begin_stage("tempering", 1.0)) start(rungs);
    while (driver.next()) {
      RoundPlan plan{ladder_.front(), std::max<std::int64_t>(driver.present_K(), 1)};
      driver.run(
          plan, EnergyKind::table, [&](const RoundPlan&) { return slot_temperatures(); },
          [&](const RoundPlan& p) -> const std::vector<std::int64_t>& {
            return table(driver.input().graph.m(), p.table_K);
          });
      if (driver.ended()) break;
      watch_ends();
      exchange_neighbours(driver, table(driver.input().graph.m(), plan.table_K));
      if (respace_ > 0 && ++rounds_ % respace_ == 0) respace();
    }
    report(result);
  }

  void save(ByteWriter& state) const override {
    state.put(rounds_);
    state.put(ladder_);
    state.put(slot_of_rung_);
    state.put(trips_);
    state.put(rows_);
    for (const auto* counts : {&attempts_, &rejections_, &visits_, &hot_visits_}) state.put(*counts);
  }
  void restore(ByteReader& state) override {
    state.get(rounds_);
    state.get(ladder_);
    state.get(slot_of_rung_);
    state.get(trips_);
    state.get(rows_);
    for (auto* counts : {&attempts_, &rejections_, &visits_, &hot_visits_}) state.get(*counts);
  }

 private:
  static Exchange parse_exchange(const std::string& text) {
    if (text == "states") return Exchange::states;
    if (text == "labels") return Exchange::labels;
    if (text == "none") return Exchange::none;
    throw usage_error("search: exchange must be states, labels or none, not '" + text + "'");
  }

  void start(int rungs) {
    ladder_ = geometric_ladder(cold_, hot_, rungs);
    slot_of_rung_.resize(static_cast<std::size_t>(rungs));
    std::iota(slot_of_rung_.begin(), slot_of_rung_.end(), 0);
    rows_.assign(static_cast<std::size_t>(rungs), {});
    attempts_.assign(static_cast<std::size_t>(std::max(rungs - 1, 0)), 0);
    rejections_ = attempts_;
    visits_.assign(static_cast<std::size_t>(rungs), 0);
    hot_visits_ = visits_;
    trips_.assign(static_cast<std::size_t>(rungs), {});
  }

  const std::vector<std::int64_t>& table(std::int64_t m, std::int64_t K) {
    if (K != table_K_) {
      table_ = power_table(m, K, power_ * static_cast<double>(K) + kPowerBase, slope_);
      table_K_ = K;
    }
    return table_;
  }

  std::vector<std::int64_t> slot_temperatures() const {
    std::vector<std::int64_t> temperatures(ladder_.size());
    for (std::size_t rung = 0; rung < ladder_.size(); ++rung)
      temperatures[static_cast<std::size_t>(slot_of_rung_[rung])] = ladder_[rung];
    return temperatures;
  }

  void watch_ends() {
    for (std::size_t rung = 0; rung < ladder_.size(); ++rung) {
      Trips& trips = trips_[static_cast<std::size_t>(slot_of_rung_[rung])];
      if (rung + 1 == ladder_.size()) trips.last_end = 1;
      if (rung == 0) {
        if (trips.last_end == 1) ++trips.round_trips;
        trips.last_end = -1;
      }
      if (trips.last_end != 0) ++visits_[rung];
      if (trips.last_end == 1) ++hot_visits_[rung];
    }
  }

  void exchange_neighbours(Driver& driver, const std::vector<std::int64_t>& table) {
    if (exchange_ == Exchange::none) return;
    Population& population = driver.population();
    const std::vector<std::int64_t> energies = population.energies(table);
    const StreamKey key = driver.key(Purpose::exchange);
    const std::int64_t round = driver.round_index();
    const int parity = static_cast<int>(round & 1);
    std::vector<std::int64_t> of_rung(ladder_.size());
    for (std::size_t rung = 0; rung < ladder_.size(); ++rung)
      of_rung[rung] = energies[static_cast<std::size_t>(slot_of_rung_[rung])];
    for (int i = parity; i + 1 < static_cast<int>(ladder_.size()); i += 2) {
      const auto low = static_cast<std::size_t>(i), high = low + 1;
      const bool accepted =
          accept_exchange(key, round, i, ladder_[low], ladder_[high], of_rung[low], of_rung[high]);
      ++attempts_[low];
      rejections_[low] += accepted ? 0 : 1;
      RungTelemetry& row = rows_[low];
      (parity == 0 ? row.attempts_even : row.attempts_odd) += 1;
      (parity == 0 ? row.accepts_even : row.accepts_odd) += accepted ? 1 : 0;
      if (!accepted) continue;
      if (exchange_ == Exchange::states) {
        population.swap(slot_of_rung_[low], slot_of_rung_[high]);
        std::swap(trips_[static_cast<std::size_t>(slot_of_rung_[low])],
                  trips_[static_cast<std::size_t>(slot_of_rung_[high])]);
      } else {
        std::swap(slot_of_rung_[low], slot_of_rung_[high]);
      }
    }
  }

  void respace() {
    ladder_ = respace_ladder(ladder_, attempts_, rejections_);
    std::fill(attempts_.begin(), attempts_.end(), 0);
    std::fill(rejections_.begin(), rejections_.end(), 0);
  }

  void report(SolveResult& result) {
    for (std::size_t rung = 0; rung < rows_.size(); ++rung) {
      RungTelemetry row = rows_[rung];
      row.rung = static_cast<std::int64_t>(rung);
      row.temperature = from_fixed(ladder_[rung]);
      const std::int64_t attempts = row.attempts_even + row.attempts_odd,
                         accepts = row.accepts_even + row.accepts_odd;
      row.rejection_rate =
          attempts > 0 ? static_cast<double>(attempts - accepts) / static_cast<double>(attempts) : 0.0;
      row.hot_fraction = visits_[rung] > 0
                             ? static_cast<double>(hot_visits_[rung]) / static_cast<double>(visits_[rung])
                             : 0.0;
      row.round_trips = trips_[static_cast<std::size_t>(slot_of_rung_[rung])].round_trips;
      result.exchanges_attempted += attempts;
      result.exchanges_accepted += accepts;
      result.round_trips += row.round_trips;
      result.rungs.push_back(row);
    }
  }

  // Of the state in a slot.
  struct Trips {
    std::int64_t last_end = 0;  // +1 last seen at the hot end, -1 at the cold end, 0 neither
    std::int64_t round_trips = 0;
  };

  Exchange exchange_;
  double lower_, lower_hot_, lower_cold_, power_, slope_, hot_, cold_;
  std::int64_t respace_, rounds_ = 0;
  std::vector<std::int64_t> ladder_, table_;
  std::int64_t table_K_ = -1;
  std::vector<int> slot_of_rung_;
  std::vector<Trips> trips_;
  std::vector<RungTelemetry> rows_;
  std::vector<std::int64_t> attempts_, rejections_, visits_, hot_visits_;
};

}  // namespace

std::unique_ptr<Search> make_tempering(Spec& spec) {
  return std::make_unique<Tempering>(spec);
}

}  // namespace lcn
