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
  // What run() has decided so far and needs to go on, for an interrupted unit; restore() comes before run(),
  // which then passes by what its driver says was done.
  virtual void save(ByteWriter& state) const = 0;
  virtual void restore(ByteReader& state) = 0;
};

// src/search/factory.cpp registers annealing, population, tempering. Error(usage) for unknown names, keys and
// values.
std::unique_ptr<Search> make_search(const std::string& spec);

std::unique_ptr<Search> make_annealing(Spec& spec);
std::unique_ptr<Search> make_tempering(Spec& spec);

}  // namespace lcn
