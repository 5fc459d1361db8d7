#include "io/unit_record.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/run_columns.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

using nlohmann::json;

json to_json(const TraceRow& t) {
  return json::array({t.seconds, t.step, t.K, t.n_K, t.Phi, t.C});
}
json to_json(const ScheduleRow& s) {
  return json::array({s.stage, s.steps, s.temperature, s.table_K});
}
json to_json(const ReplicaRow& r) {
  return json::array({r.rung, r.temperature, r.attempts_even, r.accepts_even, r.attempts_odd, r.accepts_odd,
                      r.rejection_rate, r.hot_fraction, r.round_trips, r.families});
}

void read_row(const json& from, TraceRow& t) {
  from.at(0).get_to(t.seconds);
  from.at(1).get_to(t.step);
  from.at(2).get_to(t.K);
  from.at(3).get_to(t.n_K);
  from.at(4).get_to(t.Phi);
  from.at(5).get_to(t.C);
}

void read_row(const json& from, ScheduleRow& s) {
  from.at(0).get_to(s.stage);
  from.at(1).get_to(s.steps);
  from.at(2).get_to(s.temperature);
  from.at(3).get_to(s.table_K);
}

void read_row(const json& from, ReplicaRow& r) {
  from.at(0).get_to(r.rung);
  from.at(1).get_to(r.temperature);
  from.at(2).get_to(r.attempts_even);
  from.at(3).get_to(r.accepts_even);
  from.at(4).get_to(r.attempts_odd);
  from.at(5).get_to(r.accepts_odd);
  from.at(6).get_to(r.rejection_rate);
  from.at(7).get_to(r.hot_fraction);
  from.at(8).get_to(r.round_trips);
  from.at(9).get_to(r.families);
}

template <class Row>
json rows_to_json(const std::vector<Row>& rows) {
  json list = json::array();
  for (const Row& row : rows) list.push_back(to_json(row));
  return list;
}

template <class Row>
void read_rows(const json& list, std::vector<Row>& rows) {
  rows.resize(list.size());
  for (std::size_t i = 0; i < rows.size(); ++i) read_row(list.at(i), rows[i]);
}

}  // namespace

int standing(const UnitRecord& row) {
  if (row.status == "failed" || row.status == "rejected") return 0;
  return row.status == "interrupted" ? 1 : 2;
}

std::string unit_id_of(const std::string& instance_sha256, std::uint64_t root_seed, std::int64_t repetition,
                       const std::string& config) {
  return sha256_hex(fmt::format("lcn unit\ninstance={}\nroot_seed={}\nrepetition={}\nconfig={}\n",
                                instance_sha256, root_seed, repetition, config))
      .substr(0, 16);
}

bool time_limited(const std::string& config) {
  const json document = json::parse(config, nullptr, false);
  return !document.is_object() || !document.contains("time") || !document["time"].is_null();
}

std::string to_bytes(const UnitRecord& record) {
  json document;
  json& row = document["row"];
  for (const RunColumn& column : run_columns()) {
    if (column.is_text()) row[column.name] = column.text(record);
    if (column.is_integer()) row[column.name] = column.integer(record);
    if (column.is_real()) row[column.name] = column.real(record);
    if (column.is_boolean()) row[column.name] = column.boolean(record);
  }
  json& drawing = document["drawing"] = json::array();
  for (const Point& p : record.drawing) {
    drawing.push_back(p.x);
    drawing.push_back(p.y);
  }
  document["stages"] = record.stages;
  document["trace"] = rows_to_json(record.trace);
  document["schedule"] = rows_to_json(record.schedule);
  document["replicas"] = rows_to_json(record.replicas);
  std::string bytes;
  json::to_cbor(document, bytes);
  return bytes;
}

UnitRecord record_from_bytes(const std::string& bytes) {
  try {
    const json document = json::from_cbor(bytes);
    UnitRecord record;
    const json& row = document.at("row");
    for (const RunColumn& column : run_columns()) {
      const json& value = row.at(column.name);
      if (column.is_text()) value.get_to(column.text(record));
      if (column.is_integer()) value.get_to(column.integer(record));
      if (column.is_real()) value.get_to(column.real(record));
      if (column.is_boolean()) value.get_to(column.boolean(record));
    }
    const json& drawing = document.at("drawing");
    record.drawing.resize(drawing.size() / 2);
    for (std::size_t v = 0; v < record.drawing.size(); ++v) {
      drawing.at(2 * v).get_to(record.drawing[v].x);
      drawing.at(2 * v + 1).get_to(record.drawing[v].y);
    }
    document.at("stages").get_to(record.stages);
    read_rows(document.at("trace"), record.trace);
    read_rows(document.at("schedule"), record.schedule);
    read_rows(document.at("replicas"), record.replicas);
    return record;
  } catch (const json::exception& error) {
    throw Error(ErrorKind::internal,
                std::string("unit record: bytes from another rank cannot be read (") + error.what() + ")");
  }
}

}  // namespace lcn
