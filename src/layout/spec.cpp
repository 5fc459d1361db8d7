#include "layout/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "support/error.hpp"

namespace lcn {

Spec Spec::parse(const std::string& text) {
  Spec spec;
  const std::size_t colon = text.find(':');
  spec.name_ = text.substr(0, colon);
  if (spec.name_.empty())
    throw usage_error(
        fmt::format("\"{}\": the name is missing; write NAME or NAME:key=value,key=value", text));
  if (colon == std::string::npos) return spec;
  std::size_t begin = colon + 1;
  while (true) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0)
      throw usage_error(fmt::format("{}: \"{}\" is not key=value; write {}:key=value,key=value", spec.name_,
                                    entry, spec.name_));
    const std::string key = entry.substr(0, equals);
    if (!spec.values_.emplace(key, entry.substr(equals + 1)).second)
      throw usage_error(fmt::format("{}: the key {} is given twice; keep one value", spec.name_, key));
    if (end == text.size()) return spec;
    begin = end + 1;
  }
}

const std::string* Spec::value(const std::string& key) {
  asked_.insert(key);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

double Spec::real(const std::string& key, double fallback, double low, double high) {
  const std::string* text = value(key);
  if (!text) return fallback;
  double number = 0;
  const char* last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, number);
  if (error != std::errc{} || end != last || !std::isfinite(number))
    throw usage_error(
        fmt::format("{}: {}={} is not a number; give one in {} .. {}", name_, key, *text, low, high));
  if (number < low || number > high)
    throw usage_error(
        fmt::format("{}: {}={} is out of range; give a number in {} .. {}", name_, key, *text, low, high));
  return number;
}

std::int64_t Spec::integer(const std::string& key, std::int64_t fallback, std::int64_t low,
                           std::int64_t high) {
  const std::string* text = value(key);
  if (!text) return fallback;
  std::int64_t number = 0;
  const char* last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, number);
  if (error == std::errc::invalid_argument || end != last)
    throw usage_error(
        fmt::format("{}: {}={} is not an integer; give one in {} .. {}", name_, key, *text, low, high));
  if (error != std::errc{} || number < low || number > high)
    throw usage_error(
        fmt::format("{}: {}={} is out of range; give an integer in {} .. {}", name_, key, *text, low, high));
  return number;
}

std::string Spec::text(const std::string& key, const std::string& fallback) {
  const std::string* text = value(key);
  return text ? *text : fallback;
}

void Spec::finish() const {
  for (const auto& [key, value] : values_) {
    if (asked_.count(key)) continue;
    if (asked_.empty())
      throw usage_error(
          fmt::format("{}: unknown key {} ({} has no parameters); leave it out", name_, key, name_));
    std::string known;
    for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
    throw usage_error(fmt::format("{}: unknown key {}; its keys are {}", name_, key, known));
  }
}

}  // namespace lcn
