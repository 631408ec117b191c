import GRDB
import GRDBSQLite
import Operations
import Storage
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Large writes and steps", .timeLimit(.minutes(1)))
struct StepsTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  private final class Notes<Note: Sendable>: Sendable {
    private let notes = Mutex<[Note]>([])

    var all: [Note] { notes.withLock { $0 } }
    func add(_ note: Note) { notes.withLock { $0.append(note) } }
  }

  @Test("Small writes are done between large ones of another owner, and large ones of several owners in turns")
  func turns() async throws {
    let store = try Store.numbers(path)
    let (gate, order) = (Gate(), Notes<String>())
    async let held: Void = store.write { _ in gate.pass() }
    await gate.waitForArrival()
    await withThrowingTaskGroup(of: Void.self) { group in
      for (count, owner) in [(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, nil)] as [(Int, String?)] {
        group.addTask { try await store.write(largeOf: owner) { _ in order.add(owner ?? "small") } }
        while store.waitingWrites < count { await Task.yield() }
      }
      gate.open()
    }
    try await held
    #expect(order.all == ["small", "a", "b", "a", "a"])
    await store.close()
  }

  @Test("Work in steps continues until nothing is left, no step above its maximum")
  func steps() async throws {
    let store = try Store.numbers(path)
    try await store.write { transaction in
      for number in 0..<100 { try transaction.database.run("INSERT INTO numbers (number) VALUES (?)", .number(number)) }
    }
    let counts = Notes<Int>()
    try await store.writeInSteps(of: "test", StepLimits(first: 4, max: 16)) { count, transaction in
      counts.add(count)
      try transaction.database.run("DELETE FROM numbers WHERE number IN (SELECT number FROM numbers LIMIT ?)", .number(count))
      return transaction.database.changesCount == count
    }
    #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") } == 0)
    #expect(counts.all.first == 4 && counts.all.allSatisfy { $0 <= 16 } && counts.all.reduce(0, +) >= 100)
    await store.close()
  }

  @Test("Work in steps does not shrink to single rows if each commit takes long")
  func slowDisk() async throws {
    let store = try Store.numbers(path)
    try await store.write { transaction in
      _ = sqlite3_wal_hook(
        transaction.database.sqliteConnection,
        { _, _, _, _ in
          // Longer than a step is to take.
          usleep(20_000)
          return SQLITE_OK
        }, nil)
    }
    let counts = Notes<Int>()
    try await store.writeInSteps(of: "test", StepLimits(first: 8, max: 16)) { count, transaction in
      counts.add(count)
      try transaction.database.run("INSERT INTO numbers (number) VALUES (?)", .number(counts.all.count))
      return counts.all.count < 20
    }
    #expect(try #require(counts.all.last) > 2, "\(counts.all)")
    await store.close()
  }

  @Test("Work in steps that fails keeps the completed steps, and continues from there")
  func resumed() async throws {
    struct Broken: Error {}
    let store = try Store.numbers(path)
    @Sendable func add(_ transaction: Transaction, failingAt last: Int) throws -> Bool {
      let number = try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM numbers") ?? 0
      try transaction.database.run("INSERT INTO numbers (number) VALUES (?)", .number(number))
      if number == last { throw Broken() }
      return number < 9
    }
    await #expect(throws: Broken.self) {
      try await store.writeInSteps(of: "test", StepLimits(first: 1, max: 1)) { _, transaction in
        try add(transaction, failingAt: 3)
      }
    }
    #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") } == 3)
    try await store.writeInSteps(of: "test", StepLimits(first: 1, max: 1)) { _, transaction in try add(transaction, failingAt: 99)
    }
    #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") } == 10)
    await store.close()
  }
}
