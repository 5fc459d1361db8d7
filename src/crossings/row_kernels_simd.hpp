// Body shared by the AVX2 and AVX-512 files, over a vector type S. Fused multiply-subtract is exact here:
// every product and difference is an integer that T holds. A product of two sides has the right sign and is
// zero only for a zero factor (sides are integers, so nothing underflows), which makes one comparison do for
// "strictly apart".
template <class S>
void relative(const typename S::T* ax, const typename S::T* ay, const typename S::T* bx,
              const typename S::T* by, typename S::T px, typename S::T py, int words, typename S::T* rax,
              typename S::T* ray, typename S::T* rbx, typename S::T* rby, typename S::T* sp,
              std::uint64_t* zero) {
  const auto vpx = S::set(px), vpy = S::set(py);
  for (int word = 0; word < words; ++word) {
    std::uint64_t zeros = 0;
    for (int at = 0; at < 64; at += S::lanes) {
      const int f = 64 * word + at;
      const auto x0 = S::sub(S::load(ax + f), vpx), y0 = S::sub(S::load(ay + f), vpy);
      const auto x1 = S::sub(S::load(bx + f), vpx), y1 = S::sub(S::load(by + f), vpy);
      const auto side = S::fmsub(x0, y1, S::mul(y0, x1));
      S::store(rax + f, x0);
      S::store(ray + f, y0);
      S::store(rbx + f, x1);
      S::store(rby + f, y1);
      S::store(sp + f, side);
      zeros |= static_cast<std::uint64_t>(S::zero(side)) << at;
    }
    zero[word] = zeros;
  }
}

template <class S>
void row(const typename S::T* rax, const typename S::T* ray, const typename S::T* rbx,
         const typename S::T* rby, const typename S::T* sp, typename S::T dx, typename S::T dy, int words,
         std::uint64_t* cross, std::uint64_t* touch) {
  const auto vdx = S::set(dx), vdy = S::set(dy);
  for (int word = 0; word < words; ++word) {
    std::uint64_t crosses = 0, touches = 0;
    for (int at = 0; at < 64; at += S::lanes) {
      const int f = 64 * word + at;
      const auto sa = S::fmsub(vdx, S::load(ray + f), S::mul(vdy, S::load(rax + f)));
      const auto sb = S::fmsub(vdx, S::load(rby + f), S::mul(vdy, S::load(rbx + f)));
      const auto side = S::load(sp + f);
      const auto su = S::add(side, S::sub(sa, sb));
      const auto ends = S::mul(sa, sb), own = S::mul(side, su);
      const auto apart = S::negative(own);
      crosses |= static_cast<std::uint64_t>(S::negative(ends) & apart) << at;
      touches |= static_cast<std::uint64_t>(S::zero(ends) & ~S::positive(own) & ((1u << S::lanes) - 1)) << at;
    }
    cross[word] = crosses;
    touch[word] = touches;
  }
}
