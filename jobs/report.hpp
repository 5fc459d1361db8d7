#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bounds/lower_bound.hpp"
#include "io/contest_json.hpp"

namespace lcn {

// Pieces that several subcommands print.

std::string instance_text(const Instance& instance);  // "NAME: N vertices, M edges, grid W x H"
std::string bound_text(const LowerBound& bound);      // "3 (density-2: subgraph of 10 vertices and 40 edges)"

// The file's drawing; Error(input) when its nodes have no coordinates.
const Drawing& require_drawing(const Instance& instance);

// {rule, n, m, vertices}: what proves a lower bound.
nlohmann::ordered_json certificate_object(const Certificate& certificate);

// Error(environment), before the work, where write_output() could not write to `path`.
void check_output(const std::string& path);

// Writes a result to the file named by an --out option, atomically, or to standard output when `path` is
// empty.
void write_output(const std::string& path, const std::string& text);

}  // namespace lcn
