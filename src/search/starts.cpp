#include "search/starts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "layout/admission.hpp"
#include "layout/layout.hpp"
#include "search/distributed_population.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"
#include "support/thread_pool.hpp"

namespace lcn {
namespace {

constexpr double kStartShare = 1.0 / 6.0;     // of a time budget
constexpr double kLeastExtension = 5;         // seconds
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
  AdmissionOptions admission;
  admission.stop = give_up;
  return admit(input.graph, input.grid, provider.layout(request), derive_key(input.seed, Purpose::admission),
               admission)
      .drawing;
}

struct Admitted {
  std::vector<Drawing> drawings;  // empty where no valid drawing was found
  std::string reason;             // of the first of those
  bool late = false;              // given up: only what was admitted before the first that was not
};

Admitted admit_each(const SolveInput& input, const std::vector<Layout>& layouts, int threads,
                    const StopFunction& give_up) {
  const StreamKey key = derive_key(input.seed, Purpose::admission);
  Admitted admitted;
  admitted.drawings.resize(layouts.size());
  std::vector<std::string> reasons(layouts.size());
  std::vector<char> late(layouts.size(), 0);
  AdmissionOptions admission;
  admission.stop = give_up;
  ThreadPool pool(threads);
  pool.for_each(static_cast<int>(layouts.size()), [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    try {
      admitted.drawings[at] = admit(input.graph, input.grid, layouts[at], key, admission).drawing;
    } catch (const Stopped&) {
      late[at] = 1;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unit) throw;
      reasons[at] = error.what();
    }
  });
  const auto in_time = static_cast<std::size_t>(std::find(late.begin(), late.end(), 1) - late.begin());
  admitted.late = in_time < layouts.size();
  admitted.drawings.resize(in_time);
  if (admitted.late && in_time == 0) throw Stopped();
  for (const std::string& reason : reasons)
    if (admitted.reason.empty()) admitted.reason = reason;
  return admitted;
}

// The first valid drawing takes the place of those that are missing. Error(unit) when there is none.
std::vector<Drawing> completed(Admitted admitted) {
  const auto good = std::find_if(admitted.drawings.begin(), admitted.drawings.end(),
                                 [](const Drawing& drawing) { return !drawing.empty(); });
  if (good == admitted.drawings.end())
    throw Error(ErrorKind::unit,
                "no start drawing: " + (admitted.reason.empty() ? "no layout" : admitted.reason));
  const Drawing first = *good;
  for (Drawing& drawing : admitted.drawings)
    if (drawing.empty()) drawing = first;
  return std::move(admitted.drawings);
}

// How many layouts a batch shall have on each of so many machines.
int batch_size(const SolveBackend& backend, const SolveInput& input, const SolveOptions& options, int most,
               int machines) {
  if (!backend.layouts_within) return most;
  const std::int64_t fitting = backend.layouts_within(options.start, input.graph, kStartShare * options.time);
  return static_cast<int>(std::clamp<std::int64_t>(fitting * machines, 1, most));
}

int admitting_threads(const SolveBackend& backend, const SolveOptions& options) {
  return backend.host_threads > 0 ? backend.host_threads : options.threads;
}

std::string batch_name(const SolveBackend& backend, const std::string& spec) {
  return spec + " (" + backend.name + ")";
}

// Why no drawing at all can be made: more vertices than points. Empty otherwise.
std::string room_obstacle(const Graph& graph, const Grid& grid) {
  const auto points =
      static_cast<unsigned __int128>(grid.width + 1) * static_cast<unsigned __int128>(grid.height + 1);
  if (static_cast<unsigned __int128>(graph.n()) <= points) return {};
  return std::to_string(graph.n()) + " vertices do not fit on the " +
         plural(static_cast<std::int64_t>(points), "point") + " of the grid";
}

// At once, before any layout.
void check_room(const SolveInput& input) {
  if (const std::string reason = room_obstacle(input.graph, input.grid); !reason.empty())
    throw Error(ErrorKind::unit, "no start drawing: " + reason);
}

// make_starts, but with Stopped when `give_up` turns true before there is a start.
Starts starts_until(const std::function<bool()>& give_up, const SolveBackend& backend,
                    const SolveInput& input, const SolveOptions& options, int most, const UnitClock& clock,
                    const std::function<bool()>& stop) {
  Starts starts;
  check_room(input);
  most = std::min(most, kMostStarts);
  std::optional<std::int64_t> recorded;
  if (input.replay && !input.replay->empty() && input.replay->front().stage == -1)
    recorded = input.replay->front().steps;
  if (!input.warm_starts.empty()) {
    starts.drawings = input.warm_starts;
    if (recorded)
      starts.drawings.resize(std::min(starts.drawings.size(), static_cast<std::size_t>(*recorded)));
    starts.provider = "given";
    return starts;
  }
  if (recorded == 0) throw Stopped();

  std::vector<std::string> names = split_specs(options.start);
  std::vector<std::unique_ptr<StartProvider>> providers;
  for (const std::string& name : names) providers.push_back(make_start_provider(name));

  if (backend.layouts && options.time_limited && providers.size() == 1) {
    const int count = recorded ? static_cast<int>(std::min<std::int64_t>(*recorded, kMostStarts))
                               : batch_size(backend, input, options, most, 1);
    const LayoutRequest request{input.graph, input.grid, input.input, input.seed, 0, give_up};
    if (const auto layouts = backend.layouts(names.front(), request, count)) {
      starts.drawings = completed(admit_each(input, *layouts, admitting_threads(backend, options), give_up));
      starts.provider = batch_name(backend, names.front());
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
      } catch (const Stopped&) {
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
  } catch (const Stopped&) {
    if (stop && stop()) throw;
  }
  Starts starts;
  const double latest = latest_first_drawing(options, clock);
  const auto too_late = [&] { return (stop && stop()) || (timed && clock.seconds() > latest); };
  try {
    starts.drawings.push_back(make_start(input, *make_start_provider(kQuickStart), 0, too_late));
  } catch (const Stopped&) {
    if (stop && stop()) throw;
    throw Error(ErrorKind::unit, "no start drawing: there was no time for " + options.start + " nor, until " +
                                     std::to_string(std::llround(latest)) + " s, for " + kQuickStart +
                                     " (the graph is large for its grid and --time) use a larger grid or "
                                     "more --time");
  }
  starts.provider = std::string(kQuickStart) + " (no time for " + options.start + ")";
  starts.quick = true;
  return starts;
}

double latest_first_drawing(const SolveOptions& options, const UnitClock& clock) {
  return std::max(clock.seconds(), options.time) + kLeastExtension + kStartShare * options.time;
}

std::optional<Starts> share_starts(const SolveBackend& backend, const SolveInput& input,
                                   const SolveOptions& options, int most, const UnitClock& clock,
                                   const std::function<bool()>& stop) {
  ReplicaChannel& channel = *input.channel;
  const bool batched = backend.layouts && options.time_limited && !input.replay &&
                       input.warm_starts.empty() && split_specs(options.start).size() == 1;
  if (!batched) return std::nullopt;  // on all ranks
  check_room(input);
  enum State : std::int64_t { made, no_batch, late, stopped };
  const std::array mine{
      std::int64_t{batch_size(backend, input, options, std::min(most, kMostStarts), channel.size())}};
  const auto count = static_cast<int>(channel.all_gather(mine).front());
  const ReplicaBand band = replica_band(count, channel.rank(), channel.size());
  Admitted own;
  State state = made;
  if (band.end > band.begin) {
    const auto give_up = [&] { return (stop && stop()) || clock.seconds() > options.time; };
    const LayoutRequest request{
        input.graph, input.grid, input.input, input.seed, static_cast<std::uint32_t>(band.begin), give_up};
    try {
      if (const auto layouts = backend.layouts(options.start, request, band.end - band.begin))
        own = admit_each(input, *layouts, admitting_threads(backend, options), give_up);
      else
        state = no_batch;
    } catch (const Stopped&) {
      own.late = true;
    }
    if (own.late) state = stop && stop() ? stopped : late;
  }
  const std::int64_t worst = channel.maximum(state);
  if (worst == stopped) throw Stopped();
  if (worst != made) return std::nullopt;  // rank 0 is late as well, and then makes the quick start
  Starts starts;
  Admitted all;
  for (int rank = 0; rank < channel.size(); ++rank) {
    ByteWriter writer;
    if (rank == channel.rank()) {
      writer.put(own.reason);
      writer.put(static_cast<std::uint64_t>(own.drawings.size()));
      for (const Drawing& drawing : own.drawings) writer.put(drawing);
    }
    const std::string bytes = channel.broadcast(rank, writer.take());
    ByteReader reader(bytes);
    const auto reason = reader.get<std::string>();
    if (all.reason.empty()) all.reason = reason;
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left)
      all.drawings.push_back(reader.get<Drawing>());
  }
  starts.drawings = completed(std::move(all));
  starts.provider = batch_name(backend, options.start);
  return starts;
}

std::string start_obstacle(const Graph& graph, const Grid& grid, const Drawing* input,
                           const std::string& start) {
  std::string reasons = room_obstacle(graph, grid);
  if (!reasons.empty()) return reasons;
  const LayoutRequest request{graph, grid, input, {}};
  for (const std::string& name : split_specs(start)) {
    const std::string reason = make_start_provider(name)->obstacle(request);
    if (reason.empty()) return {};
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  return reasons;
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
