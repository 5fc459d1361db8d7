#include "jobs/unit_task.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "jobs/plan.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

using nlohmann::json;

std::string pack(const json& value) {
  std::string bytes;
  json::to_cbor(value, bytes);
  return bytes;
}

template <class Read>
auto unpack(const std::string& bytes, const char* what, Read read) {
  try {
    return read(json::from_cbor(bytes));
  } catch (const json::exception& e) {
    throw Error(ErrorKind::internal,
                fmt::format("message between ranks: {} cannot be read ({})", what, e.what()));
  }
}

// Bytes that need not be UTF-8: JSON strings would be refused.
json binary(const std::string& bytes) {
  return json::binary({bytes.begin(), bytes.end()});
}

std::string text_of(const json& value) {
  const json::binary_t& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

json to_json(const Drawing& drawing) {
  json flat = json::array();
  for (const Point& p : drawing) {
    flat.push_back(p.x);
    flat.push_back(p.y);
  }
  return flat;
}

Drawing drawing_from(const json& flat) {
  Drawing drawing(flat.size() / 2);
  for (std::size_t v = 0; v < drawing.size(); ++v)
    drawing[v] = {flat[2 * v].get<std::int64_t>(), flat[2 * v + 1].get<std::int64_t>()};
  return drawing;
}

json to_json(const SolveOptions& o) {
  return {{"time", o.time},
          {"steps", o.steps},
          {"time_limited", o.time_limited},
          {"replicas", o.replicas},
          {"ranks", o.ranks},
          {"threads", o.threads},
          {"start", o.start},
          {"search", o.search},
          {"device", o.device},
          {"gpu_team", o.gpu_team},
          {"gpu_group", o.gpu_group},
          {"target", o.target_K ? json(*o.target_K) : json(nullptr)}};
}

SolveOptions options_from(const json& j) {
  SolveOptions o;
  o.time = j.at("time").get<double>();
  o.steps = j.at("steps").get<std::int64_t>();
  o.time_limited = j.at("time_limited").get<bool>();
  o.replicas = j.at("replicas").get<int>();
  o.ranks = j.at("ranks").get<int>();
  o.threads = j.at("threads").get<int>();
  o.start = j.at("start").get<std::string>();
  o.search = j.at("search").get<std::string>();
  o.device = j.at("device").get<std::string>();
  o.gpu_team = j.at("gpu_team").get<int>();
  o.gpu_group = j.at("gpu_group").get<int>();
  if (!j.at("target").is_null()) o.target_K = j.at("target").get<std::int64_t>();
  return o;
}

}  // namespace

std::string to_bytes(const UnitTask& task) {
  json warm = json::array(), replay = json::array();
  for (const Drawing& drawing : task.warm_starts) warm.push_back(to_json(drawing));
  for (const ScheduleRound& r : task.replay) replay.push_back({r.stage, r.steps, r.temperature, r.table_K});
  const Certificate& certificate = task.bound.certificate;
  return pack({{"unit", task.unit},
               {"instance", task.instance_sha256},
               {"repetition", task.repetition},
               {"root_seed", task.root_seed},
               {"config", task.config},
               {"options", to_json(task.options)},
               {"bound",
                {task.bound.value, task.bound.planar, certificate.rule, certificate.n, certificate.m,
                 certificate.vertices}},
               {"warm_starts", std::move(warm)},
               {"replay", std::move(replay)},
               {"checkpoint", binary(task.checkpoint)},
               {"shared", task.shared},
               {"channel", task.channel},
               {"number", task.number}});
}

UnitTask task_from_bytes(const std::string& bytes) {
  return unpack(bytes, "a unit", [](const json& j) {
    UnitTask task;
    task.unit = j.at("unit").get<std::string>();
    task.instance_sha256 = j.at("instance").get<std::string>();
    task.repetition = j.at("repetition").get<std::int64_t>();
    task.root_seed = j.at("root_seed").get<std::uint64_t>();
    task.config = j.at("config").get<std::string>();
    task.options = options_from(j.at("options"));
    const json& bound = j.at("bound");
    task.bound.value = bound.at(0).get<std::int64_t>();
    task.bound.planar = bound.at(1).get<bool>();
    task.bound.certificate = {bound.at(2).get<std::string>(), bound.at(3).get<std::int64_t>(),
                              bound.at(4).get<std::int64_t>(), bound.at(5).get<std::vector<VertexId>>()};
    for (const json& drawing : j.at("warm_starts")) task.warm_starts.push_back(drawing_from(drawing));
    for (const json& r : j.at("replay"))
      task.replay.push_back({r.at(0).get<std::int64_t>(), r.at(1).get<std::int64_t>(),
                             r.at(2).get<std::int64_t>(), r.at(3).get<std::int64_t>()});
    task.checkpoint = text_of(j.at("checkpoint"));
    task.shared = j.at("shared").get<bool>();
    task.channel = j.at("channel").get<std::string>();
    task.number = j.at("number").get<std::int64_t>();
    return task;
  });
}

std::string to_bytes(const UnitOutcome& outcome) {
  return pack({{"record", binary(to_bytes(outcome.record))},
               {"start", to_json(outcome.start)},
               {"checkpoint", binary(outcome.checkpoint)}});
}

UnitOutcome outcome_from_bytes(const std::string& bytes) {
  return unpack(bytes, "a result", [](const json& j) {
    return UnitOutcome{record_from_bytes(text_of(j.at("record"))), drawing_from(j.at("start")),
                       text_of(j.at("checkpoint"))};
  });
}

std::string to_bytes(const Drawing& drawing) {
  return pack(to_json(drawing));
}

Drawing drawing_from_bytes(const std::string& bytes) {
  return unpack(bytes, "a drawing", [](const json& j) { return drawing_from(j); });
}

std::string to_bytes(const Instance& instance) {
  return pack({binary(instance.name), binary(instance.path), binary(instance.text)});
}

Instance instance_from_bytes(const std::string& bytes) {
  return unpack(bytes, "an instance", [](const json& j) {
    return parse_instance(text_of(j.at(2)), text_of(j.at(0)), text_of(j.at(1)));
  });
}

UnitRecord record_of(const UnitTask& task, const Instance& instance) {
  UnitRecord record;
  record.unit = task.unit;
  record.instance = instance.name;
  record.instance_sha256 = task.instance_sha256;
  record.repetition = task.repetition;
  record.root_seed = static_cast<std::int64_t>(task.root_seed);
  record.config = task.config;
  record.lower_bound = task.bound.value;
  record.certificate = certificate_json(task.bound.certificate);
  record.target_K = task.options.target_K.value_or(-1);
  record.time_to_target = std::numeric_limits<double>::quiet_NaN();
  record.backend = record.device = task.options.device;
  return record;
}

namespace {

void copy_result(const SolveResult& result, UnitRecord& record) {
  record.status = result.status;
  record.initial = result.initial;
  record.claimed = result.claimed;
  record.target_reached = result.target_reached;
  if (result.target_reached) record.time_to_target = result.time_to_target;
  record.time_to_best = result.time_to_best;
  record.best_stage = result.best_stage;
  record.wall_time = result.wall_time;
  record.proposals_attempted = result.proposals_attempted;
  record.proposals_valid = result.proposals_valid;
  record.proposals_evaluated = result.proposals_evaluated;
  record.proposals_accepted = result.proposals_accepted;
  record.replica_steps = result.replica_steps;
  record.exchanges_attempted = result.exchanges_attempted;
  record.exchanges_accepted = result.exchanges_accepted;
  record.round_trips = result.round_trips;
  record.backend = result.backend;
  record.ranks = result.traffic.ranks;
  record.channel = result.traffic.channel;
  record.state_bytes = result.traffic.state_bytes;
  record.exchange_bytes = result.traffic.bytes;
  record.rank_exchanges = result.traffic.exchanges;
  record.migrations = result.traffic.migrations;
  record.exchange_time = result.traffic.seconds;
  record.start_provider = result.start_provider;
  record.start_sha256 = to_hex(result.start_sha256);
  record.state_sha256 = to_hex(result.state_sha256);
  record.drawing = result.best;
  record.stages = result.stages;
  for (const Improvement& i : result.trace)
    record.trace.push_back({i.seconds, i.step, i.tuple.K, i.tuple.n_K, i.tuple.Phi, i.tuple.C});
  for (const ScheduleRound& r : result.schedule)
    record.schedule.push_back({r.stage, r.steps, r.temperature, r.table_K});
  for (const RungTelemetry& r : result.rungs)
    record.replicas.push_back({r.rung, r.temperature, r.attempts_even, r.accepts_even, r.attempts_odd,
                               r.accepts_odd, r.rejection_rate, r.hot_fraction, r.round_trips, r.families});
}

}  // namespace

UnitOutcome run_unit(const UnitTask& task, const Instance& instance, const SolveFunction& solve,
                     const SolveCallbacks& callbacks, ReplicaChannel* channel) {
  UnitOutcome outcome{record_of(task, instance), {}, {}};
  UnitRecord& record = outcome.record;
  const auto fail = [&record](const std::string& reason) {
    record.status = "failed";
    record.error = reason;
  };
  try {
    const SolveInput input{
        .graph = instance.graph,
        .grid = instance.grid,
        .input = instance.drawing ? &*instance.drawing : nullptr,
        .seed = {task.root_seed, instance.hash, static_cast<std::uint64_t>(task.repetition)},
        .bound = task.bound,
        .warm_starts = task.warm_starts,
        .replay = task.replay.empty() ? nullptr : &task.replay,
        .checkpoint = task.checkpoint,
        .channel = channel};
    SolveResult result = solve(input, task.options, callbacks);
    copy_result(result, record);
    outcome.start = result.start;
    outcome.checkpoint = std::move(result.checkpoint);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::environment) throw;
    fail(e.what());
  } catch (const std::bad_alloc&) {
    fail("out of memory (this unit does not fit) use fewer replicas or a machine with more memory");
  } catch (const std::exception& e) {
    fail(e.what());
  }
  return outcome;
}

}  // namespace lcn
