import ActivityContract
import Operations
import ServiceKit
import Workers

/// Bounds of imports (MOVE-3).
struct ImportLimits: Sendable {
  /// Imports of an account that have not ended.
  static let maxUnfinished = 3
  /// How long a file may lie without a new chunk.
  static let idleSeconds = 86_400
  /// Exercises that are kept of an import.
  static let maxExercises = 10_000
  /// Records that share a transaction, of all files that are read at the same time: other writes wait for them.
  static let batch = 2000
  /// How often a reading is begun without coming on before it is given up.
  static let maxStarts = 3
  /// Files that are read at the same time, each of another account.
  static let maxRead = 3
  /// How many of them may be large: the others' wait for a slot ends soon.
  static let maxLargeRead = 2
  /// From so many bytes on a file is large; an archive sooner, for what it unpacks to.
  static let (largeBytes, largeArchiveBytes) = (16 << 20, 1 << 20)
  /// Between two events about the same import.
  static let publishingSeconds = 2

  /// Files that are looked at to see what they are. An account has no more than ``maxUnfinished`` that could be.
  static let inspections = FairLimits(maxRunning: 2, maxWaiting: 64)

  static let spoolSetting = "racha.imports.spoolBytes"

  /// What the files of all accounts may take together.
  let spoolBytes: Int
  /// What those of one account may take together that it has announced and that have not ended.
  let spoolBytesPerAccount: Int

  init(_ settings: Settings) {
    spoolBytesPerAccount = settings.int("racha.imports.spoolBytesPerAccount", default: 4 << 30, in: 1...(1 << 50))
    spoolBytes = settings.int(Self.spoolSetting, default: 20 << 30, in: 1...(1 << 50))
  }
}
