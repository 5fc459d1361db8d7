#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "geometry/point.hpp"

namespace lcn {

// The value grammar of the command line and of INI files. Each function throws Error(usage) saying what was
// expected; the caller names the option. Whole text must match: no spaces, no trailing characters.

std::int64_t parse_integer(const std::string& text);  // -?[0-9]+, within int64
double parse_real(const std::string& text);           // a finite decimal number, also 1e-3

// Seconds: 90, 2.5, 60s, 10m, 1h, 2d, HH:MM:SS or D-HH:MM:SS. A bare number is seconds. Never negative.
double parse_duration(const std::string& text);

// 1..4,7 -> 1 2 3 4 7: in the order given, not negative, at most 100,000, no value twice.
std::vector<std::int64_t> parse_seeds(const std::string& text);

Grid parse_size(const std::string& text);  // WIDTHxHEIGHT, both 0..2^30
bool parse_flag(const std::string& text);  // true or false

std::string duration_text(
    double seconds);  // "0.25s", "90s", "10m", "2h", "1-06:00:00": parse_duration reads it back

// The candidate nearest to a mistyped word, or empty when none is near (more than a third of it differs).
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace lcn
