import Foundation
import GRDB
import MetricsTestKit
import Operations
import Synchronization
import Testing

@testable import Storage

private struct Refused: Error {}

/// One commit at a time, of writes that the test chose.
@Suite("A group commit", .timeLimit(.minutes(1)))
struct GroupCommitTests {
  let folder: TemporaryFolder
  let writer: DatabaseQueue
  let reader: DatabaseQueue
  /// What happened, in order.
  let history = History()
  let published: AsyncStream<PublishedEvents>
  let commit: GroupCommit
  let metrics = TestMetrics()

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.file("store.sqlite")
    let connections = try Connections(path: path, readers: 1)
    _ = try connections.prepare([numbersTable], of: .activity, at: .now, beside: path)
    (writer, reader) = (connections.writer, connections.readers[0])
    let (published, publications) = AsyncStream.makeStream(of: PublishedEvents.self)
    self.published = published
    let metrics = StoreMetrics(factory: metrics)
    commit = GroupCommit(
      service: .activity, clock: .system, epoch: "e", publish: { publications.yield($0) }, metrics: metrics,
      space: WriteSpace(nil, metrics: metrics),
      onFatal: { [history] in history.add("fatal: \($0)") })
  }

  /// A write that notes when it runs and what a reader sees when it is answered.
  private func write(_ name: String, _ body: @escaping @Sendable (Transaction) throws -> Void) -> Write {
    let seen: @Sendable () -> [Int]? = { [reader] in
      try? reader.read { try Int.fetchAll($0, sql: "SELECT number FROM numbers ORDER BY number") }
    }
    return Write(
      traceparent: nil,
      perform: { [history] transaction in
        history.add("run \(name)")
        try body(transaction)
        return { history.add("\(name) succeeded, \(seen() ?? [])") }
      },
      fail: { [history] error in history.add("\(name) failed with \(type(of: error)), \(seen() ?? [])") })
  }

  private func run(_ writes: [Write]) async {
    await withCheckedContinuation { continuation in
      writer.asyncWriteWithoutTransaction { [commit] database in
        commit.commit(writes, to: database)
        continuation.resume()
      }
    }
  }

  @Test("A group commit answers no write, not even a failed one, before everything is durable")
  func answersLast() async {
    await run([
      write("a") { try $0.insert(1) }, write("b") { _ in throw Refused() }, write("c") { try $0.insert(3) },
    ])
    #expect(
      history.all == ["run a", "run b", "run c", "a succeeded, [1, 3]", "b failed with Refused, [1, 3]", "c succeeded, [1, 3]"])
  }

  @Test("A group commit is counted and timed")
  func measured() async throws {
    await run([write("a") { try $0.insert(1) }, write("b") { _ in throw Refused() }])
    await run([write("c") { try $0.insert(3) }])
    #expect(try metrics.expectCounter("store_commits").totalValue == 2)
    #expect(try metrics.expectRecorder("store_writes_per_commit").values == [2, 1])
    #expect(try metrics.expectTimer("store_commit_duration").values.count == 2)
  }

  @Test("A group commit undoes a single write: its rows, its events and their numbers")
  func savepoints() async throws {
    await run([
      write("a") {
        try $0.insert(1)
        try $0.publish(NumberWritten(number: 1))
      },
      write("b") {
        try $0.insert(2)
        try $0.publish(NumberWritten(number: 2))
        try $0.insert(1)
      },
      write("c") {
        try $0.insert(3)
        try $0.publish(NumberWritten(number: 3))
      },
    ])
    #expect(history.all.suffix(3) == ["a succeeded, [1, 3]", "b failed with DatabaseError, [1, 3]", "c succeeded, [1, 3]"])
    let numbers = try await reader.read { try Int64.fetchAll($0, sql: "SELECT number FROM outbox") }
    #expect(numbers == [1, 2])
    var publications = published.makeAsyncIterator()
    let published = try #require(await publications.next())
    #expect(published.after == 0)
    #expect(published.head == LogHead(epoch: "e", number: 2))
    #expect(published.events.map(\.body) == [NumberWritten(number: 1).json, NumberWritten(number: 3).json])
  }

  @Test("A group commit of one failing write undoes all of it, events included, and commits nothing")
  func alone() async throws {
    await run([
      write("a") { transaction in
        try transaction.insert(1)
        try transaction.publish(NumberWritten(number: 1))
        transaction.afterCommit { [history] in history.add("after a") }
        throw Refused()
      }
    ])
    #expect(history.all == ["run a", "a failed with Refused, []"])
    await run([
      write("b") {
        try $0.insert(2)
        try $0.publish(NumberWritten(number: 2))
      }
    ])
    #expect(history.all.suffix(2) == ["run b", "b succeeded, [2]"])
    #expect(try await reader.read { try Int64.fetchAll($0, sql: "SELECT number FROM outbox") } == [1])
    #expect(try metrics.expectCounter("store_commits").totalValue == 1)
  }

  @Test("A large write has a commit of its own without a savepoint, between those before and after it")
  func large() async throws {
    var large = write("c") { transaction in
      try transaction.insert(3)
      #expect(throws: DatabaseError.self) { try transaction.database.execute(sql: "RELEASE SAVEPOINT write") }
    }
    large.largeOwner = "c"
    await run([write("a") { try $0.insert(1) }, write("b") { try $0.insert(2) }, large, write("d") { try $0.insert(4) }])
    #expect(
      history.all == [
        "run a", "run b", "a succeeded, [1, 2]", "b succeeded, [1, 2]", "run c", "c succeeded, [1, 2, 3]", "run d",
        "d succeeded, [1, 2, 3, 4]",
      ])
    #expect(try metrics.expectRecorder("store_writes_per_commit").values == [2, 1, 1])
  }

  @Test("A group commit runs a write's callbacks once everything is durable, and not those of a failed write")
  func afterCommit() async {
    await run([
      write("a") { [history, reader] transaction in
        try transaction.insert(1)
        transaction.afterCommit {
          history.add("after a, \((try? reader.read { try Int.fetchAll($0, sql: "SELECT number FROM numbers") }) ?? [])")
        }
      },
      write("b") { [history] transaction in
        transaction.afterCommit { history.add("after b") }
        throw Refused()
      },
    ])
    #expect(history.all.suffix(3) == ["a succeeded, [1]", "b failed with Refused, [1]", "after a, [1]"])
  }

  @Test("A dangling foreign key fails its own write, not the group commit")
  func deferredForeignKeys() async {
    await run([
      write("a") { try $0.insert(1) }, write("b") { try $0.insert(2, parent: 99) },
      write("c") {
        try $0.insert(3, parent: 4)
        try $0.insert(4)
      },
    ])
    #expect(
      history.all.suffix(3) == ["a succeeded, [1, 3, 4]", "b failed with DatabaseError, [1, 3, 4]", "c succeeded, [1, 3, 4]"])
  }

  @Test(
    "A statement that rolls everything back fails its write; others of the group commit may repeat", arguments: [true, false])
  func lostTransaction(isHidden: Bool) async throws {
    await run([
      write("a") { try $0.insert(1) },
      write("b") { transaction in
        try transaction.insert(2)
        do {
          try transaction.database.execute(sql: "INSERT OR ROLLBACK INTO numbers (number) VALUES (2)")
        } catch  where isHidden {}
      },
      write("c") { try $0.insert(3) },
    ])
    #expect(
      history.all == [
        "run a", "run b", "a failed with Failure, []", "b failed with DatabaseError, []", "c failed with Failure, []",
      ])
    await run([write("d") { try $0.insert(4) }])
    #expect(history.all.last == "d succeeded, [4]")
  }

  @Test("A disk error in a group commit ends the process")
  func fatal() async throws {
    await run([
      write("a") { try $0.insert(1) },
      write("b") { _ in throw DatabaseError(resultCode: .SQLITE_IOERR_READ, message: "disk I/O error") },
    ])
    #expect(
      history.all == [
        "run a", "run b", "fatal: SQLite error 266: disk I/O error", "a failed with Failure, []",
        "b failed with DatabaseError, []",
      ])
  }

  @Test("A full disk refuses the whole group commit, and the process continues")
  func full() async throws {
    // The file may not grow: to SQLite that is a full disk.
    try await writer.writeWithoutTransaction { database in
      let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      try database.execute(sql: "PRAGMA max_page_count = \(pages)")
    }
    await run([
      write("a") { transaction in
        for number in 0..<10_000 { try transaction.insert(number) }
      }
    ])
    #expect(history.all == ["run a", "a failed with Failure, []"])
    #expect(commit.space.problem == .full)
    #expect(try metrics.expectCounter("store_writes_refused").totalValue == 1)
    try await writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
    await run([write("b") { try $0.insert(1) }])
    #expect(history.all.last == "b succeeded, [1]" && commit.space.problem == nil)
  }
}

final class History: Sendable {
  private let entries = Mutex<[String]>([])

  var all: [String] { entries.withLock { $0 } }

  func add(_ entry: String) { entries.withLock { $0.append(entry) } }
}
