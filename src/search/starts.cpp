#include "search/starts.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "layout/admission.hpp"
#include "layout/layout.hpp"
#include "support/error.hpp"
#include "support/thread_pool.hpp"

namespace lcn {
namespace {

constexpr double kStartShare = 1.0 / 6.0;     // of a time budget
constexpr const char* kQuickStart = "snake";  // when the time is over before there is any start

std::vector<std::string> split_specs(const std::string& text) {
  std::vector<std::string> specs;
  std::size_t from = 0;
  for (;;) {
    const std::size_t plus = text.find('+', from);
    specs.push_back(text.substr(from, plus == std::string::npos ? plus : plus - from));
    if (plus == std::string::npos) return specs;
    from = plus + 1;
  }
}

Drawing make_start(const SolveInput& input, const StartProvider& provider, std::uint32_t index,
                   const std::function<bool()>& give_up) {
  const LayoutRequest request{input.graph, input.grid, input.input, input.seed, index, give_up};
  return admit(input.graph, input.grid, provider.layout(request), derive_key(input.seed, Purpose::admission))
      .drawing;
}

// Admits every layout; one that finds no valid drawing is replaced by the first that did. Error(unit) when
// none does.
std::vector<Drawing> admit_all(const SolveInput& input, const std::vector<Layout>& layouts, int threads) {
  const StreamKey key = derive_key(input.seed, Purpose::admission);
  std::vector<Drawing> drawings(layouts.size());
  std::vector<std::string> reasons(layouts.size());
  ThreadPool pool(threads);
  pool.for_each(static_cast<int>(layouts.size()), [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    try {
      drawings[at] = admit(input.graph, input.grid, layouts[at], key).drawing;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unit) throw;
      reasons[at] = error.what();
    }
  });
  std::size_t good = 0;
  while (good < layouts.size() && !reasons[good].empty()) ++good;
  if (good == layouts.size())
    throw Error(ErrorKind::unit, "no start drawing: " + (reasons.empty() ? "no layout" : reasons.front()));
  for (std::size_t i = 0; i < layouts.size(); ++i)
    if (!reasons[i].empty()) drawings[i] = drawings[good];
  return drawings;
}

// make_starts, but with LayoutStopped when `give_up` turns true before there is a start.
Starts starts_until(const std::function<bool()>& give_up, const SolveBackend& backend,
                    const SolveInput& input, const SolveOptions& options, int most, const UnitClock& clock,
                    const std::function<bool()>& stop) {
  Starts starts;
  const auto points = static_cast<unsigned __int128>(input.grid.width + 1) *
                      static_cast<unsigned __int128>(input.grid.height + 1);
  if (static_cast<unsigned __int128>(input.graph.n()) > points)
    throw Error(ErrorKind::unit,
                "no start drawing: " + std::to_string(input.graph.n()) + " vertices do not fit on the " +
                    std::to_string(static_cast<std::int64_t>(points)) + " points of the grid");
  most = std::min(most, kMostStarts);
  if (!input.warm_starts.empty()) {
    starts.drawings = input.warm_starts;
    starts.provider = "given";
    return starts;
  }
  std::optional<std::int64_t> recorded;
  if (input.replay && !input.replay->empty() && input.replay->front().stage == -1)
    recorded = input.replay->front().steps;
  if (recorded == 0) throw LayoutStopped();

  std::vector<std::string> names = split_specs(options.start);
  std::vector<std::unique_ptr<StartProvider>> providers;
  for (const std::string& name : names) providers.push_back(make_start_provider(name));

  if (backend.layouts && options.time_limited && providers.size() == 1) {
    int count = static_cast<int>(std::min<std::int64_t>(recorded.value_or(most), kMostStarts));
    if (backend.layouts_within && !recorded)
      count = std::clamp(backend.layouts_within(names.front(), input.graph, kStartShare * options.time), 1,
                         count);
    const LayoutRequest request{input.graph, input.grid, input.input, input.seed, 0, give_up};
    if (const auto layouts = backend.layouts(names.front(), request, count)) {
      starts.drawings =
          admit_all(input, *layouts, backend.host_threads > 0 ? backend.host_threads : options.threads);
      starts.provider = names.front() + " (" + backend.name + ")";
      return starts;
    }
  }

  std::string reasons;
  std::vector<std::string> used;
  std::vector<bool> fails(providers.size(), false);
  for (std::uint32_t round = 0;; ++round) {
    bool any = false;
    for (std::size_t i = 0; i < providers.size(); ++i) {
      const auto made = static_cast<std::int64_t>(starts.drawings.size());
      if (made >= most || (recorded && made >= *recorded)) break;
      if (made > 0 && !recorded && options.time_limited && clock.seconds() > kStartShare * options.time)
        break;
      if (made > 0 && stop && stop()) {
        starts.cut = true;
        break;
      }
      if (fails[i]) continue;
      try {
        starts.drawings.push_back(make_start(input, *providers[i], round, give_up));
        if (round == 0) used.push_back(names[i]);
        any = true;
        if (input.bound.planar && starts.drawings.size() == 1 && names[i].starts_with("planar")) {
          starts.provider = names[i];
          return starts;  // K = 0 already
        }
      } catch (const LayoutStopped&) {
        if (starts.drawings.empty()) throw;
        starts.cut = stop && stop();
        break;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::unit) throw;
        fails[i] = true;
        reasons += (reasons.empty() ? "" : "; ") + names[i] + ": " + error.what();
      }
    }
    if (!any) break;
  }
  if (starts.drawings.empty()) throw Error(ErrorKind::unit, "no start drawing: " + reasons);
  for (const std::string& name : used) starts.provider += (starts.provider.empty() ? "" : "+") + name;
  return starts;
}

}  // namespace

Starts make_starts(const SolveBackend& backend, const SolveInput& input, const SolveOptions& options,
                   int most, const UnitClock& clock, const std::function<bool()>& stop) {
  // a budget of steps is never cut by the clock, and a replay takes the time that it needs
  const bool timed = options.time_limited && !input.replay;
  const auto give_up = [&] { return (stop && stop()) || (timed && clock.seconds() > options.time); };
  try {
    return starts_until(give_up, backend, input, options, most, clock, stop);
  } catch (const LayoutStopped&) {
    if (stop && stop()) throw;
  }
  Starts starts;
  starts.drawings.push_back(make_start(input, *make_start_provider(kQuickStart), 0, stop));
  starts.provider = std::string(kQuickStart) + " (no time for " + options.start + ")";
  starts.quick = true;
  return starts;
}

std::string default_start(const Graph&, const Grid&, const LowerBound& bound) {
  if (bound.planar) return "planar+fmmm";
  return "fmmm+snake";
}

std::string default_search(const Graph&, const Grid&) {
  return "annealing";
}

int default_replicas(const Graph&, const Grid&, const SolveOptions&) {
  return 1;
}

}  // namespace lcn
