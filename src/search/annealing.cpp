#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "layout/spec.hpp"
#include "search/resampling.hpp"
#include "search/search.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

// Simulated annealing of all replicas at one falling temperature. First the plain number of crossings is
// lowered ("lower"), then the load is balanced ("balance-1", "balance-2", ...) with a weight table around the
// present K or with the tuple itself. Between rounds a population may be resampled; without resampling the
// replicas are independent chains.
class Annealing : public Search {
 public:
  explicit Annealing(Spec& spec)
      : resampling_(
            parse_resampling(spec.text("resample", spec.name() == "population" ? "truncation" : "none"))),
        every_(spec.integer("every", 10, 1, 100000)),
        islands_(static_cast<int>(spec.integer("islands", 1, 1, 100000))),
        elite_(spec.integer("elite", 0, 0, 100000)),
        lower_(spec.real("lower", 0.4, 0.0, 1.0)),
        lower_hot_(spec.real("lower_hot", 3.0, 0.0, 1000.0)),
        lower_cold_(spec.real("lower_cold", 0.3, 0.0, 1000.0)),
        energy_(parse_energy(spec.text("energy", "table"))),
        power_(spec.real("power", 1.0, 0.01, 16.0)),
        slope_(spec.real("slope", 0.01, 0.0, 1.0)),
        hot_(spec.real("hot", 2.0, 0.0, 1000.0)),
        cold_(spec.real("cold", 0.05, 0.0, 1000.0)),
        cycles_(static_cast<int>(spec.integer("cycles", 1, 1, 64))),
        growth_(spec.real("growth", 2.0, 1.0, 16.0)) {
    spec.finish();
    if (energy_ == EnergyKind::tuple && resampling_ == Resampling::boltzmann)
      throw usage_error("search: resample=boltzmann needs energy=table (the tuple is no scalar energy)");
  }

  void run(Driver& driver, SolveResult& result) override {
    const std::int64_t m = driver.input().graph.m();
    const std::vector<std::int64_t> linear = linear_table(m);
    if (lower_ > 0) {
      driver.begin_stage("lower", lower_);
      while (driver.next()) one_round(driver, EnergyKind::table, lower_hot_, lower_cold_, linear, 0);
    }
    double share = 0, total = 0;
    for (int c = 0; c < cycles_; ++c) total += std::pow(growth_, c);
    for (int c = 0; c < cycles_ && !driver.ended(); ++c) {
      share += std::pow(growth_, c) / total;
      const bool begins = driver.begin_stage("balance-" + std::to_string(c + 1),
                                             c + 1 == cycles_ ? 1.0 : lower_ + (1 - lower_) * share);
      if (c > 0 && begins)
        for (int r = 0; r < driver.population().size(); ++r)
          driver.population().restart(r, driver.best_drawing());
      while (driver.next()) one_round(driver, energy_, hot_, cold_, linear, level(driver));
    }
    // What is left of the budget, if stages ended early, is not spent: the driver ends the unit.
    while (driver.next() && driver.input().replay == nullptr)
      one_round(driver, energy_, cold_, cold_, linear, level(driver));
    report(driver, result);
  }

  void save(ByteWriter& state) const override { state.put(last_temperature_); }
  void restore(ByteReader& state) override { state.get(last_temperature_); }

 private:
  static EnergyKind parse_energy(const std::string& text) {
    if (text == "table") return EnergyKind::table;
    if (text == "tuple") return EnergyKind::tuple;
    throw usage_error("search: energy must be table or tuple, not '" + text + "'");
  }

  static std::int64_t level(Driver& driver) { return std::max<std::int64_t>(driver.present_K(), 1); }

  void one_round(Driver& driver, EnergyKind energy, double hot, double cold,
                 const std::vector<std::int64_t>& linear, std::int64_t level) {
    const double temperature = hot > 0 && cold > 0 ? hot * std::pow(cold / hot, driver.progress()) : 0.0;
    RoundPlan plan{to_fixed(temperature), level};
    const auto table = [&](const RoundPlan& p) -> const std::vector<std::int64_t>& {
      if (p.table_K == 0) return linear;
      if (p.table_K != table_K_) {
        table_ = power_table(static_cast<std::int64_t>(linear.size()) - 1, p.table_K,
                             power_ * static_cast<double>(p.table_K) + kPowerBase, slope_);
        table_K_ = p.table_K;
      }
      return table_;
    };
    const int replicas = driver.population().size();
    driver.run(
        plan, energy,
        [&](const RoundPlan& p) {
          return std::vector<std::int64_t>(static_cast<std::size_t>(replicas), p.temperature);
        },
        table);
    if (resampling_ != Resampling::none && driver.round_index() % every_ == 0 && !driver.ended()) {
      resample(driver.population(), resampling_, islands_, driver.key(Purpose::resample),
               driver.round_index(), energy, table(plan), last_temperature_, plan.temperature);
      last_temperature_ = plan.temperature;
    }
    if (last_temperature_ == 0) last_temperature_ = plan.temperature;
    if (elite_ > 0 && driver.round_index() % elite_ == 0 && !driver.ended())
      share_elite(driver.population(), islands_, energy, table(plan));
  }

  void report(Driver& driver, SolveResult& result) const {
    const std::vector<std::int64_t> family = driver.population().families();
    const int replicas = driver.population().size(), islands = std::min(islands_, replicas);
    for (int island = 0; island < islands; ++island) {
      RungTelemetry row;
      row.rung = island;
      std::set<std::int64_t> families;
      for (int r = island_begin(replicas, islands, island); r < island_begin(replicas, islands, island + 1);
           ++r)
        families.insert(family[static_cast<std::size_t>(r)]);
      row.families = static_cast<std::int64_t>(families.size());
      row.temperature = result.schedule.empty() ? 0 : from_fixed(result.schedule.back().temperature);
      result.rungs.push_back(row);
    }
  }

  Resampling resampling_;
  std::int64_t every_;
  int islands_;
  std::int64_t elite_;
  double lower_;
  double lower_hot_, lower_cold_;
  EnergyKind energy_;
  double power_, slope_, hot_, cold_;
  int cycles_;
  double growth_;
  std::vector<std::int64_t> table_;
  std::int64_t table_K_ = -1;
  std::int64_t last_temperature_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_annealing(Spec& spec) {
  return std::make_unique<Annealing>(spec);
}

}  // namespace lcn
