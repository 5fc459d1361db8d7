#include "crossings/tuple.hpp"

#include <fmt/format.h>

namespace lcn {

std::string to_string(const Tuple& t) {
  return fmt::format("({}, {}, {}, {})", t.K, t.n_K, t.Phi, t.C);
}

}  // namespace lcn
