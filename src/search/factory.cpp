#include "layout/spec.hpp"
#include "search/search.hpp"
#include "support/error.hpp"

namespace lcn {

const std::vector<SearchInfo>& searches() {
  static const std::string cooling =
      "lower=0.4,lower_hot=3,lower_cold=0.3,energy=table|tuple,power=1,slope=0.01,hot=2,cold=0.05,"
      "cycles=1,growth=2";
  static const std::vector<SearchInfo> list{
      {"annealing",
       "simulated annealing of independent replicas (the control arm of population and tempering)", cooling},
      {"population", "population annealing: all replicas cool together and are resampled between rounds",
       "resample=truncation|boltzmann|none,every=10,islands=1,elite=0," + cooling},
      {"tempering", "parallel tempering on a ladder of temperatures, one rung a replica",
       "exchange=states|labels|none,respace=50,lower=0.4,lower_hot=3,lower_cold=0.3,power=1,slope=0.01,hot=1,"
       "cold=0.05"},
  };
  return list;
}

std::unique_ptr<Search> make_search(const std::string& text) {
  Spec spec = Spec::parse(text);
  if (spec.name() == "annealing" || spec.name() == "population") return make_annealing(spec);
  if (spec.name() == "tempering") return make_tempering(spec);
  throw usage_error("unknown search '" + spec.name() + "' (known: annealing, population, tempering)");
}

}  // namespace lcn
