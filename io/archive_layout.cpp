#include "io/archive_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "io/run_columns.hpp"
#include "support/plural.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

constexpr std::size_t kPieceRows = 16'384;  // rows that are held as one buffer while writing and reading
constexpr std::size_t kMaxCertificateBytes = 512;
constexpr std::size_t kMaxErrorBytes = 2'000;
constexpr std::array<const char*, 4> kUnitGroups = {"/trace", "/schedule", "/replicas", "/drawings"};

// The tables' rows are plain 8-byte numbers, so that their memory is the compound type.
const std::vector<TableColumn> kTraceColumns = {{"seconds", true}, {"step", false}, {"K", false},
                                                {"n_K", false},    {"Phi", false},  {"C", false}};
static_assert(sizeof(TraceRow) == 6 * 8);
const std::vector<TableColumn> kScheduleColumns = {
    {"stage", false}, {"steps", false}, {"temperature", false}, {"table_K", false}};
static_assert(sizeof(ScheduleRow) == 4 * 8);
const std::vector<TableColumn> kReplicaColumns = {
    {"rung", false},         {"temperature", true},  {"attempts_even", false}, {"accepts_even", false},
    {"attempts_odd", false}, {"accepts_odd", false}, {"rejection_rate", true}, {"hot_fraction", true},
    {"round_trips", false},  {"families", false}};
static_assert(sizeof(ReplicaRow) == 10 * 8);

std::string short_certificate(const std::string& certificate) {
  if (certificate.size() <= kMaxCertificateBytes) return certificate;
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(certificate, nullptr, false);
  if (!document.is_object()) return cut_utf8(certificate, kMaxCertificateBytes);
  document.erase("vertices");
  return cut_utf8(document.dump(), kMaxCertificateBytes);
}

// The row as it is stored.
UnitRecord stored_row(const UnitRecord& record) {
  UnitRecord row = record;
  row.drawing.clear();
  row.stages.clear();
  row.trace.clear();
  row.schedule.clear();
  row.replicas.clear();
  row.certificate = short_certificate(record.certificate);
  row.error = cut_utf8(record.error, kMaxErrorBytes);
  if (record.status == "failed" || record.status == "rejected") {
    const Tuple none{-1, -1, -1, -1};
    row.final = none;
    if (row.initial == Tuple{}) row.initial = none;
    if (row.claimed == Tuple{}) row.claimed = none;
  }
  for (const RunColumn& column : run_columns())
    if (column.is_text()) column.text(row) = valid_utf8(std::move(column.text(row)));
  return row;
}

// Writes one column in pieces; `put(row, buffer, index)` stores a row's value.
template <class Value, class Get>
void write_values(Hdf5File& file, hid_t dataset, hid_t type, const std::vector<UnitRecord>& rows, Get get) {
  std::vector<Value> buffer;
  for (std::size_t first = 0; first < rows.size(); first += kPieceRows) {
    const std::size_t last = std::min(rows.size(), first + kPieceRows);
    buffer.clear();
    for (std::size_t i = first; i < last; ++i) buffer.push_back(get(rows[i]));
    file.write_piece(dataset, type, first, last - first, buffer.data());
  }
}

void write_texts(Hdf5File& file, hid_t dataset, hid_t type, std::size_t width, const RunColumn& column,
                 const std::vector<UnitRecord>& rows) {
  const std::size_t piece = std::max<std::size_t>(1, std::min(kPieceRows, (std::size_t{1} << 24) / width));
  std::string buffer;
  for (std::size_t first = 0; first < rows.size(); first += piece) {
    const std::size_t last = std::min(rows.size(), first + piece);
    buffer.assign((last - first) * width, '\0');
    for (std::size_t i = first; i < last; ++i)
      column.text(rows[i]).copy(buffer.data() + (i - first) * width, width);
    file.write_piece(dataset, type, first, last - first, buffer.data());
  }
}

void write_column(Hdf5File& file, const RunColumn& column, const std::vector<UnitRecord>& rows) {
  const std::string path = std::string("/runs/") + column.name;
  Hdf5Id dataset;
  if (column.is_text()) {
    std::size_t width = 1;
    for (const UnitRecord& row : rows) width = std::max(width, column.text(row).size());
    const Hdf5Id type = file.text_type(width);
    dataset = file.make_column(path, type, rows.size());
    write_texts(file, dataset, type, width, column, rows);
  } else if (column.is_integer()) {
    dataset = file.make_column(path, H5T_STD_I64LE, rows.size());
    write_values<std::int64_t>(file, dataset, H5T_NATIVE_INT64, rows,
                               [&](const UnitRecord& r) { return column.integer(r); });
  } else if (column.is_real()) {
    dataset = file.make_column(path, H5T_IEEE_F64LE, rows.size());
    write_values<double>(file, dataset, H5T_NATIVE_DOUBLE, rows,
                         [&](const UnitRecord& r) { return column.real(r); });
  } else {
    const Hdf5Id type = file.boolean_type();
    dataset = file.make_column(path, type, rows.size());
    write_values<std::int8_t>(file, dataset, type, rows, [&](const UnitRecord& r) {
      return static_cast<std::int8_t>(column.boolean(r));
    });
  }
  file.set_attribute(dataset, "units", column.units);
  file.set_attribute(dataset, "description", column.description);
}

template <class Value, class Set>
void read_values(const Hdf5File& file, hid_t dataset, hid_t type, std::vector<UnitRecord>& rows, Set set) {
  std::vector<Value> buffer(std::min(rows.size(), kPieceRows));
  for (std::size_t first = 0; first < rows.size(); first += kPieceRows) {
    const std::size_t count = std::min(rows.size() - first, kPieceRows);
    file.read_piece(dataset, type, first, count, buffer.data());
    for (std::size_t i = 0; i < count; ++i) set(rows[first + i], buffer[i]);
  }
}

void read_texts(const Hdf5File& file, hid_t dataset, hid_t type, const RunColumn& column,
                std::vector<UnitRecord>& rows) {
  const std::size_t width = H5Tget_size(type);
  const std::size_t piece = std::max<std::size_t>(1, std::min(kPieceRows, (std::size_t{1} << 24) / width));
  std::string buffer(std::min(rows.size(), piece) * width, '\0');
  for (std::size_t first = 0; first < rows.size(); first += piece) {
    const std::size_t count = std::min(rows.size() - first, piece);
    file.read_piece(dataset, type, first, count, buffer.data());
    for (std::size_t i = 0; i < count; ++i) {
      const char* text = buffer.data() + i * width;
      const std::size_t length = strnlen(text, width);
      if (std::any_of(text + length, text + width, [](char c) { return c != '\0'; }))
        file.wrong(std::string("/runs/") + column.name,
                   fmt::format("row {} has bytes after its end", first + i));
      column.text(rows[first + i]).assign(text, length);
    }
  }
}

// `rows` gets the column's values; on the first column it gets its length.
void read_column(const Hdf5File& file, const RunColumn& column, std::vector<UnitRecord>& rows,
                 bool first_column) {
  const std::string path = std::string("/runs/") + column.name;
  if (column.is_text() && std::string_view(column.name) == "checksum" && !file.exists(path)) return;
  const Hdf5Id dataset = file.open_dataset(path);
  const hsize_t count = file.rows(dataset, path);
  if (first_column) rows.resize(count);
  if (count != rows.size())
    file.wrong(path, fmt::format("has {}, other columns have {}", plural(count, "row"), rows.size()));
  const Hdf5Id type(file.check(H5Dget_type(dataset), "H5Dget_type", path), H5Tclose);
  const H5T_class_t found = H5Tget_class(type);
  if (column.is_text()) {
    if (found != H5T_STRING || H5Tis_variable_str(type) != 0) file.wrong(path, "is not fixed-length text");
    read_texts(file, dataset, type, column, rows);
  } else if (column.is_integer()) {
    if (found != H5T_INTEGER) file.wrong(path, "is not of integers");
    read_values<std::int64_t>(file, dataset, H5T_NATIVE_INT64, rows,
                              [&](UnitRecord& r, std::int64_t v) { column.integer(r) = v; });
  } else if (column.is_real()) {
    if (found != H5T_FLOAT) file.wrong(path, "is not of real numbers");
    read_values<double>(file, dataset, H5T_NATIVE_DOUBLE, rows,
                        [&](UnitRecord& r, double v) { column.real(r) = v; });
  } else {
    if (found != H5T_ENUM) file.wrong(path, "is not of FALSE and TRUE");
    const Hdf5Id boolean = file.boolean_type();
    read_values<std::int8_t>(file, dataset, boolean, rows, [&](UnitRecord& r, std::int8_t v) {
      if (v != 0 && v != 1) file.wrong(path, "has a value beside FALSE and TRUE");
      column.boolean(r) = v == 1;
    });
  }
}

template <class Row>
void read_rows(const Hdf5File& file, const std::string& path, const std::vector<TableColumn>& columns,
               std::vector<Row>& rows) {
  if (!file.exists(path)) return;
  const std::string bytes = file.read_table(path, columns);
  rows.resize(bytes.size() / sizeof(Row));
  if (!rows.empty()) std::memcpy(rows.data(), bytes.data(), bytes.size());
}

std::string in_group(const char* group, const std::string& name) {
  return std::string(group) + "/" + name;
}

}  // namespace

void begin_layout(Hdf5File& file, const std::string& kind) {
  const Hdf5Id root(file.check(H5Gopen2(file.id(), "/", H5P_DEFAULT), "H5Gopen2", "/"), H5Gclose);
  file.set_attribute(root, "format", "lcn");
  file.set_attribute(root, "kind", kind);
  file.set_attribute(root, "schema_version", kArchiveSchemaVersion);
  file.make_group("/runs", true);
  for (const char* group : kUnitGroups) file.make_group(group);
  file.make_group("/instances");
  file.make_group("/provenance");
}

bool has_other_schema(const Hdf5File& file) {
  try {
    return file.text_attribute("/", "format") == "lcn" &&
           file.integer_attribute("/", "schema_version") != kArchiveSchemaVersion;
  } catch (const Error&) {
    return false;
  }
}

void check_layout(const Hdf5File& file) {
  if (file.text_attribute("/", "format") != "lcn")
    file.wrong("/", "the attribute format is not lcn (written by another program)");
  const std::int64_t version = file.integer_attribute("/", "schema_version");
  if (version != kArchiveSchemaVersion)
    file.wrong("/",
               fmt::format("has schema_version {} (this program reads {}); use the program that wrote it",
                           version, kArchiveSchemaVersion));
}

std::vector<std::string> layout_problems(const Hdf5File& file, const std::vector<UnitRecord>& rows) {
  std::vector<std::string> problems;
  const auto expect = [&problems](bool good, const std::string& problem) {
    if (!good) problems.push_back(problem);
  };
  const std::string kind = file.text_attribute("/", "kind");
  expect(kind == "archive" || (kind == "unit" && rows.size() == 1),
         fmt::format("/: kind is {} with {}", kind, plural(rows.size(), "row")));
  for (const RunColumn& column : run_columns()) {
    const std::string path = std::string("/runs/") + column.name;
    if (!file.exists(path)) continue;  // the checksum of older files
    const Hdf5Id dataset = file.open_dataset(path);
    const Hdf5Id type(file.check(H5Dget_type(dataset), "H5Dget_type", path), H5Tclose);
    if (column.is_text())
      expect(H5Tget_cset(type) == H5T_CSET_UTF8 && H5Tget_strpad(type) == H5T_STR_NULLPAD,
             path + ": is not UTF-8 padded with zero bytes");
    else
      expect(H5Tequal(type, column.is_integer() ? H5T_STD_I64LE
                            : column.is_real()  ? H5T_IEEE_F64LE
                                                : static_cast<hid_t>(file.boolean_type())) > 0,
             path + ": is not of its type");
    expect(file.text_attribute(path, "units") == column.units, path + ": its units are others");
    expect(!file.text_attribute(path, "description").empty(), path + ": has no description");
  }
  std::set<std::string> units, instances, provenances;
  std::set<std::pair<std::string, std::string>> names;
  for (const UnitRecord& row : rows) {
    units.insert(row.unit);
    names.emplace(row.instance_sha256, row.instance);
    instances.insert(row.instance_sha256);
    provenances.insert(row.provenance);
  }
  for (const char* group : kUnitGroups)
    for (const std::string& unit : file.links(group))
      expect(units.contains(unit), fmt::format("{}/{}: belongs to no row", group, unit));
  for (const std::string& sha256 : file.links("/instances")) {
    const std::string name = file.read_text("/instances/" + sha256 + "/name");
    expect(instances.contains(sha256), fmt::format("/instances/{}: belongs to no row", sha256));
    expect(!instances.contains(sha256) || names.contains({sha256, name}),
           fmt::format("/instances/{}: no row has its name {}", sha256, name));
  }
  for (const std::string& key : provenances)
    expect(file.exists("/provenance/" + key), fmt::format("/provenance/{}: is missing", key));
  for (const std::string& key : file.links("/provenance")) {
    const std::string text = file.read_text("/provenance/" + key);
    expect(provenances.contains(key), fmt::format("/provenance/{}: belongs to no row", key));
    expect(sha256_hex(text).starts_with(key) && nlohmann::json::accept(text),
           fmt::format("/provenance/{}: is not the JSON text with this sha256 (the file was changed)", key));
  }
  return problems;
}

void write_runs(Hdf5File& file, const std::vector<UnitRecord>& rows) {
  std::vector<UnitRecord> stored;
  stored.reserve(rows.size());
  for (const UnitRecord& row : rows) stored.push_back(stored_row(row));
  for (const RunColumn& column : run_columns()) write_column(file, column, stored);
}

std::vector<UnitRecord> read_runs(const Hdf5File& file) {
  std::vector<UnitRecord> rows;
  bool first = true;
  for (const RunColumn& column : run_columns()) {
    read_column(file, column, rows, first);
    first = false;
  }
  return rows;
}

void write_unit_tables(Hdf5File& file, const UnitRecord& record) {
  if (!record.trace.empty())
    file.write_table(in_group("/trace", record.unit), kTraceColumns, record.trace.size(),
                     record.trace.data());
  if (!record.schedule.empty() || !record.stages.empty()) {
    const Hdf5Id table = file.write_table(in_group("/schedule", record.unit), kScheduleColumns,
                                          record.schedule.size(), record.schedule.data());
    file.set_attribute(
        table, "stages",
        nlohmann::json(record.stages).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  if (!record.replicas.empty())
    file.write_table(in_group("/replicas", record.unit), kReplicaColumns, record.replicas.size(),
                     record.replicas.data());
  if (record.drawing.empty()) return;
  std::vector<std::int32_t> values;
  values.reserve(2 * record.drawing.size());
  for (const Point& p : record.drawing)
    for (const std::int64_t value : {p.x, p.y}) {
      if (value < std::numeric_limits<std::int32_t>::min() ||
          value > std::numeric_limits<std::int32_t>::max())
        file.wrong(in_group("/drawings", record.unit),
                   fmt::format("the coordinate {} does not fit 32 bits", value));
      values.push_back(static_cast<std::int32_t>(value));
    }
  file.write_pairs(in_group("/drawings", record.unit), values);
}

namespace {

// Names what a checksum covers: a program with other columns cannot recompute it, and does not try.
const std::string& checksum_prefix() {
  static const std::string prefix = [] {
    std::string names;
    for (const RunColumn& column : run_columns()) names += std::string(column.name) + ",";
    for (const auto* table : {&kTraceColumns, &kScheduleColumns, &kReplicaColumns})
      for (const TableColumn& column : *table) names += std::string(column.name) + ",";
    return sha256_hex(names).substr(0, 8) + ":";
  }();
  return prefix;
}

}  // namespace

void read_unit_tables(const Hdf5File& file, UnitRecord& record) {
  read_rows(file, in_group("/trace", record.unit), kTraceColumns, record.trace);
  read_rows(file, in_group("/schedule", record.unit), kScheduleColumns, record.schedule);
  read_rows(file, in_group("/replicas", record.unit), kReplicaColumns, record.replicas);
  if (const std::string path = in_group("/schedule", record.unit); file.exists(path)) {
    const nlohmann::json stages = nlohmann::json::parse(file.text_attribute(path, "stages"), nullptr, false);
    if (!stages.is_array()) file.wrong(path, "its attribute stages is not a JSON list");
    for (const auto& stage : stages)
      record.stages.push_back(stage.is_string() ? stage.get<std::string>() : stage.dump());
  }
  record.drawing = read_drawing(file, record.unit);
  if (record.checksum.starts_with(checksum_prefix()) && record.checksum != record_checksum(record))
    file.wrong("unit " + record.unit, "does not have its checksum (the file was changed or is damaged)");
  if (record.certificate.find("\"vertices\"") == std::string::npos && !record.certificate.empty())
    record.certificate = read_stored_instance(file, record.instance_sha256).certificate;
}

std::vector<Point> read_drawing(const Hdf5File& file, const std::string& unit) {
  Drawing drawing;
  const std::string path = in_group("/drawings", unit);
  if (!file.exists(path)) return drawing;
  const std::vector<std::int32_t> values = file.read_pairs(path);
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) drawing.push_back({values[i], values[i + 1]});
  return drawing;
}

std::string record_checksum(const UnitRecord& record) {
  UnitRecord row = stored_row(record);
  row.checksum.clear();
  row.drawing = record.drawing;
  row.stages = record.stages;
  row.trace = record.trace;
  row.schedule = record.schedule;
  row.replicas = record.replicas;
  return checksum_prefix() + sha256_hex(to_bytes(row));
}

void remove_unit_tables(Hdf5File& file, const std::string& unit) {
  for (const char* group : kUnitGroups)
    if (const std::string path = in_group(group, unit); file.exists(path)) file.remove(path);
}

void write_instance(Hdf5File& file, const std::string& sha256, const StoredInstance& instance) {
  const std::string group = in_group("/instances", sha256);
  file.make_group(group);
  file.write_text(group + "/name", instance.name);
  file.write_text(group + "/json", instance.json);
  file.write_text(group + "/certificate", instance.certificate);
}

StoredInstance read_stored_instance(const Hdf5File& file, const std::string& sha256) {
  const std::string group = in_group("/instances", sha256);
  if (!file.exists(group)) file.wrong(group, "is missing");
  return {file.read_text(group + "/name"), file.read_text(group + "/json"),
          file.read_text(group + "/certificate")};
}

StoredInstance read_checked_instance(const Hdf5File& file, const std::string& sha256) {
  StoredInstance stored = read_stored_instance(file, sha256);
  if (sha256_hex(stored.json) != sha256)
    file.wrong("/instances/" + sha256, "its text has another sha256 (the file was changed)");
  return stored;
}

std::string read_checked_provenance(const Hdf5File& file, const std::string& key) {
  std::string text = file.read_text("/provenance/" + key);
  if (key.empty() || !sha256_hex(text).starts_with(key))
    file.wrong("/provenance/" + key, "its text has another sha256 (the file was changed)");
  return text;
}

Instance parse_stored_instance(const Hdf5File& file, const std::string& sha256) {
  const StoredInstance stored = read_checked_instance(file, sha256);
  const std::string place = "/instances/" + sha256;
  try {
    return parse_instance(stored.json, stored.name, file.name() + ": " + place);
  } catch (const Error& error) {
    throw Error(ErrorKind::rejected, error.what());
  }
}

}  // namespace lcn
