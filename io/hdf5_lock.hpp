#pragma once
#include <mutex>

namespace lcn {

// The serial HDF5 library is not thread-safe: every public function of io/ that uses it holds this lock.
class Hdf5Lock {
 public:
  Hdf5Lock() : guard_(mutex()) {}

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> guard_;
};

}  // namespace lcn
