#pragma once
#include <cmath>
#include <limits>
#include <string>

#include "io/contest_json.hpp"
#include "io/run_columns.hpp"
#include "io/unit_record.hpp"

namespace lcn {

// Equal in every column (NaN equals NaN), drawing and table, but for the checksum, which is made on writing.
inline bool equal_records(const UnitRecord& a, UnitRecord b) {
  b.checksum = a.checksum;
  return to_bytes(a) == to_bytes(b);
}

// Two crossing edges in a square: the tuple is (1, 2, 2, 1); K4 without two opposite edges.
inline Instance sample_instance(const std::string& name = "kreuz-ß") {
  const Drawing drawing = {{0, 0}, {10, 10}, {0, 10}, {10, 0}};
  const Graph graph = Graph::from_edges(4, {{0, 1}, {2, 3}, {0, 2}});
  return parse_instance(graph_json(graph, {20, 20}, &drawing), name, name + ".json");
}

// A finished unit of sample_instance as it could be; nearly every field differs from its default. Its unit id
// is made up: see identify().
inline UnitRecord sample_record(const Instance& instance, const std::string& unit = "a1b2c3d4e5f60718") {
  UnitRecord r;
  std::int64_t next = 100;
  for (const RunColumn& column : run_columns()) {
    if (column.is_text()) column.text(r) = std::string(column.name) + " é " + std::to_string(next++);
    if (column.is_integer()) column.integer(r) = (std::int64_t{1} << 40) + next++;
    if (column.is_real()) column.real(r) = static_cast<double>(next++) + 0.1;
    if (column.is_boolean()) column.boolean(r) = true;
  }
  r.unit = unit;
  r.instance = instance.name;
  r.instance_sha256 = to_hex(instance.hash);
  r.repetition = 1;
  r.root_seed = 0;
  r.config = R"({"steps":1000,"time":0,"replicas":4,"start":"random","search":"anneal","target_K":-1})";
  r.status = "ok";
  r.error.clear();
  r.checksum.clear();
  r.target_K = -1;
  r.backend = "cpu";
  r.best_stage = "polish";
  r.start_sha256 = std::string(64, 'a');
  r.state_sha256 = std::string(64, 'b');
  r.proposals_attempted = 900;
  r.proposals_evaluated = 800;
  r.proposals_valid = 700;
  r.proposals_accepted = 600;
  r.exchanges_attempted = 50;
  r.exchanges_accepted = 40;
  r.replica_steps = 1200;  // four replicas of the schedule's 300 steps
  r.initial = {3, 2, 20, 5};
  r.final = r.claimed = {1, 2, 2, 1};
  r.lower_bound = 0;
  r.certificate = R"({"rule":"planar","n":4,"m":3,"vertices":[0,1,2,3]})";
  r.optimal = false;
  r.target_reached = false;
  r.time_to_target = std::numeric_limits<double>::quiet_NaN();
  r.drawing = {{0, 0}, {10, 10}, {0, 10}, {10, 0}};
  r.stages = {"anneal", "polish"};
  r.trace = {{0.5, 10, 3, 2, 20, 5}, {1.5, 20, 1, 2, 2, 1}};
  r.schedule = {{0, 100, 1 << 20, 7}, {1, 200, 1 << 10, 6}};
  r.replicas = {{0, 1.5, 2, 1, 4, 3, 0.25, 0.5, 6, 7}};
  return r;
}

// Gives the record the unit id that belongs to it.
inline UnitRecord identify(UnitRecord record) {
  record.unit = unit_id_of(record.instance_sha256, static_cast<std::uint64_t>(record.root_seed),
                           record.repetition, record.config);
  return record;
}

}  // namespace lcn
