import GRDB
import GRDBSQLite
public import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Why nothing can be written to a store's disk, though it can be read. Unlike an error of the disk it leaves the file as it was, and
/// passes.
public enum StorageProblem: Sendable, Hashable {
  /// There is no room left: `ENOSPC`, or `EDQUOT` beyond a quota.
  case full
  /// The file system is mounted read-only, as Linux does by itself after an error of a disk: `EROFS`.
  case readOnly

  /// The answer to who wanted to write.
  public var failure: Failure {
    switch self {
    case .full: Failure(RequestFailure.storageFull, retryAfterSeconds: 5)
    case .readOnly: Failure(RequestFailure.storageReadOnly, retryAfterSeconds: 5)
    }
  }

  /// - Parameter errno: an error of a call of the system.
  init?(errno number: CInt) {
    switch number {
    case ENOSPC, EDQUOT: self = .full
    case EROFS: self = .readOnly
    default: return nil
    }
  }

  /// - Parameter database: the connection that has just met the error, before it does anything else.
  /// - Returns: nil where the error is another one, or where it is not certain that nothing took effect: what was flushed with an error may
  ///   be on the disk or not.
  init?(_ error: any Error, in database: Database) {
    guard let error = error as? DatabaseError else { return nil }
    switch error.resultCode {
    case .SQLITE_FULL: self = .full
    case .SQLITE_READONLY where error.extendedResultCode != .SQLITE_READONLY_DBMOVED: self = .readOnly
    case .SQLITE_IOERR, .SQLITE_CANTOPEN:
      guard error.extendedResultCode != .SQLITE_IOERR_FSYNC, error.extendedResultCode != .SQLITE_IOERR_DIR_FSYNC else {
        return nil
      }
      // A commit that fails leaves no error of the system with the connection, though with the file that was written.
      let isOfLog = error.extendedResultCode == .SQLITE_IOERR_WRITE
      self.init(errno: isOfLog ? database.lastErrorOfLog : sqlite3_system_errno(database.sqliteConnection))
    default: return nil
    }
  }

  /// The same for a commit that failed. Only a frame that could not be written makes it certain that the transaction is not in the
  /// write-ahead log: the last one makes it durable, and comes last. Errors behind that do not say.
  init?(ofCommit error: any Error, in database: Database) {
    guard let found = error as? DatabaseError else { return nil }
    guard found.resultCode == .SQLITE_FULL || found.extendedResultCode == .SQLITE_IOERR_WRITE else { return nil }
    self.init(error, in: database)
  }

  /// The same where there is no connection to ask, as for one that did not open: what is in doubt is tried out beside that file.
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

  /// What keeps files beside that one from being written: tried with a file that has no name any more when it takes room.
  ///
  /// - Parameter bytes: how much room is looked for.
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
  /// The number of the last error of the system that writing the write-ahead log met; 0 if there is no log.
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
