#pragma once
#include <cstdint>

#include "crossings/tuple.hpp"
#include "kernels/search/limits.hpp"
#include "search/team.hpp"

namespace lcn {

inline constexpr int kMaxTeamWarps = kMaxTeamLanes / kWarpLanes;
inline constexpr int kSieveRing =
    128;  // entries of a warp's ring of edges that passed a sieve, a power of two

// Shared memory of a team beside its replica.
struct TeamMemory {
  struct Exchange {
    std::int64_t sum, Phi;
    std::int32_t K, n_K;
  };
  Exchange exchange[2][kMaxTeamWarps];  // alternating, so that one barrier a reduction is enough
};

// Which threads are a team: a warp (its barriers are the warp's), the whole block of up to kMaxTeamLanes in
// whole warps, or one of several equal parts of a block, each of whole warps (its barriers are named ones,
// number 1 and up; 0 is the block's).
enum class TeamScope { warp, block, part };

// The device's twin of HostTeam (search/team.hpp). Every function must be called by all threads of the team.
// Warps keep to the same items in every function, and a reduction over integers has one value whatever its
// order, so the number of lanes leaves no trace.
//
// Races: between two accesses of different lanes to the same shared word, one of them a write, there is
// always sync(), vote(), any(), for_each(), sum() or tuple_of(), which are barriers with memory ordering.
// bounds(), select32(), first32() and sieve() only order the lanes of a warp.
template <TeamScope Scope>
class BlockTeam {
  static constexpr bool OneWarp = Scope == TeamScope::warp;

 public:
  // `ring`: kSieveRing entries for each warp of the team, in shared memory; only sieve() needs it. `part` of
  // `lanes` threads: of a block in parts.
  __device__ explicit BlockTeam(TeamMemory* memory, std::int32_t* ring = nullptr, int part = 0, int lanes = 0)
      : memory_(memory),
        lane_(static_cast<int>(threadIdx.x) % kWarpLanes),
        part_(part),
        lanes_(Scope == TeamScope::part    ? lanes
               : Scope == TeamScope::block ? static_cast<int>(blockDim.x)
                                           : kWarpLanes),
        warp_(OneWarp ? 0 : thread() / kWarpLanes),
        ring_(ring) {}

  __device__ bool leader() const { return thread() == 0; }
  __device__ void sync() const {
    if constexpr (OneWarp)
      __syncwarp();
    else
      barrier();
  }
  __device__ bool vote(bool mine) const {
    if constexpr (OneWarp) {
      const bool any = __any_sync(kAll, mine) != 0;
      __syncwarp();  // a vote alone does not order memory
      return any;
    } else {
      return barrier_or(mine);
    }
  }

  template <class F>
  __device__ void for_each(std::int32_t n, F&& f) const {
    for (std::int32_t i = thread(); i < n; i += lanes()) f(i);
    sync();
  }
  template <class F>
  __device__ bool any(std::int32_t n, F&& f) const {
    bool found = false;
    for (std::int32_t i = thread(); i < n; i += lanes()) found |= f(i);
    return vote(found);
  }
  template <class F>
  __device__ std::int64_t sum(std::int32_t n, F&& f) const {
    std::int64_t mine = 0;
    for (std::int32_t i = thread(); i < n; i += lanes()) mine += f(i);
    return total(mine);
  }
  template <class F>
  __device__ std::int64_t short_sum(std::int32_t n, F&& f) const {
    long long mine = 0;
    for (std::int32_t i = lane_; i < n; i += kWarpLanes) mine += f(i);
    return warp_sum(mine);
  }
  __device__ std::int64_t total(std::int64_t mine) const {
    long long all = warp_sum(mine);
    if constexpr (!OneWarp) {
      TeamMemory::Exchange* exchange = next_exchange();
      if (lane_ == 0) exchange[warp_].sum = all;
      barrier();
      all = 0;
      for (int w = 0; w < lanes() / kWarpLanes; ++w) all += exchange[w].sum;
    } else {
      __syncwarp();
    }
    return all;
  }
  template <class F>
  __device__ Tuple tuple_of(std::int32_t n, F&& count) const {
    long long sum = 0, Phi = 0;
    std::int32_t K = 0, n_K = 0;
    for (std::int32_t i = thread(); i < n; i += lanes()) {
      const std::int32_t value = count(i);
      sum += value;
      Phi += static_cast<long long>(value) * value;
      if (value > K) {
        K = value;
        n_K = 0;
      }
      n_K += value == K ? 1 : 0;
    }
    const std::int32_t warp_K = warp_max(K);
    n_K = warp_add(K == warp_K ? n_K : 0);
    K = warp_K;
    sum = warp_sum(sum);
    Phi = warp_sum(Phi);
    if constexpr (!OneWarp) {
      TeamMemory::Exchange* exchange = next_exchange();
      if (lane_ == 0) exchange[warp_] = {sum, Phi, K, n_K};
      barrier();
      sum = Phi = 0;
      K = n_K = 0;
      for (int w = 0; w < lanes() / kWarpLanes; ++w) {
        const TeamMemory::Exchange& other = exchange[w];
        sum += other.sum;
        Phi += other.Phi;
        if (other.K > K) {
          K = other.K;
          n_K = 0;
        }
        n_K += other.K == K ? other.n_K : 0;
      }
    } else {
      __syncwarp();
    }
    Tuple tuple;
    tuple.K = K;
    tuple.n_K = K > 0 ? n_K : 0;
    tuple.Phi = Phi;
    tuple.C = sum / 2;
    return tuple;
  }
  template <class Point, class F>
  __device__ Bounds<Point> bounds(Point p, Point q, std::int32_t n, F&& point) const {
    Bounds<Point> box{p, p};
    box.add(q);
    for (std::int32_t i = lane_; i < n; i += kWarpLanes) box.add(point(i));
    return {{warp_min(box.low.x), warp_min(box.low.y)}, {warp_max(box.high.x), warp_max(box.high.y)}};
  }

  // A warp collects what passed in its ring and works when every lane has a full block, so that the expensive
  // part runs with all lanes busy however few items pass.
  template <int Block, class Pass, class Work>
  __device__ void sieve(std::int32_t n, Pass&& pass, Work&& work) const {
    static_assert((Block + 1) * kWarpLanes <= kSieveRing,
                  "a full block and one more step must fit into the ring");
    constexpr int kFull = Block * kWarpLanes;
    std::int32_t* const ring = ring_ + warp_ * kSieveRing;
    int head = 0, size = 0;
    for (std::int32_t base = warp_ * kWarpLanes;; base += lanes()) {
      const bool more = base < n;
      if (more) {
        const std::int32_t i = base + lane_;
        const bool passed = i < n && pass(i);
        const unsigned mask = __ballot_sync(kAll, passed);
        if (passed) ring[(head + size + __popc(mask & ((1u << lane_) - 1u))) % kSieveRing] = i;
        size += __popc(mask);
      }
      if (size >= kFull || (!more && size > 0)) {
        __syncwarp();
        std::int32_t items[Block];
        for (int j = 0; j < Block; ++j) {
          const int k = j * kWarpLanes + lane_;
          items[j] = k < size ? ring[(head + k) % kSieveRing] : -1;
        }
        work(items);
        __syncwarp();  // the ring's entries are read before they are overwritten
        const int taken = size < kFull ? size : kFull;
        head = (head + taken) % kSieveRing;
        size -= taken;
      }
      if (!more) break;
    }
  }

  // Every warp decides for itself: all read the same counts.
  template <class Item, class Value>
  __device__ std::int32_t select32(Item&& item, Value&& value, std::int32_t threshold) const {
    const std::int32_t candidate = item(lane_), mine = value(candidate);
    unsigned chosen = __ballot_sync(kAll, mine >= threshold);
    if (chosen == 0) {
      const std::int32_t largest = warp_max(mine);
      chosen = __ballot_sync(kAll, mine == largest);
    }
    return __shfl_sync(kAll, candidate, __ffs(static_cast<int>(chosen)) - 1);
  }
  template <class Item, class Pass>
  __device__ std::int32_t first32(Item&& item, Pass&& pass) const {
    const std::int32_t candidate = item(lane_);
    const unsigned passing = __ballot_sync(kAll, pass(candidate));
    const std::int32_t first =
        __shfl_sync(kAll, candidate, passing != 0 ? __ffs(static_cast<int>(passing)) - 1 : 0);
    return passing != 0 ? first : -1;
  }

  // The leader's value; not in search/team.hpp, since one thread needs no such thing. A barrier.
  __device__ std::int32_t from_leader(std::int32_t value) const {
    if constexpr (OneWarp) {
      return __shfl_sync(kAll, value, 0);
    } else {
      TeamMemory::Exchange* exchange = next_exchange();
      if (leader()) exchange->K = value;
      barrier();
      return exchange->K;
    }
  }

  __device__ void atomic_add(std::int32_t* target, std::int32_t amount) const { atomicAdd(target, amount); }

 private:
  static constexpr unsigned kAll = 0xffffffffu;

  __device__ std::int32_t thread() const {
    if constexpr (OneWarp) return lane_;
    return static_cast<std::int32_t>(threadIdx.x) - (Scope == TeamScope::part ? part_ * lanes_ : 0);
  }
  __device__ std::int32_t lanes() const {
    if constexpr (OneWarp) return kWarpLanes;
    if constexpr (Scope == TeamScope::block) return static_cast<std::int32_t>(blockDim.x);
    return lanes_;
  }
  // Of a team with more than one warp.
  __device__ void barrier() const {
    if constexpr (Scope == TeamScope::block)
      __syncthreads();
    else
      asm volatile("bar.sync %0, %1;" ::"r"(part_ + 1), "r"(lanes_) : "memory");
  }
  __device__ bool barrier_or(bool mine) const {
    if constexpr (Scope == TeamScope::block) {
      return __syncthreads_or(mine ? 1 : 0) != 0;
    } else {
      int any;
      asm volatile(
          "{\n\t"
          ".reg .pred mine, any;\n\t"
          "setp.ne.s32 mine, %3, 0;\n\t"
          "bar.red.or.pred any, %1, %2, mine;\n\t"
          "selp.s32 %0, 1, 0, any;\n\t"
          "}"
          : "=r"(any)
          : "r"(part_ + 1), "r"(lanes_), "r"(mine ? 1 : 0)
          : "memory");
      return any != 0;
    }
  }
  __device__ TeamMemory::Exchange* next_exchange() const {
    parity_ ^= 1;
    return memory_->exchange[parity_];
  }

  __device__ static long long warp_sum(long long value) {
    for (int k = kWarpLanes / 2; k > 0; k >>= 1) value += __shfl_xor_sync(kAll, value, k);
    return value;
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __device__ static std::int32_t warp_add(std::int32_t value) {
    return __reduce_add_sync(kAll, value);
  }
  __device__ static std::int32_t warp_max(std::int32_t value) {
    return __reduce_max_sync(kAll, value);
  }
  __device__ static std::int32_t warp_min(std::int32_t value) {
    return __reduce_min_sync(kAll, value);
  }
#else
  __device__ static std::int32_t warp_add(std::int32_t value) {
    for (int k = kWarpLanes / 2; k > 0; k >>= 1) value += __shfl_xor_sync(kAll, value, k);
    return value;
  }
  __device__ static std::int32_t warp_max(std::int32_t value) {
    for (int k = kWarpLanes / 2; k > 0; k >>= 1) value = max(value, __shfl_xor_sync(kAll, value, k));
    return value;
  }
  __device__ static std::int32_t warp_min(std::int32_t value) {
    for (int k = kWarpLanes / 2; k > 0; k >>= 1) value = min(value, __shfl_xor_sync(kAll, value, k));
    return value;
  }
#endif

  TeamMemory* memory_;
  int lane_, part_, lanes_, warp_;
  std::int32_t* ring_;
  mutable int parity_ = 0;
};

}  // namespace lcn
