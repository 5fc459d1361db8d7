#pragma once
#include <sys/mount.h>

#include <string>

#include "tests/io/test_folder.hpp"

namespace lcn {

// A tmpfs of one MiB for "disk full" tests, when this process may mount one.
class SmallDisk {
 public:
  SmallDisk() { mounted_ = ::mount("none", folder_.path().c_str(), "tmpfs", 0, "size=1m") == 0; }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  const std::string& path() const { return folder_.path(); }

 private:
  TestFolder folder_;
  bool mounted_ = false;
};

}  // namespace lcn
