#include "stats/paired_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "random/stream.hpp"
#include "stats/holm.hpp"
#include "stats/sample_size.hpp"
#include "stats/sign_test.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

constexpr double kPower = 0.8, kShiftOfK = 1;

void count(WinsAndLosses& tally, int winner) {
  ++(winner > 0 ? tally.wins : winner < 0 ? tally.losses : tally.ties);
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double mean = 0, sum = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

struct Differences {
  std::vector<double> K, area;
  std::int64_t informative = 0;  // pairs with a result on at least one side
};

Differences differences_of(const PairedInstance& instance) {
  Differences differences;
  for (const StudyPair& pair : instance.pairs) {
    differences.area.push_back(pair.tried.area - pair.baseline.area);
    differences.informative += pair.tried.has_result || pair.baseline.has_result;
    if (pair.tried.has_result && pair.baseline.has_result)
      differences.K.push_back(static_cast<double>(pair.tried.tuple.K - pair.baseline.tuple.K));
  }
  return differences;
}

class Comparer {
 public:
  Comparer(const std::vector<PairedConfiguration>& configurations, const StudyRule& rule,
           std::uint64_t root_seed)
      : configurations_(configurations), rule_(rule), root_seed_(root_seed) {}

  std::vector<StudyComparison> run() {
    for (const PairedConfiguration& configuration : configurations_) compare(configuration);
    adjust();
    for (StudyComparison& comparison : comparisons_) decide(comparison);
    return std::move(comparisons_);
  }

 private:
  MedianDifference bootstrap(const std::vector<std::vector<double>>& strata, const std::string& name) const {
    return median_difference(strata, 1 - rule_.alpha,
                             derive_key({root_seed_, {}, 0}, Purpose::bootstrap, name));
  }

  void compare(const PairedConfiguration& configuration) {
    StudyComparison whole;
    whole.name = configuration.name;
    std::vector<std::vector<double>> all_K, all_areas;
    for (const PairedInstance& instance : configuration.instances) {
      const Differences differences = differences_of(instance);
      whole.instances.push_back(compare(instance, differences, configuration.name + "/" + instance.name));
      for (const StudyPair& pair : instance.pairs) count(whole.tuples, winner(pair));
      whole.informative += differences.informative;
      if (!differences.K.empty()) all_K.push_back(differences.K);
      if (differences.informative > 0) all_areas.push_back(differences.area);
    }
    whole.tuples.p = sign_test(whole.tuples.wins, whole.tuples.losses);
    if (!all_K.empty()) whole.K = bootstrap(all_K, configuration.name + "//K");
    if (!all_areas.empty()) whole.area = bootstrap(all_areas, configuration.name + "//area");
    comparisons_.push_back(std::move(whole));
  }

  InstanceComparison compare(const PairedInstance& instance, const Differences& differences,
                             const std::string& name) const {
    InstanceComparison result;
    result.name = instance.name;
    for (const StudyPair& pair : instance.pairs) {
      count(result.tuples, winner(pair));
      count(result.successes, int{pair.tried.reached} - int{pair.baseline.reached});
    }
    result.tuples.p = sign_test(result.tuples.wins, result.tuples.losses);
    result.successes.p = result.successes.p_adjusted =
        sign_test(result.successes.wins, result.successes.losses);
    result.pairs_with_K = static_cast<std::int64_t>(differences.K.size());
    if (!differences.K.empty()) result.K = bootstrap({differences.K}, name + "/K");
    result.K_test = signed_rank(differences.K);
    result.K_deviation = deviation(differences.K);
    const double tests = static_cast<double>(configurations_.size() * configurations_[0].instances.size());
    result.pairs_needed = pairs_needed(result.K_deviation, kShiftOfK, rule_.alpha / tests, kPower);
    if (differences.informative > 0) result.area = bootstrap({differences.area}, name + "/area");
    return result;
  }

  void adjust() {
    std::vector<double> whole, tuples, K;
    for (const StudyComparison& comparison : comparisons_) {
      whole.push_back(comparison.tuples.p);
      for (const InstanceComparison& instance : comparison.instances) {
        tuples.push_back(instance.tuples.p);
        K.push_back(instance.K_test.p);
      }
    }
    whole = holm_adjusted(whole), tuples = holm_adjusted(tuples), K = holm_adjusted(K);
    std::size_t at = 0;
    for (std::size_t c = 0; c < comparisons_.size(); ++c) {
      comparisons_[c].tuples.p_adjusted = whole[c];
      for (InstanceComparison& instance : comparisons_[c].instances) {
        instance.tuples.p_adjusted = tuples[at];
        instance.K_p_adjusted = K[at++];
      }
    }
  }

  void decide(StudyComparison& comparison) const {
    const WinsAndLosses& t = comparison.tuples;
    comparison.reason =
        fmt::format("{}, {}, {}; p = {:.2g} adjusted, effect {:+.2f}", plural(t.wins, "win"),
                    plural(t.losses, "loss", "losses"), plural(t.ties, "tie"), t.p_adjusted, t.effect());
    const std::int64_t needed = std::max(
        rule_.minimum_pairs, fewest_decisive_pairs(rule_.alpha / static_cast<double>(comparisons_.size())));
    if (comparison.informative < needed) {
      comparison.verdict = Verdict::insufficient_evidence;
      comparison.reason += fmt::format(" ({} with a result, the rule asks for {})",
                                       plural(comparison.informative, "pair"), needed);
      return;
    }
    comparison.verdict = Verdict::no_difference_shown;
    if (t.p_adjusted > rule_.alpha) {
      comparison.reason += fmt::format(" (p is above {})", rule_.alpha);
      return;
    }
    if (std::abs(t.effect()) < rule_.minimum_effect) {
      comparison.reason += fmt::format(" (the effect is below {})", rule_.minimum_effect);
      return;
    }
    const bool better = t.wins > t.losses;
    for (const InstanceComparison& instance : comparison.instances)
      if (instance.tuples.p_adjusted <= rule_.alpha &&
          (instance.tuples.wins > instance.tuples.losses) != better) {
        comparison.reason += fmt::format(" (but {} alone shows the opposite)", instance.name);
        return;
      }
    comparison.verdict = better ? Verdict::better : Verdict::worse;
  }

  const std::vector<PairedConfiguration>& configurations_;
  const StudyRule& rule_;
  std::uint64_t root_seed_;
  std::vector<StudyComparison> comparisons_;
};

}  // namespace

int winner(const StudyPair& pair) {
  const auto& [tried, baseline] = pair;
  if (!tried.has_result || !baseline.has_result) return int{tried.has_result} - int{baseline.has_result};
  if (tried.optimal && baseline.optimal) return 0;
  return tried.tuple < baseline.tuple ? 1 : baseline.tuple < tried.tuple ? -1 : 0;
}

double WinsAndLosses::effect() const {
  return pairs() == 0 ? 0 : static_cast<double>(wins - losses) / static_cast<double>(pairs());
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return "BETTER";
    case Verdict::worse:
      return "WORSE";
    case Verdict::no_difference_shown:
      return "NO_DIFFERENCE_SHOWN";
    case Verdict::insufficient_evidence:
      return "INSUFFICIENT_EVIDENCE";
  }
  return "INSUFFICIENT_EVIDENCE";
}

std::vector<StudyComparison> compare_configurations(const std::vector<PairedConfiguration>& configurations,
                                                    const StudyRule& rule, std::uint64_t root_seed) {
  return Comparer(configurations, rule, root_seed).run();
}

}  // namespace lcn
