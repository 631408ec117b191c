import Foundation
import GRDB
import Operations
import Storage
import Testing

@Suite("Erasing an account in a store (ID-12)")
struct ErasureTests {
  private let folder = try! TemporaryFolder()
  private let account = AccountID()

  /// An event that names an account.
  struct Named: Event, Hashable {
    var account: AccountID
    var text: String
    static let notes: Notes = ["account": "Who.", "text": "What."]
    static let spec = EventSpec("names.named", by: .activity, requirements: [], "Somebody was named.")
  }

  @Test("Events naming an erased account keep only their numbers; others, and those not yet delivered, stay")
  func events() async throws {
    let store = try Store.numbers(folder.file("a.sqlite"))
    let (account, other) = (account, AccountID())
    try await store.write { transaction in
      try transaction.publish(Named(account: account, text: "PLANTED"))
      try transaction.publish(NumberWritten(number: 1))
      try transaction.publish(Named(account: other, text: "kept"))
    }
    #expect(try await store.write { try $0.emptyEvents(naming: account, except: []) } == 1)
    #expect(try await store.write { try $0.emptyEvents(naming: account, except: []) } == 0)
    let log = try await store.log.events(after: 0, limit: 10, bytes: 1 << 20)
    #expect(log.map(\.number) == [1, 2, 3] && log.map(\.name) == ["events.erased", "numbers.written", "names.named"])
    // A subscriber ignores it and misses nothing.
    let page = try await store.log.events(after: 0, named: ["names.named"], limit: 10, bytes: 1 << 20)
    #expect(page.events.map(\.number) == [3] && page.through == 3)
    #expect(try await store.write { try $0.emptyEvents(naming: other, except: ["names.named"]) } == 0)
    // History is changed in no other way.
    await #expect(throws: DatabaseError.self) {
      try await store.write { try $0.database.execute(sql: "UPDATE outbox SET body = x'00' WHERE number = 2") }
    }
    await store.close()
  }

  @Test("Replies to an erased account are removed, including that to its registration, and no other of the same instant")
  func replies() async throws {
    let time = TestClock()
    let store = try Store.numbers(folder.file("b.sqlite"), clock: time.clock)
    let account = account
    func record(_ caller: String, _ operation: String) async throws {
      let key = IdempotencyKey(caller: caller, key: "k", operation: operation, payload: [])
      _ = try await store.write(idempotency: key) { _ in [1] }
    }
    // All in one millisecond.
    try await record(account.description, "entries.add")
    try await record("another", "entries.add")
    try await record("anonymous x", "accounts.register")
    try await record("anonymous y", "recovery.request")
    try await store.write { transaction in
      for owner in [account.description, "another", "anonymous address"] {
        try transaction.database.execute(
          sql: "INSERT INTO idempotency_draws (owner, at) VALUES (?, ?)", arguments: [owner, transaction.now])
      }
    }
    let registration = AnonymousRequest("accounts.register", at: time.clock.now)
    try await store.write {
      #expect(try $0.forgetReplies(to: account) == 1)
      try $0.forgetReply(to: registration)
    }
    let left = try await store.read { try String.fetchAll($0, sql: "SELECT caller FROM idempotency_records ORDER BY caller") }
    #expect(left == ["anonymous y", "another"])
    #expect(try await store.read { try String.fetchAll($0, sql: "SELECT owner FROM idempotency_draws") } == ["another"])
    await store.close()
  }

  @Test("An erasure waits for its confirmation, across restarts")
  func unconfirmed() async throws {
    let path = folder.file("d.sqlite")
    let (account, deletion) = (account, ID<Never>())
    var store = try Store.numbers(path)
    try await store.write { try $0.noteErasure(of: account, by: deletion, counts: "{}") }
    await store.close()
    store = try Store.numbers(path)
    let waiting = try await store.read { try $0.unconfirmedErasures(limit: 10) }
    #expect(waiting.map(\.account) == [account] && waiting.map(\.deletion) == [deletion.bytes])
    #expect(!waiting[0].isCleaned)
    await #expect(throws: DatabaseError.self) { try await store.write { try $0.noteConfirmation(of: account) } }
    // Rows come first.
    try await store.write { try $0.noteCleaning(of: account) }
    #expect(try await store.read { try $0.unconfirmedErasures(limit: 10) }.map(\.isCleaned) == [false])
    try await store.write { try $0.noteErased(account, counts: "{}", isDone: true) }
    try await store.write { try $0.noteCleaning(of: account) }
    #expect(try await store.read { try $0.unconfirmedErasures(limit: 10) }.map(\.isCleaned) == [true])
    try await store.write { try $0.noteConfirmation(of: account) }
    #expect(try await store.read { try $0.unconfirmedErasures(limit: 10) }.isEmpty)
    #expect(try await store.read { try $0.isErased(account) } == true)
    await store.close()
  }
}
