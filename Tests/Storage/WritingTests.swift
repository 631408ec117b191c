import Foundation
import GRDB
import Operations
import Storage
import Synchronization
import Testing

private struct Refused: Error, Equatable {}

/// Says who asks first.
private final class Order: Sendable {
  private let count = Atomic(0)

  var isFirst: Bool { count.add(1, ordering: .relaxed).oldValue == 0 }
}

@Suite("Writing and reading", .timeLimit(.minutes(1)))
struct WritingTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  @Test("A store signals each later commit to all who wait, and several as one to those who read late")
  func signals() async throws {
    let store = try Store.numbers(path)
    try await store.insert(1)
    var (first, second) = (store.commits().makeAsyncIterator(), store.commits().makeAsyncIterator())
    for number in 2...4 {
      try await store.insert(number)
      await first.next()
      #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT max(number) FROM numbers") } == number)
    }
    await second.next()
    try await store.insert(5)
    await second.next()
    await first.next()
  }

  @Test("A store commits waiting writes together, and failing ones do not affect the others")
  func groupCommit() async throws {
    let store = try Store.numbers(path)
    let gate = Gate()
    async let first: Void = store.write { _ in gate.pass() }
    await gate.waitForArrival()
    let errors = await withTaskGroup(of: (Int, (any Error)?).self) { group in
      for number in 0..<100 {
        group.addTask {
          do {
            switch number {
            case 10: try await store.insert(number, failing: Refused())
            case 20: try await store.insert(-1)
            case 30: try await store.insert(number, parent: 1000)
            default: try await store.insert(number)
            }
            return (number, nil)
          } catch {
            return (number, error)
          }
        }
      }
      gate.open()
      return await group.reduce(into: [Int: any Error]()) { $0[$1.0] = $1.1 }
    }
    try await first
    #expect(try await store.allNumbers() == (0..<100).filter { ![10, 20, 30].contains($0) })
    #expect(errors.keys.sorted() == [10, 20, 30])
    #expect(errors[10] is Refused)
    #expect((errors[20] as? DatabaseError)?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
    #expect((errors[30] as? DatabaseError)?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    await store.close()
  }

  @Test("A store answers only once another connection can see the write")
  func answersAfterCommit() async throws {
    let store = try Store.numbers(path)
    var configuration = Configuration()
    configuration.readonly = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for round in 0..<100 {
            let number = writer * 100 + round
            try await store.insert(number)
            let seen = try await other.read {
              try Bool.fetchOne($0, sql: "SELECT 1 FROM numbers WHERE number = ?", arguments: [number])
            }
            #expect(seen == true)
          }
        }
      }
      try await group.waitForAll()
    }
    try other.close()
    await store.close()
  }

  @Test("A store refuses writes beyond the queue's limit")
  func overloaded() async throws {
    var limits = StoreLimits()
    limits.waitingWrites = 3
    limits.waitingReads = 2
    limits.readers = 1
    let store = try Store.numbers(path, limits: limits)
    let gate = Gate()
    async let running: Void = store.write { _ in gate.pass() }
    await gate.waitForArrival()
    let refusals = await withTaskGroup(of: Failure?.self) { group in
      for number in 0..<10 {
        group.addTask {
          do {
            try await store.insert(number)
            return nil
          } catch {
            return Failure(error)
          }
        }
      }
      var refusals: [Failure] = []
      for await case let refusal? in group {
        refusals.append(refusal)
        // The other three wait behind the gate.
        if refusals.count == 7 { gate.open() }
      }
      return refusals
    }
    try await running
    #expect(refusals.map(\.code) == Array(repeating: "overloaded", count: 7))
    #expect(refusals.first?.retryAfterSeconds == 1)
    #expect(try await store.allNumbers().count == 3)
    await store.close()
  }

  @Test("Reads share one state of the file, and see every write that has returned")
  func sharedReads() async throws {
    let store = try Store.numbers(path)
    for number in 0..<200 {
      try await store.insert(number)
      let seen = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { try await store.count("numbers") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(seen == Array(repeating: number + 1, count: 8))
    }
    await #expect(throws: DatabaseError.self) { try await store.read { try $0.execute(sql: "DELETE FROM numbers") } }
    await #expect(throws: Refused.self) { try await store.read { _ in throw Refused() } }
    await store.close()
  }

  @Test("Waiting reads share one access, whatever is written meanwhile")
  func sharedAccess() async throws {
    var limits = StoreLimits()
    limits.readers = 1
    let store = try Store.numbers(path, limits: limits)
    let (first, second) = (Gate(), Gate())
    let count: @Sendable (Database) throws -> Int = { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") ?? 0 }
    async let before = store.read { database in
      first.pass()
      return try count(database)
    }
    await first.waitForArrival()
    // Both wait behind the first, and so are taken together.
    let order = Order()
    let waiting = [0, 1].map { _ in
      Task {
        try await store.read { database in
          let seen = try count(database)
          if order.isFirst { second.pass() }
          return seen
        }
      }
    }
    while store.waitingReads < 2 { await Task.yield() }
    first.open()
    await second.waitForArrival()
    // One has looked, and the other has not begun: in an access of its own it would see what is written now.
    try await store.insert(1)
    second.open()
    #expect(try await before == 0)
    #expect(try await [waiting[0].value, waiting[1].value] == [0, 0])
    // One that comes then has an access of its own.
    #expect(try await store.count("numbers") == 1)
    await store.close()
  }

  @Test(
    "A write changes one page of the log for each tree: row, event, recorded reply and its key")
  func pages() async throws {
    let store = try Store.numbers(path)
    func write(_ numbers: ClosedRange<Int>) async throws {
      for number in numbers {
        let key = IdempotencyKey(caller: "ana", key: "k\(number)", operation: "numbers.write", payload: [])
        _ = try await store.write(idempotency: key) { transaction in
          try transaction.database.execute(sql: "INSERT INTO numbers (number) VALUES (?)", arguments: [number])
          try transaction.publish(NumberWritten(number: number))
          return []
        }
      }
    }
    func size() throws -> Int {
      try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
    }
    try await write(1...5)
    let before = try size()
    try await write(6...25)
    // A frame is a page of 4 KiB and 24 bytes; now and then a tree grows by a page.
    let pages = (try size() - before) / 4120
    #expect(pages >= 20 * 4 && pages < 20 * 5, "\(pages) pages for 20 writes")
    await store.close()
  }

  @Test("Closing a store finishes waiting writes, refuses new ones, and leaves one file")
  func closing() async throws {
    let store = try Store.numbers(path)
    let gate = Gate()
    async let first: Void = store.write { _ in gate.pass() }
    await gate.waitForArrival()
    let waiting = (0..<20).map { number in Task { try await store.insert(number) } }
    async let refused = Task { () -> Failure? in
      // The store closes behind the waiting writes: whatever comes from some moment on is refused.
      for number in 100... {
        do { try await store.read { _ = try Int.fetchOne($0, sql: "SELECT \(number)") } } catch { return Failure(error) }
      }
      return nil
    }.value
    gate.open()
    for task in waiting { try await task.value }
    await store.close()
    await store.close()
    try await first
    #expect(await refused?.code == "unavailable")
    await #expect(throws: Failure.self) { try await store.insert(99) }
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    let file = try DatabaseQueue(path: path)
    #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") } == 20)
    try file.close()
  }
}
