#include "io/unit_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/archive_layout.hpp"
#include "io/files.hpp"
#include "io/hdf5_lock.hpp"

namespace lcn {

std::string unit_file_path(const std::string& run_folder, const std::string& unit) {
  return fmt::format("{}/units/{}/{}.h5", run_folder, unit.substr(0, 2), unit);
}

std::string write_unit_file(const std::string& run_folder, const UnitRecord& record, const Instance& instance,
                            const std::string& provenance) {
  const std::string path = unit_file_path(run_folder, record.unit);
  make_folder(std::filesystem::path(path).parent_path().string());
  const std::string temporary = temporary_name(path);
  TemporaryFile guard(temporary);
  {
    const Hdf5Lock lock;
    UnitRecord row = record;
    row.provenance = sha256_hex(provenance).substr(0, 16);
    row.checksum = record_checksum(row);
    Hdf5File file = Hdf5File::create(temporary);
    begin_layout(file, "unit");
    write_runs(file, {row});
    write_unit_tables(file, row);
    write_instance(file, record.instance_sha256, {instance.name, instance.text, record.certificate});
    file.write_text("/provenance/" + row.provenance, provenance);
    file.close();
  }
  publish_file(temporary, path);
  guard.keep();
  return path;
}

UnitRecord read_unit_file(const std::string& path) {
  const std::string bytes = read_text_file(path);
  const Hdf5Lock lock;
  const Hdf5File file = Hdf5File::open_image(bytes, path);
  check_layout(file);
  std::vector<UnitRecord> rows = read_runs(file);
  if (rows.size() != 1) file.wrong("/runs", fmt::format("has {} rows (a unit file has one)", rows.size()));
  read_unit_tables(file, rows[0]);
  read_checked_instance(file, rows[0].instance_sha256);
  read_checked_provenance(file, rows[0].provenance);
  return std::move(rows[0]);
}

bool unit_file_valid(const std::string& path) {
  try {
    return read_unit_file(path).unit == std::filesystem::path(path).stem().string();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::rejected || error.kind() == ErrorKind::input) return false;
    throw;
  }
}

}  // namespace lcn
