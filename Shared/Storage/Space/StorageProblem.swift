import GRDB
import GRDBSQLite
public import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Why a store's disk can be read but not written. Unlike a disk error, such a problem leaves the file as it was, and passes.
public enum StorageProblem: Sendable, Hashable {
  /// There is no room left: `ENOSPC`, or `EDQUOT` beyond a quota.
  case full
  /// The file system is mounted read-only, as Linux does by itself after a disk error: `EROFS`.
  case readOnly

  /// The failure that the caller of a write gets.
  public var failure: Failure {
    switch self {
    case .full: Failure(RequestFailure.storageFull, retryAfterSeconds: 5)
    case .readOnly: Failure(RequestFailure.storageReadOnly, retryAfterSeconds: 5)
    }
  }

  /// - Parameter errno: the error number of a system call.
  init?(errno number: CInt) {
    switch number {
    case ENOSPC, EDQUOT: self = .full
    case EROFS: self = .readOnly
    default: return nil
    }
  }

  /// - Parameter database: the connection that has just met the error, before it does anything else.
  /// - Returns: nil for other errors, or if it is uncertain that nothing took effect: after a failed flush, the data may be on the disk or
  ///   not.
  init?(_ error: any Error, in database: Database) {
    guard let error = error as? DatabaseError else { return nil }
    switch error.resultCode {
    case .SQLITE_FULL: self = .full
    case .SQLITE_READONLY where error.extendedResultCode != .SQLITE_READONLY_DBMOVED: self = .readOnly
    case .SQLITE_IOERR, .SQLITE_CANTOPEN:
      guard error.extendedResultCode != .SQLITE_IOERR_FSYNC, error.extendedResultCode != .SQLITE_IOERR_DIR_FSYNC else {
        return nil
      }
      // After a failed commit, the system's error is found with the file that was written, not with the connection.
      let isOfLog = error.extendedResultCode == .SQLITE_IOERR_WRITE
      self.init(errno: isOfLog ? database.lastErrorOfLog : sqlite3_system_errno(database.sqliteConnection))
    default: return nil
    }
  }

  /// The same for a failed commit. Only a frame that could not be written proves that the transaction is not in the write-ahead log: its
  /// last frame makes it durable. Later errors prove nothing.
  init?(ofCommit error: any Error, in database: Database) {
    guard let found = error as? DatabaseError else { return nil }
    guard found.resultCode == .SQLITE_FULL || found.extendedResultCode == .SQLITE_IOERR_WRITE else { return nil }
    self.init(error, in: database)
  }

  /// The same without a connection to ask, as after a failed open: if the error is ambiguous, a trial write next to that file decides.
  init?(_ error: any Error, beside path: String) {
    switch error {
    case StoreFailure.file(_, let number): self.init(errno: number)
    case StoreFailure.setting:
      guard let found = StorageProblem.found(beside: path) else { return nil }
      self = found
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_FULL: self = .full
      case .SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_CANTOPEN:
        guard let found = StorageProblem.found(beside: path) else { return nil }
        self = found
      default: return nil
      }
    default: return nil
    }
  }

  /// What keeps files next to that path from being written; found by allocating room for a file that is unlinked first.
  ///
  /// - Parameter bytes: how much room to try for.
  static func found(beside path: String, bytes: Int = 1 << 20) -> StorageProblem? {
    let name = "\(path).space"
    let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return StorageProblem(errno: errno) }
    defer { close(descriptor) }
    guard unlink(name) == 0 else { return StorageProblem(errno: errno) }
    #if canImport(Glibc)
      return StorageProblem(errno: posix_fallocate(descriptor, 0, off_t(bytes)))
    #else
      return nil
    #endif
  }
}

extension Database {
  /// The number of the last system error in writing the write-ahead log; 0 if there is no log.
  fileprivate var lastErrorOfLog: CInt {
    var log: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK, let log,
      let control = log.pointee.pMethods?.pointee.xFileControl
    else { return 0 }
    var number: CInt = 0
    guard control(log, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK else { return 0 }
    return number
  }
}
