#include "crossings/bit_counter.hpp"

#include <algorithm>
#include <bit>

#include "geometry/predicates.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

constexpr std::int64_t kPairsPerLook = std::int64_t{1} << 25;  // about 10 ms

}  // namespace

template <class T>
BitCounter<T>::BitCounter(const Graph& graph, const Grid& grid, CrossingStore store)
    : graph_(&graph), grid_(grid), store_(store), kernels_(&row_kernels<T>()), words_((graph.m() + 63) / 64) {
  const auto n = static_cast<std::size_t>(graph.n());
  const auto m = static_cast<std::size_t>(graph.m());
  const auto padded = static_cast<std::size_t>(words_) * 64;
  x_.resize(n);
  y_.resize(n);
  counts_.assign(m, 0);
  delta_.assign(m, 0);
  listed_.assign(m, 0);
  histogram_.assign(m + 1, 0);
  for (auto* array : {&ax_, &ay_, &bx_, &by_, &rax_, &ray_, &rbx_, &rby_, &side_})
    array->assign(padded, T(0));
  if (store == CrossingStore::recount)
    for (auto* array : {&old_rax_, &old_ray_, &old_rbx_, &old_rby_, &old_side_}) array->assign(padded, T(0));
  else
    matrix_.assign(m * static_cast<std::size_t>(words_), 0);
  for (VertexId v = 0; v < graph.n(); ++v)
    if (graph.degree(v) == 0) isolated_.push_back(v);
  const auto most = static_cast<std::size_t>(graph.max_degree());
  near_x_.assign(most, T(0));
  near_y_.assign(most, T(0));
  zero_.assign(static_cast<std::size_t>(words_), 0);
  own_.assign(static_cast<std::size_t>(words_), 0);
  touch_.assign(static_cast<std::size_t>(words_), 0);
  old_row_.assign(static_cast<std::size_t>(words_), 0);
  rows_.assign(most * static_cast<std::size_t>(words_), 0);
  touched_.reserve(m);
}

template <class T>
void BitCounter<T>::set_edge_end(EdgeId e, VertexId v, T px, T py) {
  const auto at = static_cast<std::size_t>(e);
  if (graph_->edge(e).a == v) {
    ax_[at] = px;
    ay_[at] = py;
  } else {
    bx_[at] = px;
    by_[at] = py;
  }
}

template <class T>
void BitCounter<T>::load(const Drawing& drawing, const StopFunction& stop) {
  if (drawing.size() != static_cast<std::size_t>(graph_->n()))
    throw Error(ErrorKind::internal, "a drawing needs one point per vertex");
  for (std::size_t v = 0; v < drawing.size(); ++v) {
    if (!grid_.contains(drawing[v]))
      throw Error(ErrorKind::internal, "a crossing counter needs points on the grid");
    x_[v] = static_cast<std::int32_t>(drawing[v].x);
    y_[v] = static_cast<std::int32_t>(drawing[v].y);
  }
  const EdgeId m = graph_->m();
  for (EdgeId e = 0; e < m; ++e) {
    const Edge& edge = graph_->edge(e);
    set_edge_end(e, edge.a, static_cast<T>(x(edge.a)), static_cast<T>(y(edge.a)));
    set_edge_end(e, edge.b, static_cast<T>(x(edge.b)), static_cast<T>(y(edge.b)));
  }
  std::fill(histogram_.begin(), histogram_.end(), 0);
  forget_changes();
  shifted_ = false;
  StopLook look(stop, kPairsPerLook);
  for (EdgeId e = 0; e < m; ++e) {
    const auto at = static_cast<std::size_t>(e);
    look.after(m);
    const T px = ax_[at], py = ay_[at];
    kernels_->relative(ax_.data(), ay_.data(), bx_.data(), by_.data(), px, py, words_, rax_.data(),
                       ray_.data(), rbx_.data(), rby_.data(), side_.data(), zero_.data());
    kernels_->row(rax_.data(), ray_.data(), rbx_.data(), rby_.data(), side_.data(), bx_[at] - px,
                  by_[at] - py, words_, old_row_.data(), touch_.data());
    std::int32_t total = 0;
    for (int w = 0; w < words_; ++w) total += std::popcount(old_row_[static_cast<std::size_t>(w)]);
    counts_[at] = total;
    if (store_ == CrossingStore::matrix)
      std::copy(old_row_.begin(), old_row_.end(), matrix_.begin() + static_cast<std::ptrdiff_t>(at) * words_);
    ++histogram_[static_cast<std::size_t>(total)];
  }
  tuple_ = tuple_of_counts<std::int32_t>(counts_);
}

template <class T>
void BitCounter<T>::copy_from(const BitCounter& other) {
  x_ = other.x_;
  y_ = other.y_;
  counts_ = other.counts_;
  ax_ = other.ax_;
  ay_ = other.ay_;
  bx_ = other.bx_;
  by_ = other.by_;
  matrix_ = other.matrix_;
  histogram_ = other.histogram_;
  tuple_ = other.tuple_;
}

template <class T>
bool BitCounter<T>::crosses(EdgeId e, EdgeId f) const {
  if (store_ == CrossingStore::matrix) {
    const auto at =
        static_cast<std::size_t>(e) * static_cast<std::size_t>(words_) + static_cast<std::size_t>(f / 64);
    return (matrix_[at] >> (f % 64)) & 1;
  }
  const Edge &s = graph_->edge(e), &t = graph_->edge(f);
  if (s.a == t.a || s.a == t.b || s.b == t.a || s.b == t.b) return false;
  const auto i = static_cast<std::size_t>(e), j = static_cast<std::size_t>(f);
  return segments_cross(ax_[i], ay_[i], bx_[i], by_[i], ax_[j], ay_[j], bx_[j], by_[j]);
}

// Is vertex w, neither v nor u, on the closed segment from (px, py) to u?
template <class T>
bool BitCounter<T>::vertex_on_segment(VertexId w, VertexId v, VertexId u, std::int64_t px,
                                      std::int64_t py) const {
  if (w == v || w == u) return false;
  return point_on_segment<std::int64_t>(px, py, x(u), y(u), x(w), y(w));
}

template <class T>
bool BitCounter<T>::touches_any(const std::uint64_t* touch, VertexId v, VertexId u, std::int64_t px,
                                std::int64_t py) const {
  for (int w = 0; w < words_; ++w)
    for (std::uint64_t bits = touch[w]; bits != 0; bits &= bits - 1) {
      const EdgeId f = 64 * w + std::countr_zero(bits);
      if (f >= graph_->m()) break;
      const Edge& edge = graph_->edge(f);
      if (vertex_on_segment(edge.a, v, u, px, py) || vertex_on_segment(edge.b, v, u, px, py)) return true;
    }
  return false;
}

template <class T>
void BitCounter<T>::add_change(EdgeId f, std::int32_t amount) {
  const auto at = static_cast<std::size_t>(f);
  if (!listed_[at]) {
    listed_[at] = 1;
    touched_.push_back(f);
  }
  delta_[at] += amount;
}

template <class T>
bool BitCounter<T>::evaluate(VertexId v, std::int32_t px, std::int32_t py) {
  if (px < 0 || py < 0 || px > grid_.width || py > grid_.height) return false;
  // V2, and isolated vertices on new edges, by position alone.
  for (std::size_t w = 0; w < x_.size(); ++w)
    if (x_[w] == px && y_[w] == py) return false;
  const T tx = static_cast<T>(px), ty = static_cast<T>(py);
  kernels_->relative(ax_.data(), ay_.data(), bx_.data(), by_.data(), tx, ty, words_, rax_.data(), ray_.data(),
                     rbx_.data(), rby_.data(), side_.data(), zero_.data());
  const auto incident = graph_->incident(v);
  for (const Incidence& i : incident)
    own_[static_cast<std::size_t>(i.edge / 64)] |= std::uint64_t{1} << (i.edge % 64);
  const auto clear_own = [&] {
    for (const Incidence& i : incident) own_[static_cast<std::size_t>(i.edge / 64)] = 0;
  };
  // V3: the new place on an edge that is not v's own.
  for (int w = 0; w < words_; ++w)
    for (std::uint64_t bits = zero_[static_cast<std::size_t>(w)] & ~own_[static_cast<std::size_t>(w)];
         bits != 0; bits &= bits - 1) {
      const EdgeId f = 64 * w + std::countr_zero(bits);
      if (f >= graph_->m()) break;
      const Edge& edge = graph_->edge(f);
      if (point_on_segment<std::int64_t>(x(edge.a), y(edge.a), x(edge.b), y(edge.b), px, py)) {
        clear_own();
        return false;
      }
    }
  const std::size_t degree = incident.size();
  for (std::size_t i = 0; i < degree; ++i) {
    near_x_[i] = static_cast<T>(x(incident[i].neighbour)) - tx;
    near_y_[i] = static_cast<T>(y(incident[i].neighbour)) - ty;
  }
  // V3 between v's own edges: a neighbour on the new segment to another one.
  for (std::size_t i = 0; i < degree; ++i) {
    int collinear = 0;
    const T dx = near_x_[i], dy = near_y_[i];
    for (std::size_t j = 0; j < degree; ++j) collinear += dx * near_y_[j] == dy * near_x_[j];
    bool bad = false;
    if (collinear > 1)
      for (std::size_t j = 0; j < degree && !bad; ++j)
        bad = j != i && vertex_on_segment(incident[j].neighbour, v, incident[i].neighbour, px, py);
    for (std::size_t j = 0; j < isolated_.size() && !bad; ++j)
      bad = vertex_on_segment(isolated_[j], v, incident[i].neighbour, px, py);
    if (bad) {
      clear_own();
      return false;
    }
  }
  bool valid = true;
  std::size_t done = 0;
  for (; done < degree && valid; ++done) {
    std::uint64_t* row = rows_.data() + done * static_cast<std::size_t>(words_);
    kernels_->row(rax_.data(), ray_.data(), rbx_.data(), rby_.data(), side_.data(), near_x_[done],
                  near_y_[done], words_, row, touch_.data());
    std::uint64_t touching = 0;
    for (int w = 0; w < words_; ++w) {
      row[w] &= ~own_[static_cast<std::size_t>(w)];
      touch_[static_cast<std::size_t>(w)] &= ~own_[static_cast<std::size_t>(w)];
      touching |= touch_[static_cast<std::size_t>(w)];
    }
    valid = touching == 0 || !touches_any(touch_.data(), v, incident[done].neighbour, px, py);
  }
  if (!valid) {
    clear_own();
    return false;
  }
  if (store_ == CrossingStore::recount)
    kernels_->relative(ax_.data(), ay_.data(), bx_.data(), by_.data(), static_cast<T>(x(v)),
                       static_cast<T>(y(v)), words_, old_rax_.data(), old_ray_.data(), old_rbx_.data(),
                       old_rby_.data(), old_side_.data(), zero_.data());
  for (std::size_t i = 0; i < degree; ++i) {
    const EdgeId e = incident[i].edge;
    const std::uint64_t* row = rows_.data() + i * static_cast<std::size_t>(words_);
    const std::uint64_t* old_row;
    if (store_ == CrossingStore::matrix) {
      old_row = matrix_.data() + static_cast<std::size_t>(e) * static_cast<std::size_t>(words_);
    } else {
      const VertexId u = incident[i].neighbour;
      kernels_->row(old_rax_.data(), old_ray_.data(), old_rbx_.data(), old_rby_.data(), old_side_.data(),
                    static_cast<T>(x(u) - x(v)), static_cast<T>(y(u) - y(v)), words_, old_row_.data(),
                    touch_.data());
      for (int w = 0; w < words_; ++w)
        old_row_[static_cast<std::size_t>(w)] &= ~own_[static_cast<std::size_t>(w)];
      old_row = old_row_.data();
    }
    std::int32_t own_change = 0;
    for (int w = 0; w < words_; ++w) {
      const std::uint64_t now = row[w];
      std::uint64_t changed = now ^ old_row[w];
      if (changed == 0) continue;
      for (; changed != 0; changed &= changed - 1) {
        const int bit = std::countr_zero(changed);
        const std::int32_t amount = ((now >> bit) & 1) ? 1 : -1;
        add_change(64 * w + bit, amount);
        own_change += amount;
      }
    }
    if (own_change != 0) add_change(e, own_change);
  }
  clear_own();
  vertex_ = v;
  new_x_ = px;
  new_y_ = py;
  return true;
}

template <class T>
std::int64_t BitCounter<T>::energy_change(const std::int64_t* table) const {
  std::int64_t change = 0;
  for (const EdgeId f : touched_) {
    const std::int32_t old_count = counts_[static_cast<std::size_t>(f)];
    change += table[old_count + delta_[static_cast<std::size_t>(f)]] - table[old_count];
  }
  return change;
}

template <class T>
std::int64_t BitCounter<T>::energy(const std::int64_t* table) const {
  std::int64_t total = 0;
  for (const std::int32_t count : counts_) total += table[count];
  return total;
}

// Moves every changed edge between its histogram cells: +1 towards the pending counts, -1 back.
template <class T>
void BitCounter<T>::shift_histogram(int direction) {
  for (const EdgeId f : touched_) {
    const std::int32_t old_count = counts_[static_cast<std::size_t>(f)];
    histogram_[static_cast<std::size_t>(old_count)] -= direction;
    histogram_[static_cast<std::size_t>(old_count + delta_[static_cast<std::size_t>(f)])] += direction;
  }
}

template <class T>
Tuple BitCounter<T>::pending_tuple() {
  if (shifted_) return pending_;
  pending_ = tuple_;
  std::int64_t sum = 0, top = tuple_.K;
  for (const EdgeId f : touched_) {
    const std::int64_t change = delta_[static_cast<std::size_t>(f)];
    const std::int64_t old_count = counts_[static_cast<std::size_t>(f)];
    sum += change;
    pending_.Phi += change * (2 * old_count + change);
    top = std::max(top, old_count + change);
  }
  pending_.C += sum / 2;
  shift_histogram(+1);
  shifted_ = true;
  while (top > 0 && histogram_[static_cast<std::size_t>(top)] == 0) --top;
  pending_.K = top;
  pending_.n_K = top == 0 ? 0 : histogram_[static_cast<std::size_t>(top)];
  return pending_;
}

template <class T>
void BitCounter<T>::commit() {
  tuple_ = pending_tuple();
  const auto incident = graph_->incident(vertex_);
  for (std::size_t i = 0; i < incident.size(); ++i) {
    const EdgeId e = incident[i].edge;
    set_edge_end(e, vertex_, static_cast<T>(new_x_), static_cast<T>(new_y_));
    if (store_ != CrossingStore::matrix) continue;
    const std::uint64_t* row = rows_.data() + i * static_cast<std::size_t>(words_);
    std::uint64_t* old_row = matrix_.data() + static_cast<std::size_t>(e) * static_cast<std::size_t>(words_);
    const std::uint64_t bit_of_e = std::uint64_t{1} << (e % 64);
    for (int w = 0; w < words_; ++w) {
      for (std::uint64_t changed = row[w] ^ old_row[w]; changed != 0; changed &= changed - 1) {
        const auto f = static_cast<std::size_t>(64 * w + std::countr_zero(changed));
        matrix_[f * static_cast<std::size_t>(words_) + static_cast<std::size_t>(e / 64)] ^= bit_of_e;
      }
      old_row[w] = row[w];
    }
  }
  for (const EdgeId f : touched_) counts_[static_cast<std::size_t>(f)] += delta_[static_cast<std::size_t>(f)];
  x_[static_cast<std::size_t>(vertex_)] = new_x_;
  y_[static_cast<std::size_t>(vertex_)] = new_y_;
  shifted_ = false;
  forget_changes();
}

template <class T>
void BitCounter<T>::discard() {
  if (shifted_) shift_histogram(-1);
  shifted_ = false;
  forget_changes();
}

template <class T>
void BitCounter<T>::forget_changes() {
  for (const EdgeId f : touched_) {
    delta_[static_cast<std::size_t>(f)] = 0;
    listed_[static_cast<std::size_t>(f)] = 0;
  }
  touched_.clear();
}

template <class T>
Drawing BitCounter<T>::drawing() const {
  Drawing points(x_.size());
  for (std::size_t v = 0; v < x_.size(); ++v) points[v] = {x_[v], y_[v]};
  return points;
}

template <class T>
std::size_t BitCounter<T>::memory_bytes() const {
  return matrix_.size() * sizeof(std::uint64_t) + rows_.size() * sizeof(std::uint64_t) +
         (ax_.size() * 9 + old_rax_.size() * 5) * sizeof(T) +
         (counts_.size() * 4 + x_.size() * 2) * sizeof(std::int32_t);
}

template class BitCounter<float>;
template class BitCounter<double>;
template class BitCounter<std::int64_t>;

}  // namespace lcn
