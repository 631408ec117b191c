import Glibc

/// The clock that deadlines are kept on: it never jumps.
enum Monotonic {
  /// Nanoseconds since some fixed point.
  static var now: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
