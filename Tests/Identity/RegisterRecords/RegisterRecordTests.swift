import EarlierStores
import Foundation
import GRDB
import IdentityContract
import InMemoryBus
import InProcess
import Operations
import Storage
import Testing
import TransparencyLog

@testable import IdentityService

@Suite("Records of accounts for the register (TASK-9)")
struct RegisterRecordTests {
  private func records(_ identity: RunningIdentity, after number: Int = 0) async throws -> ListRegisterRecords.Output {
    let social = MemoryBus(.social, on: identity.exchange, clock: identity.time.clock)
    return try await Person(bus: social, caller: .service(.social), clock: identity.time.clock)
      .send(ListRegisterRecords.self, .init(after: number))
  }

  private func edit(_ identity: RunningIdentity, _ signedIn: SignedIn, name: String?) async throws {
    _ = try await identity.ask(
      UpdateProfile.self, .init(name: .set(name.map { FormField(text: $0) })),
      by: .signedIn(signedIn))
  }

  @Test("Creating, changing and deleting an account are each registered once, and settings are not")
  func kinds() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      #expect(try await records(identity).records.map(\.kind) == [.accountCreated])
      _ = try await identity.ask(UpdateSettings.self, json: #"{"language":"es"}"#, by: .signedIn(ana))
      _ = try await identity.ask(VerifyAccount.self, .init(token: try await identity.mailedToken()))
      #expect(try await records(identity).lastNumber == 1)
      for _ in 0..<2 { try await edit(identity, ana, name: "Ana María") }
      #expect(try await records(identity).records.map(\.kind) == [.accountCreated, .profileChanged])
      let own = try await identity.ask(ListOwnAccountRecords.self, .init(), by: .signedIn(ana)).items
      let lines = try await records(identity).records
      #expect(own.map(\.number) == [2, 1])
      for record in own {
        let line = lines[record.number - 1]
        #expect(Commitment(record.record, salt: record.salt.bytes).hash.bytes == line.commitment.bytes)
        let commitment = Commitment(#"{"account":"\#(ana.account.id)"}"#, salt: record.ownSalt.bytes)
        #expect(record.record.contains(#""people":[{"commitment":"\#(commitment)","role":"account"}]"#))
        #expect(record.record.contains(#""name":\#(record.number == 2 ? #""Ana María""# : "null")"#))
      }
      _ = try await identity.ask(
        DeleteAccount.self, .init(password: FormField(text: RunningIdentity.password)), by: .signedIn(ana))
      #expect(try await records(identity).records.map(\.kind) == [.accountCreated, .profileChanged, .accountDeleted])
      #expect(try await records(identity, after: 2).records.map(\.number) == [3])
      #expect(try await identity.count("SELECT count(*) FROM register_openings") == 0)
    }
  }

  @Test("Accounts from before the register are registered once, in their present state, even if they changed meanwhile")
  func earlier() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "ben", "eva"] { try await identity.register(name) }
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            DROP TRIGGER register_records_are_not_deleted; DELETE FROM register_openings; DELETE FROM register_records;
            INSERT INTO register_backlog (account_id) SELECT account_id FROM accounts;
            """)
      }
      let ana = try await identity.logIn()
      try await edit(identity, ana, name: "Ana María")
      for expected in [2, 0] {
        #expect(try await identity.store.write { try RegisterRecordStore.noteEarlier(atMost: 100, $0) } == expected)
      }
      let lines = try await records(identity).records
      #expect(lines.map(\.kind) == Array(repeating: .accountCreated, count: 3) && lines.map(\.number) == [1, 2, 3])
      try await edit(identity, ana, name: nil)
      #expect(try await records(identity).records.last?.kind == .profileChanged)
    }
  }

  @Test("Accounts of an earlier store are each registered once, except those deleted meanwhile")
  func upgraded() async throws {
    let migrations = try await RunningIdentity.migrations()
    let register = try #require(migrations.first { $0.name == "register records" }).number
    let count = 250
    try await UpgradedStore.upgrading(.identity, migrations, before: register) { transaction in
      for number in 0..<count {
        try transaction.database.execute(
          sql: """
            INSERT INTO accounts (account_id, email, email_normalized, username, nickname, password_hash, time_zone, language,
              created_at, revision)
            VALUES (?1, ?2, ?2, ?3, 'Öl', '$argon2id$', 'UTC', 'en', 1, 5)
            """, arguments: [AccountID(), "p\(number)@example.com", "person\(number)"])
      }
    } check: { store in
      func rows(_ sql: String) async throws -> [String] { try await store.read { try String.fetchAll($0, sql: sql) } }
      #expect(try await rows("SELECT count(*) FROM register_records") == ["0"])
      try await store.write { try $0.database.execute(sql: "DELETE FROM accounts WHERE username = 'person7'") }
      // It is cut off behind the first transaction, and begins anew.
      #expect(try await store.write { try RegisterRecordStore.noteEarlier(atMost: 100, $0) } == 100)
      for _ in 0..<2 { try await RegisterRecordWorker(store: store).run() }
      let kinds = try await rows("SELECT DISTINCT kind || count(*) || max(number) FROM register_records GROUP BY kind")
      #expect(kinds == ["accountCreated\(count - 1)\(count - 1)"])
      let names = try await rows("SELECT json_extract(record, '$.username') FROM register_openings")
      #expect(Set(names) == Set((0..<count).map { "person\($0)" }).subtracting(["person7"]) && names.count == count - 1)
      #expect(try await rows("SELECT DISTINCT json_extract(record, '$.nickname') FROM register_openings") == ["Öl"])
      #expect(try await rows("SELECT count(*) FROM register_backlog") == ["0"])
      let events = try await store.log.events(after: 0, limit: 10, bytes: 1_000_000)
      #expect(events.isEmpty)
    }
  }

  @Test("Only social can read the registered records", arguments: [ServiceName.gateway, .notifications])
  func others(_ service: ServiceName) async throws {
    try await RunningIdentity.run { identity in
      let bus = MemoryBus(service, on: identity.exchange, clock: identity.time.clock)
      let refused = try await failure {
        try await Person(bus: bus, caller: .service(service), clock: identity.time.clock)
          .send(ListRegisterRecords.self, .init(after: 0))
      }
      #expect(refused.code == "forbidden")
    }
  }
}
