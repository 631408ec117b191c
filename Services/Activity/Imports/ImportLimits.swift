import ActivityContract
import Operations
import ServiceKit

/// Bounds of imports (MOVE-3).
struct ImportLimits: Sendable {
  /// Imports of an account that have not ended.
  static let mostUnfinished = 3
  /// Imports of an account that are remembered; the oldest that have ended go first.
  static let mostKept = 100
  /// How long a file may lie without a new chunk.
  static let idleSeconds = 86_400
  /// Exercises that are kept of an import.
  static let mostExercises = 10_000
  /// Records that share a transaction: other writes wait for them.
  static let batch = 2000
  /// Between two events about the same import.
  static let tellingSeconds = 2

  static let spoolSetting = "racha.imports.spoolBytes"

  /// What the files of all accounts may take together.
  let spoolBytes: Int

  init(_ settings: Settings) {
    spoolBytes = settings.int(Self.spoolSetting, default: 20 << 30, in: 1...(1 << 50))
  }
}
