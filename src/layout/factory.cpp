#include <fmt/format.h>

#include "layout/gradient.hpp"
#include "layout/layout.hpp"
#include "layout/providers.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

struct Member {
  StartProviderInfo info;
  std::unique_ptr<StartProvider> (*make)(Spec&);
};

const std::vector<Member>& members() {
  static const std::vector<Member> all = {
      {{"random", "uniform points over the whole grid", ""}, make_random_provider},
      {{"input", "the file's own coordinates", ""}, make_input_provider},
      {{"planar", "drawing without crossings of a planar graph on a (2n - 4) x (n - 2) grid", ""},
       make_planar_provider},
      {{"spectral", "two smallest non-trivial eigenvectors of the degree-normalised Laplacian",
        "iterations=30"},
       make_spectral_provider},
      {{"snake", "BFS order along a snake path, then neighbour averaging", "rounds=50"}, make_snake_provider},
      {{"fmmm", "multilevel force-directed layout",
        "iterations=60,coarse_iterations=300,spring=1,repulsion=1"},
       make_fmmm_provider},
      {{"gradient", "gradient descent on smooth crossing weights", "epochs=700,init=fmmm"},
       make_gradient_provider},
  };
  return all;
}

}  // namespace

std::unique_ptr<StartProvider> make_start_provider(const std::string& text) {
  Spec spec = Spec::parse(text);
  std::string known;
  for (const Member& member : members()) {
    if (member.info.name == spec.name()) {
      std::unique_ptr<StartProvider> provider = member.make(spec);
      spec.finish();
      return provider;
    }
    known += (known.empty() ? "" : ", ") + member.info.name;
  }
  throw usage_error(fmt::format("start: unknown provider {}; the providers are {}", spec.name(), known));
}

const std::vector<StartProviderInfo>& start_providers() {
  static const std::vector<StartProviderInfo> infos = [] {
    std::vector<StartProviderInfo> all;
    for (const Member& member : members()) all.push_back(member.info);
    return all;
  }();
  return infos;
}

}  // namespace lcn
