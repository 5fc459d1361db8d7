#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crossings/tuple.hpp"
#include "stats/median_difference.hpp"
#include "stats/signed_rank.hpp"

namespace lcn {

// How configurations of a study are compared with its baseline. docs/studies.md states the rule in words.

// One unit as the comparison sees it.
struct StudyOutcome {
  bool has_result = false;  // false: failed or rejected, there is no drawing
  Tuple tuple;              // final, verified
  bool optimal = false;     // K met the proven bound: the unit ended there and looked for nothing better
  bool reached = false;     // the target, within the budget
  double time = 0;          // until then; else the whole budget (censored)
  double area = 0;          // anytime_mean of K
};

// The same instance and seed.
struct StudyPair {
  StudyOutcome tried, baseline;
};

// > 0 when the tried configuration won, < 0 when it lost: by the whole tuple, a result beats a failure, two
// optimal ones and two failures are a tie.
int winner(const StudyPair& pair);

struct PairedInstance {
  std::string name;
  std::vector<StudyPair> pairs;
};

struct PairedConfiguration {
  std::string name;
  std::vector<PairedInstance> instances;
};

// The rule's parameters, fixed before the study runs.
struct StudyRule {
  double alpha = 0.05;              // of all comparisons together
  std::int64_t minimum_pairs = 10;  // with a result on at least one side
  double minimum_effect = 0.1;      // (wins - losses) / pairs
};

enum class Verdict { better, worse, no_difference_shown, insufficient_evidence };
const char* to_string(Verdict verdict);  // "BETTER", ...

struct WinsAndLosses {
  std::int64_t wins = 0, losses = 0, ties = 0;
  double p = 1;           // exact sign test of wins and losses
  double p_adjusted = 1;  // Holm
  std::int64_t pairs() const { return wins + losses + ties; }
  double effect() const;  // (wins - losses) / pairs, -1..1
};

// Differences are tried minus baseline: negative ones are improvements.
struct InstanceComparison {
  std::string name;
  WinsAndLosses tuples;               // Holm over all instances and configurations, as K_p_adjusted
  WinsAndLosses successes;            // pairs in which one side alone reached the target; not adjusted
  std::int64_t pairs_with_K = 0;      // both sides have a result; the next five are of these
  std::optional<MedianDifference> K;  // none without such pairs
  SignedRank K_test;
  double K_p_adjusted = 1;
  double K_deviation = 0;         // standard deviation of the paired differences
  std::int64_t pairs_needed = 0;  // to see a shift of one in K with a power of 0.8 (sample_size.hpp)
  // Of all pairs; none where no unit has a result.
  std::optional<MedianDifference> area;
};

struct StudyComparison {
  std::string name;
  std::vector<InstanceComparison> instances;
  WinsAndLosses tuples;                  // of all pairs; Holm over the configurations
  std::int64_t informative = 0;          // pairs with a result on at least one side
  std::optional<MedianDifference> K;     // mean over the instances that have one of the median difference
  std::optional<MedianDifference> area;  // likewise
  Verdict verdict = Verdict::insufficient_evidence;
  std::string reason;  // the rule's inputs in words
};

// Every configuration has the same instances, each with at least one pair. Deterministic in its arguments;
// intervals have confidence 1 - alpha and streams of their own for each configuration and instance.
std::vector<StudyComparison> compare_configurations(const std::vector<PairedConfiguration>& configurations,
                                                    const StudyRule& rule, std::uint64_t root_seed);

}  // namespace lcn
