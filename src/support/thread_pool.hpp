#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lcn {

// `threads - 1` workers beside the caller. for_each(n, f) calls f(i) for every i in 0..n-1, each once, in any
// order and on any thread, and returns when all are done; the first exception is rethrown. Results must not
// depend on the order.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  void for_each(int n, const std::function<void(int)>& f);

 private:
  void work();
  void take_items();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, finished_;
  const std::function<void(int)>* task_ = nullptr;
  int items_ = 0, next_ = 0, busy_ = 0;
  std::uint64_t generation_ = 0;
  bool ending_ = false;
  std::exception_ptr failure_;
};

}  // namespace lcn
