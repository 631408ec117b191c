import CScrubbingVFS
import Foundation
import GRDB
import GRDBSQLite
import Operations

/// The connections to one store's file: one that writes, some that read, and one for quick look-ups.
///
/// Only the writing connection checkpoints the write-ahead log. SQLite 3.7.0 to 3.51.2 can damage a file when one connection checkpoints
/// while another writes (sqlite.org/wal.html, "The WAL-reset bug"), so a lock keeps other processes out.
struct Connections: Sendable {
  let writer: DatabaseQueue
  let readers: [DatabaseQueue]
  let lookUps: DatabaseQueue
  /// Opens a connection for a read transaction that is begun in one access and used in another.
  let snapshot: @Sendable () throws -> DatabaseQueue
  private let isReadOnly: Bool
  private let lock: StoreLock

  init(path: String, readers count: Int) throws {
    try self.init(path: path, readers: count, lock: StoreLock(path: path))
  }

  private init(path: String, readers count: Int, lock: StoreLock) throws {
    self.lock = lock
    isReadOnly = false
    let name = try ScrubbedFile.name(of: path)
    writer = try DatabaseQueue(path: name, configuration: Connections.writing)
    try writer.writeWithoutTransaction(Connections.checkSettings)
    readers = try (0..<count).map { _ in
      try DatabaseQueue(path: name, configuration: Connections.reading)
    }
    var lookingUp = Connections.reading
    // Other tasks wait for the thread that does the look-up.
    lookingUp.busyMode = .timeout(0.05)
    lookUps = try DatabaseQueue(path: name, configuration: lookingUp)
    snapshot = {
      var configuration = Connections.reading
      configuration.label = "store.snapshot"
      configuration.allowsUnsafeTransactions = true
      return try DatabaseQueue(path: name, configuration: configuration)
    }
  }

  /// Opens connections to a file that cannot be written, all for reading. No other process writes it either, since this one holds the lock.
  ///
  /// SQLite reads a write-ahead log by an index that it keeps in a file next to it, and there may be no room for that file either. So each
  /// of these connections keeps its own index in memory, as SQLite does for a connection with exclusive access; this requires opening the
  /// file without locks. Without a log, the file alone is complete.
  private init(readOnly path: String, readers count: Int, lock: StoreLock) throws {
    self.lock = lock
    isReadOnly = true
    let log = "\(path)-wal"
    let hasLog =
      try FileManager.default.fileExists(atPath: log)
      && FileManager.default.attributesOfItem(atPath: log)[.size] as? Int != 0
    var configuration = Connections.reading
    if hasLog { configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") } }
    let uri = ScrubbedFile.uri(of: path) + (hasLog ? "?mode=ro&vfs=unix-none" : "?immutable=1")
    let open = { @Sendable [configuration] in try DatabaseQueue(path: uri, configuration: configuration) }
    writer = try open()
    readers = try (0..<count).map { _ in try open() }
    lookUps = try open()
    configuration.allowsUnsafeTransactions = true
    snapshot = { [configuration] in try DatabaseQueue(path: uri, configuration: configuration) }
  }

  /// A store's file, ready to serve.
  struct Opened {
    let connections: Connections
    let epoch: Epoch
    /// Why the file was opened for reading only; nil if it can be written.
    let problem: StorageProblem?
  }

  /// Opens the file and migrates its schema. If its disk takes no writes, the file is opened for reading only, provided that its schema is
  /// up to date.
  ///
  /// - Parameter announce: called before each migration of a file that had some before, with its number, the last one's, and its name.
  static func open(
    _ path: String, readers count: Int, _ migrations: [Migration], of service: ServiceName, at now: Instant,
    announce: (String) -> Void = { _ in }
  ) throws -> Opened {
    let lock = try StoreLock(path: path)
    do {
      let connections = try Connections(path: path, readers: count, lock: lock)
      let epoch = try connections.prepare(migrations, of: service, at: now, beside: path, announce: announce)
      return Opened(connections: connections, epoch: epoch, problem: nil)
    } catch {
      guard let problem = StorageProblem(error, beside: path) else { throw error }
      let connections = try Connections(readOnly: path, readers: count, lock: lock)
      guard let epoch = try connections.preparedEpoch(migrations, of: service) else { throw error }
      return Opened(connections: connections, epoch: epoch, problem: problem)
    }
  }

  /// The epoch of the file's outbox; nil if the file has to be written before it can serve.
  private func preparedEpoch(_ migrations: [Migration], of service: ServiceName) throws -> Epoch? {
    try writer.writeWithoutTransaction { database in
      try StoreSchema.checkOwner(of: database, is: service)
      guard try Migrations(series: .store, StoreSchema.migrations).areApplied(to: database),
        try Migrations(series: .service, migrations).areApplied(to: database)
      else { return nil }
      return try Epoch.current(database)
    }
  }

  /// Migrates the file and records that it was opened. Returns the epoch of its outbox.
  ///
  /// What is sorted for an index of a large table is kept in an unlinked file beside the store meanwhile: in memory it would be as large as
  /// the index. Its blocks on the disk are not overwritten afterwards. The migration that is going on is named in the file
  /// ``noteOfMigration(of:)``, for whoever waits for the service.
  func prepare(
    _ migrations: [Migration], of service: ServiceName, at now: Instant, beside path: String,
    announce: (String) -> Void = { _ in }
  ) throws -> Epoch {
    // Mostly there is none. One that cannot be removed misleads nobody: the launcher removes it before it starts the service anew.
    defer { try? FileManager.default.removeItem(atPath: Self.noteOfMigration(of: path)) }
    return try writer.writeWithoutTransaction { database in
      let own = try Migrations(series: .store, StoreSchema.migrations)
      let services = try Migrations(series: .service, migrations)
      // Make all checks before changing anything.
      try own.check(database)
      try StoreSchema.checkOwner(of: database, is: service)
      try services.check(database)
      let upgrade = { (migration: Migration, last: Int) in
        try Connections.sort(database, beside: path)
        let text = "\(migration.number) of \(last), \(migration.name)"
        // Where the disk is full, the migration itself says so.
        try? Data(text.utf8).write(to: URL(fileURLWithPath: Self.noteOfMigration(of: path)))
        announce(text)
      }
      try own.apply(to: database, at: now, announce: upgrade)
      try StoreSchema.claim(database, for: service)
      try services.apply(to: database, at: now, announce: upgrade)
      try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA temp_store_directory = ''")
      return try Epoch.begin(database, at: now)
    }
  }

  /// The path of a file that is there while a store is migrated, and says how far it is.
  static func noteOfMigration(of path: String) -> String { "\(path).migration" }

  /// Lets what is sorted lie in files in the folder of the store: that for temporary files may be in memory. The folder is the process's, which
  /// opens one store.
  private static func sort(_ database: Database, beside path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path.replacingOccurrences(of: "'", with: "''")
    try database.execute(sql: "PRAGMA temp_store_directory = '\(folder)'")
    try database.execute(sql: "PRAGMA temp_store = FILE")
  }

  /// Checkpoints the write-ahead log and truncates it, unless a reader still needs it.
  func truncateLog() async throws {
    _ = try await cutLog()
  }

  /// Checkpoints the write-ahead log and truncates it. Writes wait meanwhile.
  ///
  /// - Parameter patience: how long to wait for readers at most, in milliseconds.
  /// - Returns: false if a reader still needs the log.
  func cutLog(patience: Int = 0) async throws -> Bool {
    try await onWriter { database in
      sqlite3_busy_timeout(database.sqliteConnection, CInt(patience))
      defer { sqlite3_busy_timeout(database.sqliteConnection, CInt(Connections.busyMilliseconds)) }
      guard try Int.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0 else { return false }
      // The connection's cached pages are not scrubbed: writing one of them would bring its leftover data back into the log.
      sqlite3_db_release_memory(database.sqliteConnection)
      return true
    }
  }

  /// Checkpoints what it can of the write-ahead log without waiting, so that truncating the log takes less time.
  func checkpoint() async throws {
    try await onWriter { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
  }

  /// Scrubs pages of the file, see ``ScrubbedFile``. Writes wait meanwhile.
  ///
  /// - Returns: the first page after the scrubbed ones; nil if the file has no more.
  func scrub(from first: Int64, count: Int) async throws -> Int64? {
    try await onWriter { try ScrubbedFile.scrub($0, from: first, count: count) }
  }

  /// Closes the readers first. The writer, closed last, checkpoints the write-ahead log and removes it.
  func close() async throws {
    defer { lock.release() }
    for reader in readers + [lookUps] { try reader.close() }
    guard !isReadOnly else { return try writer.close() }
    let end: Result<Void, any Error>
    do { end = .success(try await truncateLog()) } catch { end = .failure(error) }
    try writer.close()
    try end.get()
  }

  private func onWriter<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
      writer.asyncWriteWithoutTransaction { database in
        do {
          continuation.resume(returning: try body(database))
        } catch {
          continuation.resume(throwing: StorageProblem(error, in: database)?.failure ?? error)
        }
      }
    }
  }

  private static let busyMilliseconds = 5_000

  private static var writing: Configuration {
    var configuration = Configuration()
    configuration.label = "store.writer"
    configuration.busyMode = .timeout(Double(busyMilliseconds) / 1000)
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { database in
      // Not with GRDB's `journalMode`: it sets `synchronous` to NORMAL, and acknowledged commits would be lost on a power failure.
      try database.execute(
        sql: """
          PRAGMA journal_mode = WAL;
          PRAGMA synchronous = FULL;
          PRAGMA journal_size_limit = \(64 << 20);
          PRAGMA temp_store = MEMORY;
          PRAGMA secure_delete = ON;
          """)
    }
    return configuration
  }

  private static var reading: Configuration {
    var configuration = Configuration()
    configuration.label = "store.reader"
    configuration.busyMode = .timeout(Double(busyMilliseconds) / 1000)
    configuration.readonly = true
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
    return configuration
  }

  /// Reads back the settings on which durability and the schema's rules depend.
  private static func checkSettings(_ database: Database) throws {
    for (name, expected) in [("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1"), ("secure_delete", "1")] {
      let found = try Row.fetchOne(database, sql: "PRAGMA \(name)")?[0] as DatabaseValue?
      let text = found.flatMap { String.fromDatabaseValue($0) ?? Int.fromDatabaseValue($0).map(String.init) } ?? "unknown"
      guard text == expected else { throw StoreFailure.setting(name: name, found: text, expected: expected) }
    }
    guard scrubbing_is_used(database.sqliteConnection) != 0 else {
      throw StoreFailure.setting(name: "vfs", found: "the system's", expected: SCRUBBING_VFS_NAME)
    }
  }
}
