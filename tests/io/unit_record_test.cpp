#include "io/unit_record.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/error.hpp"
#include "tests/io/sample_record.hpp"

namespace lcn {
namespace {

TEST(UnitRecord, BytesGiveTheSameRecord) {
  const UnitRecord record = sample_record(sample_instance());
  const UnitRecord again = record_from_bytes(to_bytes(record));
  EXPECT_TRUE(equal_records(record, again));
  EXPECT_EQ(again.instance, "kreuz-ß");
  EXPECT_EQ(again.final, (Tuple{1, 2, 2, 1}));
  EXPECT_TRUE(std::isnan(again.time_to_target));
  EXPECT_EQ(again.wall_time, record.wall_time);
  EXPECT_EQ(again.proposals_attempted, record.proposals_attempted);
  EXPECT_EQ(again.drawing, record.drawing);
  EXPECT_EQ(again.stages, record.stages);
  ASSERT_EQ(again.trace.size(), 2u);
  EXPECT_EQ(again.trace[0].Phi, 20);
  ASSERT_EQ(again.schedule.size(), 2u);
  EXPECT_EQ(again.schedule[1].table_K, 6);
  ASSERT_EQ(again.replicas.size(), 1u);
  EXPECT_EQ(again.replicas[0].families, 7);
  EXPECT_TRUE(equal_records(UnitRecord{}, record_from_bytes(to_bytes(UnitRecord{}))));
}

TEST(UnitRecord, CutOrForeignBytesAreRefused) {
  const std::string bytes = to_bytes(sample_record(sample_instance()));
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    try {
      record_from_bytes(bytes.substr(0, size));
      ADD_FAILURE() << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::internal);
    }
  }
  EXPECT_THROW(record_from_bytes("\x01"), Error);
  EXPECT_THROW(record_from_bytes(bytes + "x"), Error);
}

TEST(RunColumns, NamesAreUniqueAndDescribed) {
  std::set<std::string> names;
  for (const RunColumn& column : run_columns()) {
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
    EXPECT_NE(std::string(column.description), "") << column.name;
    EXPECT_EQ(std::string(column.units).empty(), column.is_text()) << column.name;
  }
}

}  // namespace
}  // namespace lcn
