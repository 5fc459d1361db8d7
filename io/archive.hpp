#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "geometry/point.hpp"
#include "io/contest_json.hpp"
#include "io/unit_record.hpp"
#include "support/error.hpp"

namespace lcn {

struct MergeOptions {
  bool partial = false;  // write the archive although planned units are missing
};

struct MergeReport {
  std::string archive;
  bool written = false;    // false: incomplete, and not partial; an older archive is untouched
  std::int64_t units = 0;  // rows of the archive
  std::int64_t duplicates = 0;
  std::vector<std::string> missing;     // planned units without a row
  std::vector<std::string> unreadable;  // unit files without a row, with the reason: "FILE: reason"
  std::vector<std::string> warnings;
  bool complete() const { return missing.empty() && unreadable.empty(); }
};

// What a plan.json that cannot be read leaves to do.
Error damaged_plan(const std::string& path, const std::string& why);

// RUN/archive.h5 from RUN/units and, for units that have no file any more, from the archive that is there.
MergeReport merge_run(const std::string& run_folder, const MergeOptions& options = {});

// `inputs`: RUN folders (with plan.json or units/), archives and unit files. Writes `out` under a lock, to a
// temporary name that is renamed. Rows are in the order of the plans, then by unit id; the result does not
// depend on the order in which a folder lists its files. Of units given twice a finished one beats an
// interrupted one, which beats a failed one; else the first is kept if the verified results are equal; if
// they differ, in time mode the first is kept with a warning, with a step budget the merge is refused.
// Error(rejected): mixed configurations (names the field) or schema versions, different results of one unit,
// a damaged archive. Error(input): an input that is missing or holds no units. Error(environment): cannot be
// written; an older archive is then untouched.
MergeReport merge_archives(const std::vector<std::string>& inputs, const std::string& out,
                           const MergeOptions& options = {});

// Rows of an archive or unit file, without drawings and tables.
std::vector<UnitRecord> read_archive_rows(const std::string& path);
// One unit with everything that hangs on it. Error(input) when the archive has no such unit.
UnitRecord read_archive_unit(const std::string& path, const std::string& unit);

// JSON text of the job that made the rows with this `provenance`. Error(rejected) when there is none.
std::string read_archive_provenance(const std::string& path, const std::string& key);

struct BestDrawing {
  Instance instance;
  UnitRecord row;  // with drawing
};
// The best drawing of each instance that has one: smallest verified tuple, then first row; in the order of
// rows. Error(rejected) when a stored instance or drawing is damaged.
std::vector<BestDrawing> read_best_drawings(const std::string& path);

// Recomputes every tuple from the stored coordinates with oracle and validator. One line per mismatch; empty:
// verified. O(m^2) per row. Error(rejected) for a file that cannot be read.
struct VerifyReport {
  std::int64_t rows = 0, drawings = 0;
  std::vector<std::string> mismatches;
};
// Proven lower bounds by the instance's sha256: bounds take longer than all else, so that files which share
// instances are verified with one map.
using ProvenBounds = std::map<std::string, std::int64_t>;
VerifyReport verify_archive(const std::string& path, ProvenBounds& bounds);
VerifyReport verify_archive(const std::string& path);

std::string archive_info(const std::string& path);  // for a person
// All columns with the archive's names, and `seed` as a second name of repetition. NaN is "nan", booleans
// TRUE and FALSE.
std::string archive_csv(const std::string& path);
// The best valid drawing per instance as contest JSON: FOLDER/INSTANCE.json (with -HASH where two instances
// share a name). Drawings are validated again before they are written (Error(rejected)). Returns the paths.
std::vector<std::string> export_best(const std::string& path, const std::string& folder);

}  // namespace lcn
