#pragma once
// Internal to io/: the layout that unit files and archives share (docs/format.md), over Hdf5File.
#include <string>
#include <vector>

#include "io/contest_json.hpp"
#include "io/hdf5_file.hpp"
#include "io/unit_record.hpp"

namespace lcn {

inline constexpr std::int64_t kArchiveSchemaVersion = 1;

// Root attributes format, kind ("unit" or "archive") and schema_version, and the empty groups.
void begin_layout(Hdf5File& file, const std::string& kind);
// Error(rejected) for a file of another program or schema version.
void check_layout(const Hdf5File& file);
bool has_other_schema(const Hdf5File& file);  // it names a schema version, and not this program's
// What is not as docs/format.md says apart from the rows' values: attributes, groups, types, units, and
// tables, instances or provenance that no row has or that are not what their key says. One line each.
std::vector<std::string> layout_problems(const Hdf5File& file, const std::vector<UnitRecord>& rows);

// /runs from the columns of `rows` (their drawings and tables are not looked at), and back, column by column.
// A failed or rejected unit has no verified tuple: final is stored as -1, as are initial and claimed when all
// zero. Certificates longer than 512 bytes are stored without their vertices; the whole text is in
// /instances.
void write_runs(Hdf5File& file, const std::vector<UnitRecord>& rows);
std::vector<UnitRecord> read_runs(const Hdf5File& file);

// What hangs on one row: /trace, /schedule, /replicas and /drawings, each only where the record has
// something. Error(rejected) for a stored point outside int32 on writing (no legal grid has one).
void write_unit_tables(Hdf5File& file, const UnitRecord& record);
// Error(rejected) when the row's checksum says that something was changed.
void read_unit_tables(const Hdf5File& file, UnitRecord& record);
// Of the row as it is stored and what hangs on it; `record` may be from before writing or after reading.
std::string record_checksum(const UnitRecord& record);
void remove_unit_tables(Hdf5File& file, const std::string& unit);
std::vector<Point> read_drawing(const Hdf5File& file, const std::string& unit);  // empty when there is none

// /instances/<sha256>: name, json (the file's bytes), certificate.
struct StoredInstance {
  std::string name, json, certificate;
};
void write_instance(Hdf5File& file, const std::string& sha256, const StoredInstance& instance);
StoredInstance read_stored_instance(const Hdf5File& file, const std::string& sha256);
// Error(rejected) when the instance's text has another sha256 or cannot be read.
StoredInstance read_checked_instance(const Hdf5File& file, const std::string& sha256);
std::string read_checked_provenance(const Hdf5File& file, const std::string& key);  // likewise
Instance parse_stored_instance(const Hdf5File& file, const std::string& sha256);

}  // namespace lcn
