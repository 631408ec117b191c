import Foundation
import GRDB
import InMemoryBus
import Logging
import Operations
import Storage
import Testing

@testable import ServiceKit

@Suite("Removal of rows past their retention", .timeLimit(.minutes(1)))
final class RetentionTests {
  /// Has a table of its own, whose rows it keeps for a day after they have ended.
  private struct NoteFeature: Feature {
    let table: String
    let number: Int

    var migrations: [Migration] {
      [
        Migration(number, table) { [table] database in
          try database.execute(
            sql: """
              CREATE TABLE \(table) (note_id INTEGER NOT NULL PRIMARY KEY, ended_at INTEGER NOT NULL) STRICT;
              CREATE INDEX \(table)_by_end ON \(table) (ended_at);
              """)
        }
      ]
    }
    var tables: [ErasedTable] { [.untouched(table, "nobody's")] }
    var retention: [RetentionRule] { [RetentionRule(table, key: "note_id", after: "ended_at", seconds: 86_400)] }
  }

  private let home = Home(path: "/tmp/racha-retention-\(UInt32.random(in: .min ... .max))")
  private let features = [NoteFeature(table: "letters", number: 1), NoteFeature(table: "cards", number: 2)]

  deinit { try? FileManager.default.removeItem(atPath: home.path) }

  private func host() throws -> ServiceHost {
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: home, bus: MemoryBus(.social, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let service = ServiceDefinition(
      Contract(.social, operations: [], events: [], words: []), environment, features: features, erasesAccounts: false)
    return try ServiceHost(service, environment)
  }

  /// One note in each table that ended long ago, and one that ended now.
  private func fill(_ store: Store) async throws {
    try await store.write { transaction in
      let now = transaction.now
      for table in ["letters", "cards"] {
        try transaction.database.execute(
          sql: "INSERT INTO \(table) VALUES (1, ?), (2, ?)", arguments: [now.adding(seconds: -86_401), now])
      }
    }
  }

  private func notes(_ table: String, in store: Store) async throws -> [Int] {
    try await store.read { try Int.fetchAll($0, sql: "SELECT note_id FROM \(table) ORDER BY note_id") }
  }

  @Test("In any service the rows of each feature are removed by its rules, without further configuration")
  func everyFeature() async throws {
    let host = try host()
    try await fill(host.store)
    var commits = host.store.commits().makeAsyncIterator()
    let running = Task { try await host.run() }
    defer { running.cancel() }
    for table in ["letters", "cards"] {
      while try await notes(table, in: host.store) != [2] {
        // Without another commit the store was closed.
        guard await commits.next() != nil else { throw Failure(RequestFailure.unavailable) }
      }
    }
  }

  @Test("A table whose rows cannot be removed is reported, and the others are still swept")
  func stuck() async throws {
    let store = try host().store
    try await fill(store)
    // The first to be swept.
    try await store.write {
      try $0.database.execute(sql: "CREATE TRIGGER stuck BEFORE DELETE ON cards BEGIN SELECT RAISE(ABORT, 'stuck'); END")
    }
    let worker = RetentionWorker(
      store: store, features: features, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    await #expect(throws: (any Error).self) { try await worker.sweep() }
    #expect(try await notes("cards", in: store) == [1, 2])
    #expect(try await notes("letters", in: store) == [2])
    try await store.write { try $0.database.execute(sql: "DROP TRIGGER stuck") }
    try await worker.sweep()
    #expect(try await notes("cards", in: store) == [2])
    await store.close()
  }
}
