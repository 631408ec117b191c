public import Operations

/// Why a store is not copied.
public enum BackupFailure: String, FailureCode {
  /// Another hold, or the copying after it, has not ended.
  case underWay = "backup_under_way"
  /// The writes went on before: the hold was not released in time, or there was none.
  case holdEnded = "backup_hold_ended"
  case pathTaken = "backup_path_taken"
  /// The snapshot was given up: as long as it is read, the write-ahead log grows.
  case tooLong = "backup_too_long"

  public var status: Int {
    switch self {
    case .underWay, .holdEnded, .pathTaken: 409
    case .tooLong: 504
    }
  }
}
