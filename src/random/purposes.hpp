#pragma once
#include <cstdint>

namespace lcn {

// Every use of random numbers has its own stream. Ids are part of the trajectory contract: never renumber,
// only add.
enum class Purpose : std::uint32_t {
  generate_graph = 1,  // lcn generate
  start_random = 2,    // random start drawing
  start_spectral = 3,  // start vectors of the eigenvalue iteration
  start_snake = 4,     // root choice and order of the BFS snake
  start_fmmm = 5,      // multilevel matching and initial positions
  start_gradient = 6,  // initial positions of the crossing gradient
  admission = 7,       // repair and violation search
  chain = 8,           // proposals and acceptance of a chain
  exchange = 9,        // parallel tempering exchanges, keyed by (round, pair)
  resample = 10,       // population annealing resampling
  restart = 11,        // choice of new starts
  bounds = 12,         // clique search order
  bootstrap = 13,      // confidence intervals
  run_order = 14,      // randomised order of a study's runs
  benchmark = 15,      // workloads of lcn bench
  test = 16,           // tests
};

}  // namespace lcn
