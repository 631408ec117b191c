import Glibc

/// The monotonic clock on which deadlines are kept.
enum Monotonic {
  /// Nanoseconds since some fixed point.
  static var now: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
