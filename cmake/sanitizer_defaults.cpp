// Part of every program that is built with the address sanitizer: which leaks are looked for when it ends.
extern "C" {

#ifdef LCN_STARTS_MPI
// None: Open MPI 4.1.4 leaves 10 KB, much of it by plug-ins that are unloaded by then and cannot be named. To
// tell them by whole stacks and look through all ranks made a start on two ranks take 8.3 s instead of 1.7.
// The test programs start no MPI and look for leaks in the same code; ASAN_OPTIONS=detect_leaks=1 does it
// here.
const char* __asan_default_options();
const char* __asan_default_options() {
  return "detect_leaks=0";
}
#endif

// HDF5 1.10.8 keeps a file in memory that it could not flush to a full disk. It does not call back into our
// code, so no leak of ours has it on its stack.
const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
  return "leak:libhdf5\n";
}
}
