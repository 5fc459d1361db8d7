#include "graph/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "graph/fixed_families.hpp"
#include "graph/random_families.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

constexpr double kMaxEdges = 50'000'000;

// Checked values with the defaults filled in, read by name.
class Values {
 public:
  Values(const GraphFamily& family, const FamilyValues& given) {
    for (const auto& [name, value] : given)
      if (std::none_of(family.parameters.begin(), family.parameters.end(),
                       [&, wanted = name](const FamilyParameter& p) { return p.name == wanted; }))
        throw usage_error(fmt::format("generate {}: unknown parameter '{}' (it has {})", family.name, name,
                                      fmt::join(names(family), ", ")));
    for (const FamilyParameter& parameter : family.parameters) {
      const auto found = given.find(parameter.name);
      if (found == given.end() && !parameter.default_value)
        throw usage_error(
            fmt::format("generate {}: {} is missing ({})", family.name, parameter.name, parameter.help));
      const double value = found == given.end() ? *parameter.default_value : found->second;
      if (!(value >= parameter.low && value <= parameter.high))
        throw usage_error(fmt::format("generate {}: {} = {} is out of range ({} to {})", family.name,
                                      parameter.name, value, parameter.low, parameter.high));
      if (parameter.integral && value != std::floor(value))
        throw usage_error(
            fmt::format("generate {}: {} = {} must be a whole number", family.name, parameter.name, value));
      values_[parameter.name] = value;
    }
  }
  double real(const std::string& name) const { return values_.at(name); }
  VertexId count(const std::string& name) const { return static_cast<VertexId>(values_.at(name)); }

 private:
  static std::vector<std::string> names(const GraphFamily& family) {
    std::vector<std::string> list;
    for (const FamilyParameter& parameter : family.parameters) list.push_back(parameter.name);
    return list;
  }
  FamilyValues values_;
};

void check_size(const std::string& family, double vertices, double edges) {
  if (edges > kMaxEdges || vertices > kMaxEdges)
    throw usage_error(
        fmt::format("generate {}: about {:.0f} vertices and {:.0f} edges are too many (at most {:.0f})",
                    family, vertices, edges, kMaxEdges));
}

using Maker = GeneratedGraph (*)(const Values&, Stream);

struct Entry {
  GraphFamily family;
  Maker make;
};

FamilyParameter count(std::string name, double low, double high, std::string help,
                      std::optional<double> default_value = std::nullopt) {
  return {std::move(name), low, high, default_value, true, std::move(help)};
}

GeneratedGraph plain(Graph graph) {
  return {std::move(graph), Grid{}, std::nullopt};
}

GeneratedGraph make_grid(const Values& v, Stream) {
  check_size("grid", v.real("rows") * v.real("cols"), 2 * v.real("rows") * v.real("cols"));
  return plain(grid_graph(v.count("rows"), v.count("cols")));
}

GeneratedGraph make_torus(const Values& v, Stream) {
  check_size("torus", v.real("rows") * v.real("cols"), 2 * v.real("rows") * v.real("cols"));
  return plain(torus_graph(v.count("rows"), v.count("cols")));
}

GeneratedGraph make_ring_of_cliques(const Values& v, Stream) {
  check_size("ring-of-cliques", v.real("count") * v.real("size"),
             v.real("count") * v.real("size") * v.real("size") / 2);
  return plain(ring_of_cliques(v.count("count"), v.count("size")));
}

GeneratedGraph make_geometric(const Values& v, Stream stream) {
  const double n = v.real("n"), side = static_cast<double>(kGeometricSide);
  // n points, pi r^2 n / side^2 of them in a disc: the radius that gives the wanted degree away from the
  // border.
  const double radius = v.real("radius") > 0
                            ? v.real("radius") * side
                            : side * std::sqrt(v.real("degree") / (std::numbers::pi * std::max(n, 1.0)));
  const double share = std::min(1.0, std::numbers::pi * radius * radius / (side * side));
  check_size("geometric", n, share * n * n / 2);
  return geometric_graph(v.count("n"), static_cast<std::int64_t>(std::llround(radius)), stream);
}

GeneratedGraph make_regular(const Values& v, Stream stream) {
  const VertexId n = v.count("n"), d = v.count("d");
  if (d >= n)
    throw usage_error(fmt::format("generate regular: d = {} needs more vertices than n = {}", d, n));
  if (std::int64_t{n} * d % 2 != 0)
    throw usage_error(fmt::format(
        "generate regular: n * d = {} * {} is odd (every edge has two ends); make one even", n, d));
  check_size("regular", n, 0.5 * n * d);
  return plain(regular_graph(n, d, stream));
}

GeneratedGraph make_barabasi_albert(const Values& v, Stream stream) {
  const VertexId n = v.count("n"), m = v.count("m");
  if (m >= n)
    throw usage_error(fmt::format(
        "generate barabasi-albert: m = {}, edges of each new vertex, needs more vertices than n = {}", m, n));
  check_size("barabasi-albert", n, double(m) * (n - m));
  return plain(barabasi_albert_graph(n, m, stream));
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = {
      {{"grid",
        "rows x cols grid; planar",
        {count("rows", 1, 1e6, "rows"), count("cols", 1, 1e6, "columns")}},
       make_grid},
      {{"torus",
        "grid that closes in both directions; 2 rows cols edges",
        {count("rows", 3, 1e6, "rows"), count("cols", 3, 1e6, "columns")}},
       make_torus},
      {{"complete", "K_n; n (n - 1) / 2 edges", {count("n", 1, 10'000, "vertices")}},
       [](const Values& v, Stream) { return plain(complete_graph(v.count("n"))); }},
      {{"bipartite",
        "complete bipartite K_{a,b}; a b edges",
        {count("a", 1, 7'000, "vertices on one side"), count("b", 1, 7'000, "vertices on the other side")}},
       [](const Values& v, Stream) { return plain(complete_bipartite_graph(v.count("a"), v.count("b"))); }},
      {{"hypercube", "Q_d; 2^d vertices, d 2^(d - 1) edges", {count("d", 0, 20, "dimension")}},
       [](const Values& v, Stream) { return plain(hypercube_graph(v.count("d"))); }},
      {{"ring-of-cliques",
        "cliques in a ring, one edge between neighbours",
        {count("count", 3, 1e6, "cliques"), count("size", 1, 1'000, "vertices of each clique")}},
       make_ring_of_cliques},
      {{"geometric",
        "random points, joined when closer than a radius",
        {count("n", 1, 1e6, "vertices"),
         {"degree", 0, 1'000, 6, false, "average degree aimed at (when no radius is given)"},
         {"radius", 0, 1.5, 0, false,
          "distance that joins two points, in sides of the square; 0: from degree"}}},
       make_geometric},
      {{"regular",
        "random d-regular graph; n d / 2 edges, n d even",
        {count("n", 1, 1e6, "vertices"), count("d", 0, 1'000, "degree, below n", 3)}},
       make_regular},
      {{"barabasi-albert",
        "preferential attachment; m (n - m) edges",
        {count("n", 2, 1e6, "vertices"), count("m", 1, 1'000, "edges of each new vertex, below n", 2)}},
       make_barabasi_albert},
      {{"planted",
        "k-plane by construction: its drawing proves K <= k",
        {count("n", 1, 200'000, "vertices"), count("k", 0, 100, "crossings allowed per edge", 1)}},
       [](const Values& v, Stream stream) { return planted_graph(v.count("n"), v.count("k"), stream); }},
      {{"path", "n - 1 edges", {count("n", 1, 1e7, "vertices")}},
       [](const Values& v, Stream) { return plain(path_graph(v.count("n"))); }},
      {{"star", "one hub, n - 1 edges", {count("n", 1, 1e7, "vertices, hub included")}},
       [](const Values& v, Stream) { return plain(star_graph(v.count("n"))); }},
      {{"wheel", "a hub and a cycle; 2 (n - 1) edges", {count("n", 4, 1e7, "vertices, hub included")}},
       [](const Values& v, Stream) { return plain(wheel_graph(v.count("n"))); }},
      {{"cycle", "n edges", {count("n", 3, 1e7, "vertices")}},
       [](const Values& v, Stream) { return plain(cycle_graph(v.count("n"))); }},
  };
  return table;
}

}  // namespace

const std::vector<GraphFamily>& graph_families() {
  static const std::vector<GraphFamily> families = [] {
    std::vector<GraphFamily> list;
    for (const Entry& entry : entries()) list.push_back(entry.family);
    return list;
  }();
  return families;
}

GeneratedGraph generate_graph(const std::string& family, const FamilyValues& values, std::uint64_t seed) {
  for (const Entry& entry : entries()) {
    if (entry.family.name != family) continue;
    return entry.make(Values(entry.family, values),
                      Stream(derive_key({seed}, Purpose::generate_graph, family)));
  }
  std::vector<std::string> known;
  for (const Entry& entry : entries()) known.push_back(entry.family.name);
  throw usage_error(fmt::format("generate: unknown family '{}' (known: {})", family, fmt::join(known, ", ")));
}

}  // namespace lcn
