import Foundation
import GRDB
import IdentityContract
import Logging
import Operations
import Storage
import Testing

@testable import ServiceKit

@Suite("Erasing an account that has many rows (ID-12)")
final class ErasureStepsTests {
  private let path = "/tmp/racha-steps-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private static let migrations = [
    Migration(1, "notes") { database in
      try database.execute(
        sql: """
          CREATE TABLE notes (account_id BLOB NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (account_id, number)) STRICT,
            WITHOUT ROWID;
          CREATE TABLE lines (
            line_id INTEGER PRIMARY KEY, account_id BLOB NOT NULL, number INTEGER NOT NULL,
            FOREIGN KEY (account_id, number) REFERENCES notes ON DELETE CASCADE) STRICT;
          CREATE INDEX lines_by_note ON lines (account_id, number);
          CREATE TABLE shared (account_id BLOB NOT NULL PRIMARY KEY) STRICT;
          CREATE TABLE marks (mark_id INTEGER PRIMARY KEY, account_id BLOB) STRICT;
          CREATE INDEX marks_by_account ON marks (account_id);
          """)
    }
  ]

  private static let own = "account_id = :account"
  private static let erasure = Erasure(
    [
      .following("lines", "notes", where: own),
      .rows("notes", own, .entries),
      .rows("shared", own, .profiles).atOnce,
      .changed(
        "marks", own, .securityEvents, by: "UPDATE marks SET account_id = NULL WHERE \(own)",
        steps: [
          "UPDATE marks SET account_id = NULL WHERE mark_id IN (SELECT mark_id FROM marks WHERE \(own) LIMIT :limit)"
        ]),
    ], rowsPerTransaction: 50)

  private func open() throws -> Store {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return try Store(
      path: "\(path)/a.sqlite", service: .identity, migrations: Self.migrations, secret: [UInt8](repeating: 1, count: 32),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func fill(_ account: AccountID, notes: Int, _ store: Store) async throws {
    try await store.write { transaction in
      let database = transaction.database
      for number in 0..<notes {
        try database.run("INSERT INTO notes VALUES (?, ?)", .id(account), .number(number))
        for _ in 0..<3 { try database.run("INSERT INTO lines (account_id, number) VALUES (?, ?)", .id(account), .number(number)) }
        try database.run("INSERT INTO marks (account_id) VALUES (?)", .id(account))
        try transaction.publish(SessionRevoked(sessionID: ID(), accountID: account, reason: .loggedOut, at: transaction.now))
      }
      try database.run("INSERT INTO shared VALUES (?)", .id(account))
    }
  }

  private func count(_ table: String, of account: AccountID, _ store: Store) async throws -> Int {
    try await store.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table) WHERE account_id = ?", arguments: [account]) ?? 0
    }
  }

  @Test("Erasing many rows removes visible ones at once and the rest in limited transactions, despite a restart")
  func steps() async throws {
    var store = try open()
    let (ana, ben) = (AccountID(), AccountID())
    for account in [ana, ben] { try await fill(account, notes: 200, store) }
    try await store.write { try Self.erasure.begin(ana, ID(), $0) }
    #expect(try await store.read { try $0.isErased(ana) })
    #expect(try await store.read { try $0.erasure(of: ana)?.areRowsErased } == false)
    #expect(try await count("shared", of: ana, store) == 0)
    #expect(try await count("lines", of: ana, store) == 600, "nothing more goes in the transaction that others wait for")
    var (steps, position) = (0, Erasure.Position())
    while try await store.write({ [position] transaction in
      let before = transaction.database.totalChangesCount
      let hasMore = try Self.erasure.step(ana, rows: 50, from: position, transaction)
      // The rows and the note of how far it is; events are looked through by the thousand, and are 200.
      if hasMore { #expect(transaction.database.totalChangesCount - before <= 210) }
      return hasMore
    }) {
      steps += 1
      // As after a kill between two transactions.
      if steps % 10 == 0 {
        await store.close()
        store = try open()
        position = Erasure.Position()
      }
    }
    #expect(steps >= 600 / 50 + 200 / 50 + 200 / 50)
    for table in ["notes", "lines", "shared", "marks"] { #expect(try await count(table, of: ana, store) == 0, "\(table)") }
    #expect(try await count("lines", of: ben, store) == 600)
    let erasure = try #require(try await store.read { try $0.erasure(of: ana) })
    #expect(erasure.areRowsErased)
    let counts = try Erasure.counts(erasure.counts).map { "\($0.kind) \($0.count)" }
    #expect(counts == ["profiles 1", "securityEvents 200", "entries 200", "events 200"])
    let log = try await store.log.events(after: 0, limit: 1000, bytes: 1 << 20)
    #expect(log.count { $0.name == "events.erased" } == 200 && log.count { $0.name == SessionRevoked.spec.name } == 200)
    await store.close()
  }

  @Test("Rows that another table's removal writes are erased in steps as well")
  func earlierTable() async throws {
    let store = try open()
    let ana = AccountID()
    try await fill(ana, notes: 200, store)
    let erasure = Erasure(
      [
        .following("lines", "notes", where: Self.own),
        .rows("notes", Self.own, .entries),
        .rows("shared", Self.own, .profiles).atOnce,
        .rows("marks", Self.own, .securityEvents).preceded { account, limit, transaction in
          let database = transaction.database
          try database.run(
            "INSERT INTO notes SELECT account_id, 1000 + mark_id FROM marks WHERE account_id = ? LIMIT ?", .id(account),
            .number(limit))
          try database.run("DELETE FROM marks WHERE mark_id IN (SELECT number - 1000 FROM notes)")
          return database.changesCount
        },
      ], rowsPerTransaction: 50)
    try await store.write { try erasure.begin(ana, ID(), $0) }
    let position = Erasure.Position()
    while try await store.write({ transaction in
      let before = transaction.database.totalChangesCount
      let hasMore = try erasure.step(ana, rows: 50, from: position, transaction)
      #expect(transaction.database.totalChangesCount - before <= 210)
      return hasMore
    }) {}
    #expect(try await store.read { try $0.erasure(of: ana)?.areRowsErased } == true)
    for table in ["notes", "lines", "marks"] { #expect(try await count(table, of: ana, store) == 0, "\(table)") }
    await store.close()
  }

  private func publish(_ count: Int, naming account: AccountID, _ store: Store) async throws {
    try await store.write { transaction in
      for _ in 0..<count {
        try transaction.publish(SessionRevoked(sessionID: ID(), accountID: account, reason: .loggedOut, at: transaction.now))
      }
    }
  }

  @Test("No transaction searches many events, nor the last one those that were published while the account was erased")
  func events() async throws {
    let store = try open()
    let ana = AccountID()
    try await fill(ana, notes: 100, store)
    try await store.write { try Self.erasure.begin(ana, ID(), $0) }
    for _ in 0..<5 { try await publish(1000, naming: ana, store) }
    let position = Erasure.Position()
    while try await store.write({ transaction in
      let before = transaction.database.totalChangesCount
      let hasMore = try Self.erasure.step(ana, rows: 50, from: position, transaction)
      #expect(transaction.database.totalChangesCount - before <= Erasure.eventsPerTransaction + 10)
      return hasMore
    }) {}
    let erased = try await store.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM outbox WHERE name = 'events.erased'")
    }
    #expect(erased == 5100)
    let counts = try #require(try await store.read { try $0.erasure(of: ana) }).counts
    #expect(try Erasure.counts(counts).contains { $0.kind == .events && $0.count == 5100 })
    await store.close()
  }

  @Test("Deletions that are received together search no more events than one transaction may")
  func searched() async throws {
    let store = try open()
    let accounts = (0..<3).map { _ in AccountID() }
    // Five rows of each.
    for account in accounts { try await fill(account, notes: 1, store) }
    try await publish(800, naming: AccountID(), store)
    try await store.write { transaction in
      for account in accounts { try Self.erasure.begin(account, ID(), transaction) }
    }
    let waiting = try await store.read { try $0.unconfirmedErasures(limit: 10) }
    #expect(waiting.count { $0.areRowsErased } == 2)
    await store.close()
  }

  @Test("Many rows that are not erased in steps get a transaction of their own, and what is going on with them ends before")
  func weighed() async throws {
    let store = try open()
    let ana = AccountID()
    try await fill(ana, notes: 51, store)
    let erasure = Erasure(
      [
        .following("lines", "notes"),
        .changed("notes", Self.own, .entries, by: "DELETE FROM notes WHERE \(Self.own)")
          .stopped(by: "UPDATE marks SET account_id = NULL WHERE \(Self.own)"),
      ], rowsPerTransaction: 50)
    try await store.write { try erasure.begin(ana, ID(), $0) }
    #expect(try await store.read { try $0.erasure(of: ana)?.areRowsErased } == false)
    #expect(try await count("marks", of: ana, store) == 0)
    #expect(try await count("notes", of: ana, store) == 51)
    let position = Erasure.Position()
    #expect(try await store.write { try erasure.step(ana, rows: 50, from: position, $0) } == false)
    #expect(try await store.read { try $0.erasure(of: ana)?.areRowsErased } == true)
    #expect(try await count("notes", of: ana, store) == 0)
    await store.close()
  }

  @Test("An account with few rows is erased in the transaction that receives its deletion")
  func few() async throws {
    let store = try open()
    let accounts = (0..<8).map { _ in AccountID() }
    // Three notes, nine lines, three marks.
    for account in accounts { try await fill(account, notes: 3, store) }
    try await store.write { transaction in
      for account in accounts { try Self.erasure.begin(account, ID(), transaction) }
    }
    let waiting = try await store.read { try $0.unconfirmedErasures(limit: 10) }
    #expect(waiting.count == 8)
    // 15 rows of each: three erasures fill one transaction.
    #expect(waiting.count { $0.areRowsErased } == 3)
    let signal = WakeSignal()
    try await store.scrubEarlierPages()
    let worker = ErasureWorker(
      store: store, erasure: Self.erasure, cleanSeconds: 86_400, clock: .system, signal: signal, pulse: Pulse(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clean: { _, _ in }, confirm: { _, _ in })
    #expect(try await worker.finish().isDone)
    for account in accounts { #expect(try await count("notes", of: account, store) == 0) }
    #expect(try await store.read { try $0.unconfirmedErasures(limit: 10) }.isEmpty)
    await store.close()
  }
}
