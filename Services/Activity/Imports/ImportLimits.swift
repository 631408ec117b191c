import ActivityContract
import Operations
import ServiceKit
import Workers

/// Bounds of imports (MOVE-3).
struct ImportLimits: Sendable {
  /// The maximum number of unfinished imports per account.
  static let maxUnfinished = 3
  /// How long an upload may stay without a new chunk.
  static let idleSeconds = 86_400
  /// The maximum number of exercises stored per import.
  static let maxExercises = 10_000
  /// The maximum number of records per transaction, shared by all files being read.
  static let batch = 2000
  /// The number of records in the first transaction of a reading.
  static let firstBatch = 64
  /// How long the work on a later one is to take: other writes wait for it, and a habit's checkmark takes much longer than a sample. The
  /// commit is not counted, which on a slow disk depends little on the number of records.
  static let batchDuration = Duration.milliseconds(25)
  /// How often reading may start without making progress before the import fails.
  static let maxStarts = 3
  /// The maximum number of files read at the same time, each of a different account.
  static let maxRead = 3
  /// How many of them may be large, so that other imports get a slot soon.
  static let maxLargeRead = 2
  /// From this size in bytes a file counts as large; an archive from a smaller one, because of its unpacked size.
  static let (largeBytes, largeArchiveBytes) = (16 << 20, 1 << 20)
  /// The minimum time between two events about the same import.
  static let publishingSeconds = 2

  /// Concurrent detections of formats. An account cannot have more than ``maxUnfinished`` of them.
  static let inspections = FairLimits(maxRunning: 2, maxWaiting: 64)

  static let spoolSetting = "racha.imports.spoolBytes"

  /// The maximum size of the files of all accounts together.
  let spoolBytes: Int
  /// The maximum announced size of one account's unfinished imports.
  let spoolBytesPerAccount: Int

  init(_ settings: Settings) {
    spoolBytesPerAccount = settings.int("racha.imports.spoolBytesPerAccount", default: 4 << 30, in: 1...(1 << 50))
    spoolBytes = settings.int(Self.spoolSetting, default: 20 << 30, in: 1...(1 << 50))
  }
}
