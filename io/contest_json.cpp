#include "io/contest_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "io/decimal.hpp"
#include "io/files.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kMaxCoordinate = std::int64_t{1} << 61;  // where oracle and validator stay exact
constexpr std::size_t kMaxDepth = 256;  // writing is recursive, so nesting must have an end
constexpr std::size_t kMaxItems = std::size_t{1} << 30;

Error at(const std::string& path, const std::string& place, const std::string& reason) {
  return input_error(fmt::format("{}: {}: {}", path, place, reason));
}

std::string item(const char* list, std::size_t index, const char* key = nullptr) {
  return key ? fmt::format("{}[{}].{}", list, index, key) : fmt::format("{}[{}]", list, index);
}

// The parser's own words about a syntax error, short and printable.
std::string syntax_reason(std::string text) {
  const std::size_t start = text.find("syntax error");
  if (start != std::string::npos)
    text.erase(0, start);
  else if (const std::size_t bracket = text.find("] "); bracket != std::string::npos)
    text.erase(0, bracket + 2);
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  if (text.size() > 200) text = text.substr(0, 197) + "...";
  return text;
}

struct RawNode {
  std::optional<std::int64_t> id, x, y;
};

struct RawEdge {
  std::optional<std::int64_t> source, target;
};

// Receives the parser's events and keeps only what an instance needs, so that a million nodes take little
// more memory than their text. Tracks the place in the document for error messages.
class Reader : public nlohmann::json_sax<json> {
 public:
  Reader(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  std::vector<RawNode> nodes;
  std::vector<RawEdge> edges;
  std::optional<std::int64_t> width, height;
  bool has_nodes = false, has_edges = false;

  bool null() override { return scalar("null"); }
  bool boolean(bool) override { return scalar("a boolean"); }
  bool string(string_t&) override { return scalar("a string"); }
  bool binary(binary_t&) override { return scalar("binary data"); }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return integer(value > static_cast<std::uint64_t>(kMaxCoordinate) ? kMaxCoordinate + 1
                                                                      : static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t, const string_t& token) override {
    if (!wants_integer()) return scalar("a number");
    const Decimal decimal = parse_decimal(token);
    if (!decimal.integral)
      throw at(path_, place(), fmt::format("must be an integer (found {})", token.substr(0, 40)));
    return integer(decimal.too_large ? kMaxCoordinate + 1 : decimal.value);
  }

  bool start_object(std::size_t) override {
    begin_container(true);
    return true;
  }
  bool start_array(std::size_t) override {
    begin_container(false);
    return true;
  }
  bool end_object() override { return end_container(); }
  bool end_array() override { return end_container(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (!level.keys.insert(name).second)
      throw at(path_, place(), "the key is given twice in one object (which value is meant?)");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    const std::size_t end = std::min(position > 0 ? position - 1 : 0, text_.size());
    const std::string_view before = text_.substr(0, end);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 = 0
    if (line_start == 0 && text_.substr(0, 3) == "\xEF\xBB\xBF") line_start = std::min<std::size_t>(3, end);
    throw at(path_, fmt::format("line {}, column {}", line, end - line_start + 1),
             fmt::format("broken JSON ({})", syntax_reason(error.what())));
  }

 private:
  struct Level {
    bool object = false;
    std::string key;
    std::set<std::string> keys;
    std::size_t index = 0;  // of the current item of an array
  };
  enum class Where { other, root, nodes, edges, node, edge, width, height, id, x, y, source, target };

  std::string place() const {
    std::string text;
    for (const Level& level : levels_) {
      if (level.object)
        text.append(text.empty() ? "" : ".").append(level.key, 0, 80);
      else
        text += fmt::format("[{}]", level.index);
    }
    return text.empty() ? "top level" : text;
  }

  Where where() const {
    if (levels_.empty()) return Where::root;
    if (!levels_[0].object) return Where::other;
    const std::string& top = levels_[0].key;
    if (levels_.size() == 1)
      return top == "nodes"    ? Where::nodes
             : top == "edges"  ? Where::edges
             : top == "width"  ? Where::width
             : top == "height" ? Where::height
                               : Where::other;
    const bool in_nodes = top == "nodes", in_edges = top == "edges";
    if (levels_.size() == 2) return in_nodes ? Where::node : in_edges ? Where::edge : Where::other;
    if (levels_.size() != 3) return Where::other;
    const std::string& key = levels_[2].key;
    if (in_nodes)
      return key == "id" ? Where::id : key == "x" ? Where::x : key == "y" ? Where::y : Where::other;
    if (in_edges) return key == "source" ? Where::source : key == "target" ? Where::target : Where::other;
    return Where::other;
  }

  bool wants_integer() const {
    const Where here = where();
    return here != Where::other && here != Where::root && here != Where::nodes && here != Where::edges &&
           here != Where::node && here != Where::edge;
  }

  // A container or scalar has ended: the next item of the array around it, if it is one, begins.
  bool next_item() {
    if (!levels_.empty() && !levels_.back().object) ++levels_.back().index;
    return true;
  }

  void refuse(const char* found) const {
    const Where here = where();
    const char* wanted = here == Where::root ? "an object with the keys nodes and edges"
                         : here == Where::nodes || here == Where::edges ? "an array"
                         : here == Where::node                          ? "an object with the key id"
                         : here == Where::edge ? "an object with the keys source and target"
                                               : "an integer";
    throw at(path_, place(), fmt::format("must be {} (found {})", wanted, found));
  }

  bool scalar(const char* found) {
    if (where() != Where::other) refuse(found);
    return next_item();
  }

  bool integer(std::int64_t value) {
    const Where here = where();
    if (here == Where::other) return next_item();
    if (!wants_integer()) refuse("a number");
    if (value > kMaxCoordinate || value < -kMaxCoordinate)
      throw at(path_, place(), "is too large (integers may not exceed 2^61 in magnitude)");
    switch (here) {
      case Where::width:
        width = value;
        break;
      case Where::height:
        height = value;
        break;
      case Where::id:
        nodes.back().id = value;
        break;
      case Where::x:
        nodes.back().x = value;
        break;
      case Where::y:
        nodes.back().y = value;
        break;
      case Where::source:
        edges.back().source = value;
        break;
      case Where::target:
        edges.back().target = value;
        break;
      default:
        break;
    }
    return next_item();
  }

  void begin_container(bool object) {
    const Where here = where();
    const bool fits =
        here == Where::other || (object ? here == Where::root || here == Where::node || here == Where::edge
                                        : here == Where::nodes || here == Where::edges);
    if (!fits) refuse(object ? "an object" : "an array");
    if (levels_.size() >= kMaxDepth)
      throw at(path_, levels_.front().key, fmt::format("is nested deeper than {} levels", kMaxDepth));
    if (here == Where::nodes) has_nodes = true;
    if (here == Where::edges) has_edges = true;
    if (here == Where::node) nodes.emplace_back();
    if (here == Where::edge) edges.emplace_back();
    if (nodes.size() > kMaxItems || edges.size() > kMaxItems)
      throw at(path_, place(), "too many items (at most 2^30 nodes and edges)");
    levels_.emplace_back();
    levels_.back().object = object;
  }

  bool end_container() {
    levels_.pop_back();
    return next_item();
  }

  const std::string& path_;
  std::string_view text_;
  std::vector<Level> levels_;
};

Grid checked_grid(const Reader& raw, const std::string& path) {
  Grid grid;
  if (raw.width) grid.width = *raw.width;
  if (raw.height) grid.height = *raw.height;
  for (const auto& [side, key] : {std::pair{grid.width, "width"}, std::pair{grid.height, "height"}}) {
    if (side < 0) throw at(path, key, fmt::format("a grid cannot have the side {} (at least 0)", side));
    if (side > kMaxGridSide)
      throw at(
          path, key,
          fmt::format("a grid side of {} is larger than exact arithmetic allows (at most {}); scale it down",
                      side, kMaxGridSide));
  }
  return grid;
}

// position[v] = index in the file's list of the node with id v.
std::vector<std::size_t> positions_by_id(const std::vector<RawNode>& nodes, const std::string& path) {
  constexpr std::size_t unset = std::numeric_limits<std::size_t>::max();
  const std::size_t n = nodes.size();
  std::vector<std::size_t> position(n, unset);
  for (std::size_t i = 0; i < n; ++i) {
    if (!nodes[i].id) throw at(path, item("nodes", i, "id"), "is missing");
    const std::int64_t id = *nodes[i].id;
    if (id < 0 || id >= static_cast<std::int64_t>(n))
      throw at(path, item("nodes", i, "id"),
               fmt::format("{} is not one of 0..{} (ids must be 0..n-1, in any order)", id, n - 1));
    std::size_t& slot = position[static_cast<std::size_t>(id)];
    if (slot != unset)
      throw at(path, item("nodes", i, "id"),
               fmt::format("{} is the id of {} already", id, item("nodes", slot)));
    slot = i;
  }
  return position;
}

std::optional<Drawing> checked_drawing(const std::vector<RawNode>& nodes,
                                       const std::vector<std::size_t>& position, const std::string& path) {
  const bool drawn = !nodes.empty() && (nodes[0].x || nodes[0].y);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].x.has_value() != nodes[i].y.has_value())
      throw at(path, item("nodes", i, nodes[i].x ? "y" : "x"),
               "is missing (a node has both coordinates or none)");
    if (nodes[i].x.has_value() != drawn)
      throw at(path, item("nodes", i),
               fmt::format("has {} but nodes[0] has {} (all nodes have x and y, or none has)",
                           drawn ? "no coordinates" : "coordinates", drawn ? "some" : "none"));
  }
  if (!drawn && !nodes.empty()) return std::nullopt;
  Drawing drawing;
  drawing.reserve(nodes.size());
  for (std::size_t index : position) drawing.push_back({*nodes[index].x, *nodes[index].y});
  return drawing;
}

Graph checked_graph(const Reader& raw, const std::string& path) {
  const auto n = static_cast<std::int64_t>(raw.nodes.size());
  std::vector<Edge> edges;
  edges.reserve(raw.edges.size());
  for (std::size_t e = 0; e < raw.edges.size(); ++e) {
    const auto end_point = [&](const std::optional<std::int64_t>& id, const char* key) {
      if (!id) throw at(path, item("edges", e, key), "is missing");
      if (*id < 0 || *id >= n)
        throw at(path, item("edges", e, key),
                 n == 0 ? fmt::format("names vertex {}, but there are no nodes", *id)
                        : fmt::format("names vertex {}, but the ids are 0..{}", *id, n - 1));
      return static_cast<VertexId>(*id);
    };
    const VertexId source = end_point(raw.edges[e].source, "source");
    edges.push_back({source, end_point(raw.edges[e].target, "target")});
  }
  try {
    return Graph::from_edges(static_cast<VertexId>(n), std::move(edges));
  } catch (const Error& error) {
    throw at(path, "edges", error.what());
  }
}

// A document to be written again. Numbers that are no 64-bit integers are kept as their text (as binary
// values, which JSON has none of): a double would lose digits of them. For text that Reader has accepted.
class DocumentBuilder : public nlohmann::json_sax<ordered_json> {
 public:
  ordered_json document;

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t, const string_t& token) override {
    return put(ordered_json::binary({token.begin(), token.end()}));
  }
  bool start_object(std::size_t) override { return put(ordered_json::object()); }
  bool start_array(std::size_t) override { return put(ordered_json::array()); }
  bool end_object() override { return open_.pop_back(), true; }
  bool end_array() override { return open_.pop_back(), true; }
  bool key(string_t& name) override { return key_ = std::move(name), true; }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  bool put(ordered_json value) {
    const bool container = value.is_structured();
    ordered_json* place = &document;
    if (!open_.empty() && open_.back()->is_array()) {
      open_.back()->push_back(nullptr);
      place = &open_.back()->back();
    } else if (!open_.empty()) {
      place = &(*open_.back())[key_];
    }
    *place = std::move(value);
    if (container) open_.push_back(place);  // it stays where it is until it is closed
    return true;
  }

  std::vector<ordered_json*> open_;
  std::string key_;
};

void append_compact(std::string& text, const ordered_json& value) {
  if (value.is_binary()) {
    text.append(value.get_binary().begin(), value.get_binary().end());
  } else if (value.is_object() || value.is_array()) {
    text += value.is_object() ? '{' : '[';
    bool first = true;
    for (const auto& [key, item] : value.items()) {
      if (!first) text += ',';
      first = false;
      if (value.is_object()) text += ordered_json(key).dump() + ":";
      append_compact(text, item);
    }
    text += value.is_object() ? '}' : ']';
  } else {
    text += value.dump();
  }
}

// One array item per line: small files stay readable, large ones can be compared line by line.
void append_value(std::string& text, const ordered_json& value) {
  if (!value.is_array() || value.empty()) {
    append_compact(text, value);
    return;
  }
  text += "[\n";
  for (std::size_t i = 0; i < value.size(); ++i) {
    text += "  ";
    append_compact(text, value[i]);
    text += i + 1 < value.size() ? ",\n" : "\n";
  }
  text += " ]";
}

std::string document_text(const ordered_json& document) {
  std::string text = "{\n";
  std::size_t left = document.size();
  for (const auto& [key, value] : document.items()) {
    text += fmt::format(" {}: ", ordered_json(key).dump());
    append_value(text, value);
    text += --left > 0 ? ",\n" : "\n";
  }
  return text + "}\n";
}

// The reader has checked that the value is an integer in one of the spellings 5, 5.0, 5e0.
std::int64_t integer_of(const ordered_json& value) {
  if (!value.is_binary()) return value.get<std::int64_t>();
  return parse_decimal({reinterpret_cast<const char*>(value.get_binary().data()), value.get_binary().size()})
      .value;
}

}  // namespace

Instance parse_instance(const std::string& text, const std::string& name, const std::string& path) {
  Reader raw(path, text);
  json::sax_parse(text, &raw);
  if (!raw.has_nodes) throw at(path, "nodes", "is missing (a contest file has the keys nodes and edges)");
  if (!raw.has_edges) throw at(path, "edges", "is missing (a contest file has the keys nodes and edges)");
  Instance instance;
  instance.name = name;
  instance.path = path;
  instance.grid = checked_grid(raw, path);
  const std::vector<std::size_t> position = positions_by_id(raw.nodes, path);
  instance.graph = checked_graph(raw, path);
  instance.drawing = checked_drawing(raw.nodes, position, path);
  instance.text = text;
  instance.hash = sha256(text);
  return instance;
}

Instance read_instance(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  if (name.ends_with(".json")) name.resize(name.size() - 5);
  return parse_instance(read_text_file(path), name, path);
}

std::string instance_json(const Instance& instance, const Drawing& drawing) {
  if (drawing.size() != static_cast<std::size_t>(instance.graph.n()))
    throw Error(ErrorKind::internal,
                fmt::format("{}: a drawing of {} for {}", instance.name, plural(drawing.size(), "point"),
                            plural(instance.graph.n(), "vertex", "vertices")));
  DocumentBuilder builder;
  ordered_json::sax_parse(instance.text, &builder);
  ordered_json& document = builder.document;
  for (ordered_json& node : document["nodes"]) {
    const std::int64_t id = integer_of(node["id"]);
    node["id"] = id;
    node["x"] = drawing[static_cast<std::size_t>(id)].x;
    node["y"] = drawing[static_cast<std::size_t>(id)].y;
  }
  std::size_t e = 0;
  for (ordered_json& edge : document["edges"]) {
    edge["source"] = instance.graph.edges()[e].a;
    edge["target"] = instance.graph.edges()[e].b;
    ++e;
  }
  document["width"] = instance.grid.width;
  document["height"] = instance.grid.height;
  return document_text(document);
}

std::string graph_json(const Graph& graph, const Grid& grid, const Drawing* drawing) {
  ordered_json nodes = ordered_json::array();
  for (VertexId v = 0; v < graph.n(); ++v) {
    ordered_json node = {{"id", v}};
    if (drawing) {
      node["x"] = drawing->at(static_cast<std::size_t>(v)).x;
      node["y"] = drawing->at(static_cast<std::size_t>(v)).y;
    }
    nodes.push_back(std::move(node));
  }
  ordered_json edges = ordered_json::array();
  for (const Edge& edge : graph.edges()) edges.push_back({{"source", edge.a}, {"target", edge.b}});
  ordered_json document;
  document["nodes"] = std::move(nodes);
  document["edges"] = std::move(edges);
  document["width"] = grid.width;
  document["height"] = grid.height;
  return document_text(document);
}

std::vector<std::string> find_instance_files(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> by_canonical;  // one spelling of each file: the first that was given
  const auto add = [&](const fs::path& path) {
    by_canonical.emplace(fs::canonical(path).string(), path.string());
  };
  for (const std::string& path : paths) {
    try {
      if (!fs::exists(path)) throw input_error(path + ": no such file or folder");
      if (!fs::is_directory(path)) {
        add(path);
        continue;
      }
      const std::size_t before = by_canonical.size();
      bool found = false;
      for (fs::recursive_directory_iterator at(path), end; at != end; ++at) {
        // A run's folder holds drawings of instances, not instances.
        if (at->is_directory() && fs::exists(at->path() / "plan.json")) at.disable_recursion_pending();
        if (at->path().extension() == ".json" && at->is_regular_file()) {
          add(at->path());
          found = true;
        }
      }
      if (!found && by_canonical.size() == before)
        throw input_error(path + ": holds no instance (looked for *.json in it and below)");
    } catch (const fs::filesystem_error& error) {
      throw input_error(fmt::format("{}: cannot be read ({})", path, error.code().message()));
    }
  }
  std::vector<std::string> files;
  for (const auto& [canonical, path] : by_canonical) files.push_back(path);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace lcn
