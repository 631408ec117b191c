import CMalloc
import Foundation
import ServiceLifecycle

/// How the process gets its memory from the system, and returns it.
///
/// By default glibc's `malloc` gives nearly each thread an arena of its own, `free` keeps for an arena what its threads used once, and
/// large blocks come from arenas, too, as soon as one of their size was freed: after many calls at once that is twice what is in use, and
/// it grows for hours, as threads take turns.
enum Heap {
  /// How many arenas the threads share: one a processor, and four at most, since each keeps some memory.
  static let arenas = min(4, max(2, ProcessInfo.processInfo.activeProcessorCount))
  /// Larger blocks come from the system where no arena has them free, and return to it when they are freed.
  static let arenaBlockBytes = 128 << 10

  /// Bounds what is kept (man 3 mallopt). Called before there are other threads.
  static func configure() {
    _ = mallopt(M_ARENA_MAX, CInt(arenas))
    _ = mallopt(M_MMAP_THRESHOLD, CInt(arenaBlockBytes))
    // What lies free at an arena's end is kept up to this size, and not trimmed either: to return less at once costs calls their time.
    _ = mallopt(M_TRIM_THRESHOLD, 1 << 20)
  }

  /// What is allocated, in bytes: nearly all that the program uses, without what `free` keeps.
  static var allocatedBytes: Int {
    let found = mallinfo2()
    return found.uordblks + found.hblkhd
  }

  /// Returns freed memory to the system from time to time (man 3 malloc_trim).
  struct Trimming: ServiceLifecycle.Service {
    /// The pause between two times.
    var pause = Duration.seconds(60)

    /// Runs until graceful shutdown or cancellation.
    func run() async throws {
      try await Background { [pause] in try await repeating(every: pause) { _ = malloc_trim(0) } }.run()
    }
  }
}
