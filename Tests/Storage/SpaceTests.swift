import Foundation
import GRDB
import Operations
import SmallDisk
import Storage
import Testing

@Suite("A store on a full or read-only disk", .timeLimit(.minutes(1)))
struct SpaceTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  private static let migrations = [
    Migration(1, "numbers") {
      try $0.execute(sql: "CREATE TABLE numbers (number INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT")
    }
  ]

  private static var limits: StoreLimits {
    var limits = StoreLimits()
    limits.reservedBytes = 1 << 19
    return limits
  }

  private func open() throws -> Store {
    try Store.numbers(path, migrations: SpaceTests.migrations, limits: SpaceTests.limits) { reason in
      Issue.record("the store gave up: \(reason)")
    }
  }

  /// Writes numbers until one is refused, or so many are durable.
  ///
  /// - Returns: the number refused, and with what.
  private func fill(_ store: Store, from first: Int, usingReserve: Bool = false, atMost count: Int = 100_000) async throws -> (
    next: Int, failure: Failure?
  ) {
    for number in first..<first + count {
      do {
        try await store.write(usingReserve: usingReserve) { transaction in
          try transaction.database.execute(
            sql: "INSERT INTO numbers (number, filler) VALUES (?, randomblob(1000))", arguments: [number])
          try transaction.publish(NumberWritten(number: number))
        }
      } catch let failure as Failure {
        return (number, failure)
      }
    }
    return (first + count, nil)
  }

  private func check(_ store: Store, has count: Int) async throws {
    #expect(try await store.allNumbers() == Array(0..<count))
    #expect(try store.lookUp { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") } == count)
    #expect(try await store.sentNumbers() == Array(0..<count))
    #expect(try await store.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
  }

  @Test(
    "A store on a full disk reads, refuses writes by name, and accepts them once there is room",
    .enabled(if: SmallDisk.isAvailable))
  func full() async throws {
    let disk = try SmallDisk(at: folder.path, bytes: 6 << 20)
    let store = try open()
    #expect(try await fill(store, from: 0, atMost: 10).failure == nil)
    #expect(store.problem == nil)
    // What housekeeping cuts off the log is kept for it again.
    try await store.housekeep()
    try disk.fill()
    var (next, failure) = try await fill(store, from: 10)
    #expect(failure?.code == "storage_full" && failure?.status == 503 && failure?.retryAfterSeconds != nil)
    #expect(store.problem == .full && !store.isReadOnly)
    #expect(try await !store.isWritableAgain())
    try await check(store, has: next)
    // What may use the reserve goes on for long, and ends in the same refusal.
    let before = next
    (next, failure) = try await fill(store, from: next, usingReserve: true)
    #expect(next - before >= 30 && failure?.code == "storage_full")
    #expect(store.problem == .full)
    try await check(store, has: next)
    await #expect(throws: Failure.self) { try await store.housekeep() }

    try disk.empty()
    #expect(try await store.isWritableAgain())
    #expect(store.problem == nil)
    #expect(try await fill(store, from: next, atMost: 10).failure == nil)
    try await check(store, has: next + 10)
    await store.close()
    let again = try open()
    try await check(again, has: next + 10)
    await again.close()
  }

  /// What leaves the log without room of its own until that is taken anew.
  enum Beginning: CaseIterable {
    case opening, housekeeping, cleaning
  }

  @Test(
    "A store reserves room for necessary work before any write, also just after opening or truncating its log",
    .enabled(if: SmallDisk.isAvailable), arguments: Beginning.allCases)
  func keepsReserve(after beginning: Beginning) async throws {
    let disk = try SmallDisk(at: folder.path, bytes: 6 << 20)
    let store = try open()
    let first = beginning == .opening ? 0 : 10
    #expect(try await fill(store, from: 0, atMost: first).failure == nil)
    switch beginning {
    case .opening: break
    case .housekeeping: try await store.housekeep()
    case .cleaning:
      try await store.scrubEarlierPages()
      #expect(try await store.cleanFiles())
    }
    try disk.fill()
    let (next, failure) = try await fill(store, from: first, usingReserve: true)
    #expect(next - first >= 30 && failure?.code == "storage_full")
    try await check(store, has: next)
    await store.close()
  }

  @Test(
    "A store truncates its log only if the freed room is not needed", .enabled(if: SmallDisk.isAvailable),
    arguments: [(6 << 20, true), (2 << 20, false)])
  func cutsLog(bytes: Int, isCut: Bool) async throws {
    let disk = try SmallDisk(at: folder.path, bytes: bytes)
    let store = try open()
    #expect(try await fill(store, from: 0, atMost: 10).failure == nil)
    try await store.housekeep()
    let log = try FileManager.default.attributesOfItem(atPath: "\(disk.path)/store.sqlite-wal")[.size] as? Int
    #expect(log.map { $0 == 0 } == isCut)
    try await check(store, has: 10)
    await store.close()
  }

  @Test("A store whose disk fills up during a commit refuses all of it, and keeps nothing of it")
  func partlyFull() async throws {
    let store = try open()
    #expect(try await fill(store, from: 0, atMost: 10).failure == nil)
    // As SQLite reports a full disk; a limit of its own stands for it.
    try await store.write { try $0.database.execute(sql: "PRAGMA max_page_count = 1") }
    let gate = Gate()
    async let first: Void = store.write { _ in gate.pass() }
    await gate.waitForArrival()
    let large = Task { () -> String? in
      do {
        try await store.write {
          try $0.database.execute(sql: "INSERT INTO numbers (number, filler) VALUES (500, zeroblob(100000))")
        }
        return nil
      } catch let failure as Failure {
        return failure.code
      }
    }
    gate.open()
    try await first
    #expect(try await large.value == "storage_full")
    #expect(store.problem == .full)
    try await store.write { try $0.database.execute(sql: "PRAGMA max_page_count = 1000000") }
    #expect(store.problem == nil)
    #expect(try await fill(store, from: 10, atMost: 10).failure == nil)
    try await check(store, has: 20)
    await store.close()
  }

  /// A store that was not closed, so that some of it is in its write-ahead log alone.
  private func leaveUnclosed(_ count: Int, in folder: String) async throws {
    let elsewhere = try TemporaryFolder()
    let source = elsewhere.file("store.sqlite")
    let store = try Store.numbers(source, migrations: SpaceTests.migrations)
    #expect(try await fill(store, from: 0, atMost: count).failure == nil)
    for end in ["", "-wal", ".lock"] {
      try FileManager.default.copyItem(atPath: source + end, toPath: "\(folder)/store.sqlite\(end)")
    }
    await store.close()
  }

  @Test(
    "A store opens for reading where the disk is full, and for writing once there is room", .enabled(if: SmallDisk.isAvailable))
  func opensFull() async throws {
    let disk = try SmallDisk(at: folder.path, bytes: 3 << 20)
    try await leaveUnclosed(100, in: folder.path)
    try disk.fill()
    let store = try open()
    #expect(store.isReadOnly && store.problem == .full)
    try await check(store, has: 100)
    #expect(try await fill(store, from: 100).failure?.code == "storage_full")
    #expect(try await fill(store, from: 100, usingReserve: true).failure?.code == "storage_full")
    #expect(try await !store.isWritableAgain())
    try disk.empty()
    #expect(try await store.isWritableAgain())
    await store.close()
    let again = try open()
    #expect(!again.isReadOnly)
    #expect(try await fill(again, from: 100, atMost: 1).failure == nil)
    try await check(again, has: 101)
    await again.close()
  }

  @Test(
    "A store opens for reading where the disk is read-only, and for writing once it is not", .enabled(if: SmallDisk.isAvailable),
    arguments: [true, false])
  func opensReadOnly(isClosed: Bool) async throws {
    let disk = try SmallDisk(at: folder.path, bytes: 8 << 20)
    try await leaveUnclosed(100, in: folder.path)
    if isClosed {
      await (try open()).close()
      #expect(!FileManager.default.fileExists(atPath: "\(path)-wal"))
    }
    try disk.makeReadOnly()
    let store = try open()
    #expect(store.isReadOnly && store.problem == .readOnly)
    try await check(store, has: 100)
    #expect(try await fill(store, from: 100).failure?.code == "storage_read_only")
    #expect(try await !store.isWritableAgain())
    // A backup to another disk is still made.
    let target = try TemporaryFolder()
    _ = try await store.copy(store.hold(), to: target.file("copy.sqlite"))
    let copy = try await DatabaseQueue(path: target.file("copy.sqlite")).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers")
    }
    #expect(copy == 100)
    try disk.makeWritable()
    #expect(try await store.isWritableAgain())
    await store.close()
    let again = try open()
    #expect(try await fill(again, from: 100, atMost: 1).failure == nil)
    try await check(again, has: 101)
    await again.close()
  }

  @Test(
    "A copy is refused before it begins if the disk has no room for it",
    .enabled(if: SmallDisk.isAvailable))
  func copies() async throws {
    let store = try open()
    #expect(try await fill(store, from: 0, atMost: 1000).failure == nil)
    let target = try TemporaryFolder()
    let disk = try SmallDisk(at: target.path, bytes: 1 << 20)
    let failure = await #expect(throws: Failure.self) {
      try await store.copy(store.hold(), to: "\(disk.path)/copy.sqlite")
    }
    #expect(failure?.code == BackupFailure.notWritten.rawValue)
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [])
    #expect(store.problem == nil)
    await store.close()
  }
}
