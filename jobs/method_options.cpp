#include "jobs/method_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/solve_inputs.hpp"
#include "layout/layout.hpp"
#include "search/search.hpp"

namespace lcn {
namespace {

void check_start(const std::string& text) {
  if (text == "auto" || WarmStarts::is_warm(text)) return;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t plus = std::min(text.find('+', from), text.size());
    make_start_provider(text.substr(from, plus - from));
    from = plus + 1;
  }
}

void check_search(const std::string& text) {
  if (text != "auto") make_search(text);
}

template <class Info>
std::string member_list(const std::vector<Info>& members) {
  std::string text;
  for (const Info& member : members) {
    text += fmt::format("  {:<12} {}\n", member.name, member.description);
    if (!member.parameters.empty()) text += fmt::format("  {:<12}   {}\n", "", member.parameters);
  }
  return text;
}

}  // namespace

void add_method_options(OptionTable& table) {
  table
      .text("start", "SPEC", "auto", "start drawing: auto, a provider (below), file:PATH or archive:FILE",
            check_start)
      .text("search", "SPEC", "auto", "search: auto or one of those below", check_search)
      .integer("replicas", "", 1, 1'000'000,
               "replicas per unit, in total; when not given 1 on the CPU (more threads than replicas stay "
               "idle), a few per multiprocessor on a GPU");
}

std::string method_list() {
  return fmt::format(
      "Start providers (NAME or NAME:key=value,...; several joined by '+'):\n{}\nSearches:\n{}",
      member_list(start_providers()), member_list(searches()));
}

}  // namespace lcn
