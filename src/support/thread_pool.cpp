#include "support/thread_pool.hpp"

namespace lcn {

ThreadPool::ThreadPool(int threads) {
  for (int t = 1; t < threads; ++t) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::for_each(int n, const std::function<void(int)>& f) {
  if (workers_.empty() || n <= 1) {
    for (int i = 0; i < n; ++i) f(i);
    return;
  }
  {
    std::lock_guard lock(mutex_);
    task_ = &f;
    items_ = n;
    next_ = 0;
    busy_ = static_cast<int>(workers_.size());
    failure_ = nullptr;
    ++generation_;
  }
  start_.notify_all();
  take_items();
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return busy_ == 0; });
  task_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::take_items() {
  for (;;) {
    int item;
    {
      std::lock_guard lock(mutex_);
      if (next_ >= items_) return;
      item = next_++;
    }
    try {
      (*task_)(item);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = items_;
    }
  }
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return ending_ || generation_ != seen; });
      if (ending_) return;
      seen = generation_;
    }
    take_items();
    std::lock_guard lock(mutex_);
    if (--busy_ == 0) finished_.notify_all();
  }
}

}  // namespace lcn
