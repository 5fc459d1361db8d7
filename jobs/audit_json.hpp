#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/audit_report.hpp"

namespace lcn {

// Parses the text of a report. Broken JSON, a key given twice in one object, nesting deeper than a report
// needs, and anything but an object become a finding that rejects; the result is then not set.
std::optional<nlohmann::json> parse_report(const std::string& text, AuditFindings& findings);

// A key as a token of a JSON pointer (RFC 6901): each '~' and '/' of it is escaped; printable.
std::string pointer_token(const std::string& key);

// Characters that a terminal would obey become '?'.
std::string printable(std::string text);

// One value of a report with its JSON pointer. Readers return nothing where the value cannot be used, after
// they have added a finding: a missing key lacks, a wrong type rejects.
class ReportValue {
 public:
  ReportValue(const nlohmann::json& json, AuditFindings& findings, std::string place = "")
      : json_(&json), findings_(&findings), place_(std::move(place)) {}

  const std::string& place() const { return place_; }
  bool has(const std::string& key) const;

  // Members of an object.
  std::optional<ReportValue> member(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;  // may be empty
  std::string said(const std::string& key) const;                 // an empty text lacks, too
  std::optional<double> number(const std::string& key) const;
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t least) const;  // less rejects
  std::optional<bool> flag(const std::string& key) const;
  std::optional<ReportValue> object(const std::string& key) const;
  // Items of an array; none after a finding. An empty array lacks, when `if_empty` says what.
  std::vector<ReportValue> items(const std::string& key, const char* if_empty = nullptr) const;
  std::vector<std::pair<std::string, ReportValue>> members() const;  // of this object

  // This value itself.
  bool is_object() const;  // else rejects
  bool is_null() const;
  std::optional<double> as_number() const;
  std::optional<std::int64_t> as_integer() const;
  std::optional<std::string> as_text() const;
  std::optional<bool> as_flag() const;

 private:
  std::string below(const std::string& token) const;
  void wrong_type(const char* expected) const;

  const nlohmann::json* json_;
  AuditFindings* findings_;
  std::string place_;
};

}  // namespace lcn
