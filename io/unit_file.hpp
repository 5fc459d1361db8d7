#pragma once
#include <string>

#include "io/contest_json.hpp"
#include "io/unit_record.hpp"

namespace lcn {

// RUN/units/xx/UNIT.h5, xx = the first two digits of the unit id.
std::string unit_file_path(const std::string& run_folder, const std::string& unit);

// Writes one finished unit (also a failed one) as a file of its own in the archive's layout, with its
// instance and the job's provenance text, so that it can be read alone; atomic and durable (io/files.hpp).
// Returns the path. Error(environment) when it cannot be written: nothing is left behind. Thread-safe.
std::string write_unit_file(const std::string& run_folder, const UnitRecord& record, const Instance& instance,
                            const std::string& provenance);

// Error(rejected) for a file that is cut, damaged, changed (checksums), of another schema version or with
// other than one row; Error(input) for a missing one. Thread-safe.
UnitRecord read_unit_file(const std::string& path);

// For resume: done means that the file is present, readable as a whole, and of the unit that its name says.
bool unit_file_valid(const std::string& path);

}  // namespace lcn
