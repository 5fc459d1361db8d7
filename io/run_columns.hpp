#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "io/unit_record.hpp"

namespace lcn {

// A member of one of the record's tuples.
struct TupleMember {
  Tuple UnitRecord::*tuple;
  std::int64_t Tuple::*member;
};

// Where a column's value is in a record; the alternative gives the column's type.
using RunMember = std::variant<std::string UnitRecord::*, std::int64_t UnitRecord::*, double UnitRecord::*,
                               bool UnitRecord::*, TupleMember>;

// One column of the archive's /runs. The one list of columns that CBOR, HDF5, CSV and docs/format.md follow.
struct RunColumn {
  const char* name;
  const char* units;  // "1" for a pure number, "" for text
  const char* description;
  RunMember member;

  bool is_text() const { return member.index() == 0; }
  bool is_real() const { return member.index() == 2; }
  bool is_boolean() const { return member.index() == 3; }
  bool is_integer() const { return member.index() == 1 || member.index() == 4; }

  // The value in a record; each may be called only for a column of its type (std::bad_variant_access
  // otherwise).
  const std::string& text(const UnitRecord& record) const { return record.*std::get<0>(member); }
  std::string& text(UnitRecord& record) const { return record.*std::get<0>(member); }
  std::int64_t integer(const UnitRecord& record) const;
  std::int64_t& integer(UnitRecord& record) const;
  double real(const UnitRecord& record) const { return record.*std::get<2>(member); }
  double& real(UnitRecord& record) const { return record.*std::get<2>(member); }
  bool boolean(const UnitRecord& record) const { return record.*std::get<3>(member); }
  bool& boolean(UnitRecord& record) const { return record.*std::get<3>(member); }
};

// All columns, in the order of the archive.
const std::vector<RunColumn>& run_columns();

}  // namespace lcn
