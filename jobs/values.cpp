#include "jobs/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "support/error.hpp"

namespace lcn {
namespace {

constexpr std::size_t kMostSeeds = 100'000;

template <class Number>
bool read_whole(std::string_view text, Number* number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return code == std::errc{} && end == text.data() + text.size() && !text.empty();
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Error bad_duration(const std::string& text) {
  return usage_error(
      fmt::format("'{}' is no duration (write 90, 60s, 10m, 1h, 2d, HH:MM:SS or D-HH:MM:SS)", text));
}

// [D-]HH:MM:SS
double parse_clock(const std::string& text) {
  std::string_view rest = text;
  std::int64_t days = 0;
  if (const auto dash = rest.find('-'); dash != rest.npos) {
    if (!all_digits(rest.substr(0, dash)) || !read_whole(rest.substr(0, dash), &days))
      throw bad_duration(text);
    rest.remove_prefix(dash + 1);
  }
  std::int64_t fields[3] = {0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    const auto colon = rest.find(':');
    const bool last = i == 2;
    if ((colon == rest.npos) != last) throw bad_duration(text);
    const std::string_view field = rest.substr(0, colon);
    if (field.size() > 4 || !all_digits(field) || !read_whole(field, &fields[i]) || (i > 0 && fields[i] > 59))
      throw bad_duration(text);
    if (!last) rest.remove_prefix(colon + 1);
  }
  if (days > 100'000) throw bad_duration(text);
  return static_cast<double>(((days * 24 + fields[0]) * 60 + fields[1]) * 60 + fields[2]);
}

// Insertions, deletions, substitutions and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::int64_t parse_integer(const std::string& text) {
  std::int64_t value = 0;
  if (!read_whole(text, &value)) throw usage_error(fmt::format("'{}' is no integer of 64 bits", text));
  return value;
}

double parse_real(const std::string& text) {
  double value = 0;
  if (!read_whole(text, &value) || !std::isfinite(value))
    throw usage_error(fmt::format("'{}' is no number", text));
  return value;
}

double parse_duration(const std::string& text) {
  if (text.find(':') != text.npos) return parse_clock(text);
  if (text.empty()) throw bad_duration(text);
  std::string_view number = text;
  double unit = 1;
  switch (number.back()) {
    case 's':
      unit = 1;
      break;
    case 'm':
      unit = 60;
      break;
    case 'h':
      unit = 3600;
      break;
    case 'd':
      unit = 86400;
      break;
    default:
      unit = 0;
  }
  if (unit > 0) number.remove_suffix(1);
  if (unit == 0) unit = 1;
  double value = 0;
  if (!read_whole(number, &value) || !std::isfinite(value) || std::signbit(value)) throw bad_duration(text);
  return value * unit;
}

std::vector<std::int64_t> parse_seeds(const std::string& text) {
  std::vector<std::int64_t> seeds;
  std::set<std::int64_t> seen;
  std::string_view rest = text;
  while (true) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const auto dots = part.find("..");
    const std::string_view first_text = part.substr(0, dots);
    const std::string_view last_text = dots == part.npos ? first_text : part.substr(dots + 2);
    std::int64_t first = 0, last = 0;
    if (!all_digits(first_text) || !all_digits(last_text) || !read_whole(first_text, &first) ||
        !read_whole(last_text, &last))
      throw usage_error(fmt::format("'{}' is no list of seeds (write for example 1..4,7)", text));
    if (last < first) throw usage_error(fmt::format("'{}' counts down (write {}..{})", part, last, first));
    if (static_cast<std::uint64_t>(last - first) >= kMostSeeds - seeds.size())
      throw usage_error(fmt::format("'{}' lists more than {} seeds", text, kMostSeeds));
    for (std::int64_t i = 0; i <= last - first; ++i) {
      if (!seen.insert(first + i).second)
        throw usage_error(fmt::format("seed {} is listed twice in '{}' (paired runs need distinct seeds)",
                                      first + i, text));
      seeds.push_back(first + i);
    }
    if (comma == rest.npos) return seeds;
    rest.remove_prefix(comma + 1);
  }
}

Grid parse_size(const std::string& text) {
  const auto cross = text.find('x');
  Grid grid{-1, -1};
  if (cross == text.npos || !all_digits(text.substr(0, cross)) || !all_digits(text.substr(cross + 1)) ||
      !read_whole(std::string_view(text).substr(0, cross), &grid.width) ||
      !read_whole(std::string_view(text).substr(cross + 1), &grid.height))
    throw usage_error(fmt::format("'{}' is no size (write WIDTHxHEIGHT, for example 1000x800)", text));
  if (grid.width > kMaxGridSide || grid.height > kMaxGridSide)
    throw usage_error(fmt::format("{} is larger than {} a side (beyond it 64-bit arithmetic is not exact)",
                                  text, kMaxGridSide));
  return grid;
}

bool parse_flag(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw usage_error(fmt::format("'{}' is neither true nor false", text));
}

std::string duration_text(double seconds) {
  const double whole = std::floor(seconds);
  if (whole != seconds || seconds < 120 || seconds > 8e12) return fmt::format("{}s", seconds);
  const auto s = static_cast<std::int64_t>(whole);
  if (s % 86400 == 0) return fmt::format("{}d", s / 86400);
  if (s % 3600 == 0 && s < 86400) return fmt::format("{}h", s / 3600);
  if (s % 60 == 0 && s < 7200) return fmt::format("{}m", s / 60);
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", s / 3600 % 24, s / 60 % 60, s % 60);
  return s < 86400 ? clock : fmt::format("{}-{}", s / 86400, clock);
}

std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace lcn
