#pragma once
#include <memory>
#include <string>
#include <vector>

#include "search/driver.hpp"
#include "search/solve.hpp"

namespace lcn {

class Spec;

// A search: decides temperatures, tables, exchanges and resampling between the rounds of a loaded population.
class Search {
 public:
  virtual ~Search() = default;
  // Runs until driver.ended() or its budget is used; telemetry goes into `result`. All decisions are integers
  // keyed by counters: the same on every backend.
  virtual void run(Driver& driver, SolveResult& result) = 0;
  // How many start drawings a replica can use.
  virtual int starts_per_replica() const { return 1; }
};

// src/search/factory.cpp registers annealing, population, tempering. Error(usage) for unknown names, keys and
// values.
std::unique_ptr<Search> make_search(const std::string& spec);

std::unique_ptr<Search> make_annealing(Spec& spec);
std::unique_ptr<Search> make_tempering(Spec& spec);

}  // namespace lcn
