#include "io/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include "crossings/oracle.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

constexpr double kSize = 1000, kMargin = 24, kHeader = 64;
constexpr const char* kTopColour = "#d55e00";  // vermilion of the Okabe-Ito palette
constexpr const char* kZeroColour = "#c8c8c8";
constexpr std::array<std::array<double, 3>, 4> kRamp = {
    {{158, 202, 225}, {66, 146, 198}, {8, 81, 156}, {8, 29, 88}}};

std::string ramp_colour(double t) {
  const double at = std::clamp(t, 0.0, 1.0) * (kRamp.size() - 1);
  const auto low = std::min<std::size_t>(static_cast<std::size_t>(at), kRamp.size() - 2);
  const double f = at - static_cast<double>(low);
  const auto channel = [&](std::size_t c) {
    return static_cast<int>(std::lround((1 - f) * kRamp[low][c] + f * kRamp[low + 1][c]));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

std::string colour_of(std::int64_t count, std::int64_t K) {
  if (count == 0) return kZeroColour;
  if (count == K) return kTopColour;
  return ramp_colour(K > 2 ? static_cast<double>(count - 1) / static_cast<double>(K - 2) : 0.0);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

// Grid to picture: the bounding box of the drawing fills the square of kSize, y upwards.
class View {
 public:
  explicit View(const Drawing& drawing) {
    if (drawing.empty()) return;
    low_ = high_ = drawing.front();
    for (const Point& p : drawing) {
      low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y)};
      high_ = {std::max(high_.x, p.x), std::max(high_.y, p.y)};
    }
    const double width = static_cast<double>(high_.x) - static_cast<double>(low_.x);
    const double height = static_cast<double>(high_.y) - static_cast<double>(low_.y);
    scale_ = kSize / std::max({width, height, 1.0});
    width_ = width * scale_;
    height_ = height * scale_;
  }
  // A narrow drawing still has room for the header.
  double width() const { return std::max(width_, 480.0) + 2 * kMargin; }
  double height() const { return height_ + kHeader + 2 * kMargin; }
  double x(const Point& p) const {
    return kMargin + (static_cast<double>(p.x) - static_cast<double>(low_.x)) * scale_;
  }
  double y(const Point& p) const {
    return kHeader + kMargin + (static_cast<double>(high_.y) - static_cast<double>(p.y)) * scale_;
  }

 private:
  Point low_, high_;
  double scale_ = 1, width_ = 0, height_ = 0;
};

void append_legend(std::string& svg, const Tuple& tuple) {
  auto out = std::back_inserter(svg);
  constexpr double top = 46, cell = 12;
  const auto swatch = [&](double x, const std::string& colour, double width) {
    fmt::format_to(out, "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", x, top,
                   width, cell, colour);
  };
  const auto label = [&](double x, const std::string& text) {
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{}\" font-size=\"12\">{}</text>\n", x, top + 11, text);
  };
  double x = kMargin;
  label(x, "crossings on the edge:");
  x += 156;
  swatch(x, kZeroColour, cell);
  label(x + 16, "0");
  x += 36;
  if (tuple.K > 1) {
    const auto steps = std::min<std::int64_t>(tuple.K - 1, 24);
    label(x, "1");
    x += 12;
    const double width = 120.0 / static_cast<double>(steps);
    for (std::int64_t i = 0; i < steps; ++i)
      swatch(x + static_cast<double>(i) * width,
             ramp_colour(steps > 1 ? static_cast<double>(i) / static_cast<double>(steps - 1) : 0.0), width);
    label(x + 124, fmt::format("{}", tuple.K - 1));
    x += 170;
  }
  if (tuple.K > 0) {
    swatch(x, kTopColour, cell);
    label(x + 16, fmt::format("{} ({} {})", tuple.K, tuple.n_K, tuple.n_K == 1 ? "edge" : "edges"));
  }
}

}  // namespace

std::string drawing_svg(const Graph& graph, const Drawing& drawing, const std::string& title) {
  const std::vector<std::int64_t> counts = oracle_counts(graph, drawing);
  const Tuple tuple = tuple_of_counts(std::span<const std::int64_t>(counts));
  const View view(drawing);
  std::map<std::int64_t, std::vector<EdgeId>> levels;  // ascending: the edges with K crossings come last
  for (EdgeId e = 0; e < graph.m(); ++e) levels[counts[static_cast<std::size_t>(e)]].push_back(e);
  const double n = std::max<double>(graph.n(), 1);
  const double stroke = std::clamp(30.0 / std::sqrt(n + graph.m()), 0.3, 1.6);
  const double radius = std::clamp(50.0 / std::sqrt(n), 0.7, 4.5);

  std::string svg;
  auto out = std::back_inserter(svg);
  fmt::format_to(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 "
                 "0 {0:.0f} {1:.0f}\" "
                 "font-family=\"sans-serif\">\n",
                 view.width(), view.height());
  const std::string heading = fmt::format("{}  (K, n_K, \xCE\xA6, C) = {}", escaped(title), to_string(tuple));
  fmt::format_to(out, "<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                 heading);
  fmt::format_to(out, "<text x=\"{}\" y=\"28\" font-size=\"18\">{}</text>\n", kMargin, heading);
  append_legend(svg, tuple);
  svg += "<g fill=\"none\" stroke-linecap=\"round\">\n";
  for (const auto& [count, edges] : levels) {
    const bool top = count == tuple.K && count > 0;
    fmt::format_to(out, "<path class=\"c{}\" stroke=\"{}\" stroke-width=\"{:.2f}\" d=\"", count,
                   colour_of(count, tuple.K), top ? 2.2 * stroke : stroke);
    for (const EdgeId e : edges) {
      const Point& a = drawing[static_cast<std::size_t>(graph.edge(e).a)];
      const Point& b = drawing[static_cast<std::size_t>(graph.edge(e).b)];
      fmt::format_to(out, "M{:.1f} {:.1f}L{:.1f} {:.1f}", view.x(a), view.y(a), view.x(b), view.y(b));
    }
    svg += "\"/>\n";
  }
  svg += "</g>\n<g fill=\"#222222\">\n";
  for (const Point& p : drawing)
    fmt::format_to(out, "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", view.x(p), view.y(p), radius);
  svg += "</g>\n</svg>\n";
  return svg;
}

}  // namespace lcn
