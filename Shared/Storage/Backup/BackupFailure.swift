public import Operations

/// Why a store is not copied.
public enum BackupFailure: String, FailureCode {
  /// Another hold, or the copying after it, has not ended.
  case underWay = "backup_under_way"
  /// The writes went on before: the hold was not released in time, or there was none.
  case holdEnded = "backup_hold_ended"
  case pathTaken = "backup_path_taken"
  /// The folder is not there where the service runs, cannot be written, or has no space left: parameters `path` and `reason`.
  case notWritten = "backup_not_written"
  /// The snapshot was given up: as long as it is read, the write-ahead log grows.
  case tooLong = "backup_too_long"

  public var status: Int {
    switch self {
    case .underWay, .holdEnded, .pathTaken, .notWritten: 409
    case .tooLong: 504
    }
  }
}
