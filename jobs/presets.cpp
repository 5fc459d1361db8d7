#include "jobs/presets.hpp"

namespace lcn {

void add_solve_presets(OptionTable& table) {
  table.preset({"quick", "a first look", {{"time", "5s"}, {"seeds", "1"}}});
  table.preset({"contest", "the best drawing that a deadline allows", {{"time", "10m"}, {"seeds", "1..4"}}});
  // A budget of steps repeats bit for bit on every machine; ten repetitions are what a paired test needs at
  // least.
  table.preset({"study", "repeatable comparisons", {{"steps", "100000"}, {"seeds", "1..10"}}});
}

}  // namespace lcn
