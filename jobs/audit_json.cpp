#include "jobs/audit_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace lcn {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 64;

struct FormError {
  std::string place, text;
};

// Follows the parser through the document: the second of two equal keys would silently replace the first.
class KeyWatch {
 public:
  bool operator()(int, json::parse_event_t event, json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start:
      case json::parse_event_t::array_start:
        enter(event == json::parse_event_t::object_start);
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        levels_.pop_back();
        break;
      case json::parse_event_t::key:
        key(parsed.get<std::string>());
        break;
      case json::parse_event_t::value:
        next_item();
        break;
    }
    return true;
  }

 private:
  struct Level {
    bool object;
    std::string token;
    std::size_t items = 0;
    std::set<std::string> keys;
  };

  void next_item() {
    if (!levels_.empty() && !levels_.back().object)
      levels_.back().token = std::to_string(levels_.back().items++);
  }
  void enter(bool object) {
    next_item();
    if (levels_.size() >= kMaxDepth)
      throw FormError{place(), "is nested too deeply (a report needs 4 levels)"};
    levels_.push_back({object, "", 0, {}});
  }
  void key(const std::string& name) {
    levels_.back().token = pointer_token(name);
    if (!levels_.back().keys.insert(name).second)
      throw FormError{place(), "the key is given twice in one object (which value is meant?)"};
  }
  std::string place() const {
    std::string result;
    for (const Level& level : levels_) result += "/" + level.token;
    return result;
  }

  std::vector<Level> levels_;
};

std::string line_and_column(const std::string& text, std::size_t byte) {
  const std::size_t end = std::min(byte > 0 ? byte - 1 : 0, text.size());
  const auto stop = text.begin() + static_cast<std::ptrdiff_t>(end);
  const auto line = std::count(text.begin(), stop, '\n') + 1;
  const std::size_t newline = end > 0 ? text.rfind('\n', end - 1) : std::string::npos;
  return fmt::format("line {}, column {}", line, newline == std::string::npos ? end + 1 : end - newline);
}

// The parser's own words without its number and place.
std::string reason(const std::string& what) {
  const std::size_t colon = what.find(": ");
  std::string text = printable(colon == std::string::npos ? what : what.substr(colon + 2));
  if (text.size() > 200) text = text.substr(0, 197) + "...";
  return text;
}

}  // namespace

std::string pointer_token(const std::string& key) {
  std::string token;
  for (const char c : key) token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return printable(token);
}

std::string printable(std::string text) {
  for (char& c : text)
    if ((c >= 0 && c < ' ') || c == 127) c = '?';
  return text;
}

std::optional<json> parse_report(const std::string& text, AuditFindings& findings) {
  try {
    KeyWatch watch;
    json document = json::parse(text, std::ref(watch));
    if (document.is_object()) return document;
    findings.reject("", fmt::format("must be an object (found {})", document.type_name()));
  } catch (const FormError& error) {
    findings.reject(error.place, error.text);
  } catch (const json::parse_error& error) {
    findings.reject(line_and_column(text, error.byte), fmt::format("broken JSON ({})", reason(error.what())));
  } catch (const json::out_of_range& error) {
    findings.reject("", fmt::format("a number is not finite ({})", reason(error.what())));
  }
  return std::nullopt;
}

std::string ReportValue::below(const std::string& token) const {
  return place_ + "/" + pointer_token(token);
}

void ReportValue::wrong_type(const char* expected) const {
  findings_->reject(place_, fmt::format("must be {} (found {})", expected, json_->type_name()));
}

std::optional<ReportValue> ReportValue::member(const std::string& key) const {
  const auto found = json_->find(key);
  if (found != json_->end()) return ReportValue(*found, *findings_, below(key));
  findings_->lacks(below(key), "is missing");
  return std::nullopt;
}

std::optional<std::string> ReportValue::text(const std::string& key) const {
  const auto value = member(key);
  return value ? value->as_text() : std::nullopt;
}

std::string ReportValue::said(const std::string& key) const {
  const auto value = text(key);
  if (value && value->empty()) findings_->lacks(below(key), "is empty");
  return value.value_or("");
}

std::optional<double> ReportValue::number(const std::string& key) const {
  const auto value = member(key);
  return value ? value->as_number() : std::nullopt;
}

std::optional<std::int64_t> ReportValue::integer(const std::string& key, std::int64_t least) const {
  const auto value = member(key);
  const auto number = value ? value->as_integer() : std::nullopt;
  if (!number || *number >= least) return number;
  findings_->reject(below(key), fmt::format("is {} (at least {})", *number, least));
  return std::nullopt;
}

std::optional<bool> ReportValue::flag(const std::string& key) const {
  const auto value = member(key);
  return value ? value->as_flag() : std::nullopt;
}

std::optional<ReportValue> ReportValue::object(const std::string& key) const {
  const auto value = member(key);
  return value && value->is_object() ? value : std::nullopt;
}

std::vector<ReportValue> ReportValue::items(const std::string& key, const char* if_empty) const {
  std::vector<ReportValue> result;
  const auto list = member(key);
  if (!list) return result;
  if (!list->json_->is_array()) {
    list->wrong_type("an array");
    return result;
  }
  for (std::size_t i = 0; i < list->json_->size(); ++i)
    result.emplace_back((*list->json_)[i], *findings_, list->below(std::to_string(i)));
  if (result.empty() && if_empty) findings_->lacks(list->place(), if_empty);
  return result;
}

std::vector<std::pair<std::string, ReportValue>> ReportValue::members() const {
  std::vector<std::pair<std::string, ReportValue>> result;
  for (const auto& [key, value] : json_->items())
    result.emplace_back(key, ReportValue(value, *findings_, below(key)));
  return result;
}

bool ReportValue::is_object() const {
  if (json_->is_object()) return true;
  wrong_type("an object");
  return false;
}

std::optional<double> ReportValue::as_number() const {
  if (json_->is_number()) return json_->get<double>();
  wrong_type("a number");
  return std::nullopt;
}

std::optional<std::int64_t> ReportValue::as_integer() const {
  if (!json_->is_number_integer())
    wrong_type("an integer");
  else if (json_->is_number_unsigned() &&
           json_->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    findings_->reject(place_, "is too large");
  else
    return json_->get<std::int64_t>();
  return std::nullopt;
}

std::optional<std::string> ReportValue::as_text() const {
  if (json_->is_string()) return printable(json_->get<std::string>());
  wrong_type("text");
  return std::nullopt;
}

std::optional<bool> ReportValue::as_flag() const {
  if (json_->is_boolean()) return json_->get<bool>();
  wrong_type("true or false");
  return std::nullopt;
}

bool ReportValue::has(const std::string& key) const {
  return json_->contains(key);
}

bool ReportValue::is_null() const {
  return json_->is_null();
}

}  // namespace lcn
