public import Operations

/// Why a store was not copied.
public enum BackupFailure: String, FailureCode {
  /// Another hold, or the copy that follows it, has not ended.
  case underWay = "backup_under_way"
  /// The writes have already resumed: the hold was not released in time, or there was none.
  case holdEnded = "backup_hold_ended"
  case pathTaken = "backup_path_taken"
  /// The folder does not exist where the service runs, cannot be written, or has no space left: parameters `path` and `reason`.
  case notWritten = "backup_not_written"
  /// The snapshot was given up: the write-ahead log grows for as long as it is read.
  case tooLong = "backup_too_long"

  public var status: Int {
    switch self {
    case .underWay, .holdEnded, .pathTaken, .notWritten: 409
    case .tooLong: 504
    }
  }
}
