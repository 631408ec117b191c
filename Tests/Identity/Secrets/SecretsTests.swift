import Crypto
import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import Operations
import SecureStorage
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Secrets in identity's store (ID-16; S 1)")
struct SecretsTests {
  private static let kind = SecretKind("agenda", .sealed)
  private let secret = Array("PLANTED token".utf8)

  private func storage(_ identity: RunningIdentity) -> SecureStorage {
    SecureStorage(
      KeyFolder(id: 1, home: identity.home), second: KeyFolder(id: 2, home: Home(path: "\(identity.home.path)/spare")))
  }

  @Test("Secrets are stored as ciphertext, can be read back, and are gone when forgotten")
  func kept() async throws {
    try await RunningIdentity.run { identity in
      let (storage, secret) = (storage(identity), secret)
      let account = try await identity.register().id
      let name = SecretName(Self.kind, of: account.bytes)
      try await identity.store.write { try SecretStore.keep(secret, name, in: storage, $0) }
      #expect(try await identity.store.write { try SecretStore.read(name, of: account, in: storage, $0) } == secret)
      #expect(try !identity.holds("PLANTED"))
      try await identity.store.write { try SecretStore.forget(name, $0) }
      #expect(try await identity.store.write { try SecretStore.read(name, of: account, in: storage, $0) } == nil)
      #expect(try await identity.securityEvents().isEmpty)
    }
  }

  @Test("A damaged secret is removed and recorded, and its account must log in again (error course, corrupt data)")
  func damaged() async throws {
    try await RunningIdentity.run { identity in
      let (storage, secret) = (storage(identity), secret)
      let account = try await identity.register().id
      let own = try await identity.logIn()
      let name = SecretName(Self.kind, of: account.bytes)
      try await identity.store.write { transaction in
        try SecretStore.keep(secret, name, in: storage, transaction)
        try transaction.database.execute(sql: "UPDATE secrets SET sealed = CAST(substr(sealed, 1, 30) || x'00' AS BLOB)")
      }
      #expect(try await identity.store.write { try SecretStore.read(name, of: account, in: storage, $0) } == nil)
      #expect(try await identity.count("SELECT count(*) FROM secrets") == 0)
      #expect(try await identity.securityEvents() == ["secretDamaged"])
      #expect(try await identity.count("SELECT count(*) FROM security_events WHERE severity = 'critical'") == 1)
      #expect(try await identity.count("SELECT count(*) FROM incidents WHERE pattern = 'secretsFailing'") == 1)
      #expect(try await identity.published(SessionRevoked.self).map(\.reason) == [.secretDamaged])
      #expect(
        try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(own)) }.code == "session_revoked")
      _ = try await identity.logIn()
    }
  }

  @Test(
    "If the keys of secrets fail, the spare ones are used and recorded; if both fail, an account can still be deleted"
  )
  func spare() async throws {
    try await RunningIdentity.run { identity in
      let (storage, secret) = (storage(identity), secret)
      // A key that is too short cannot be used.
      #expect(FileManager.default.createFile(atPath: "\(identity.home.keys)/secrets-1", contents: Data([1])))
      let account = try await identity.register().id
      let name = SecretName(Self.kind, of: account.bytes)
      try await identity.store.write { try SecretStore.keep(secret, name, in: storage, $0) }
      #expect(try await identity.store.write { try SecretStore.read(name, of: account, in: storage, $0) } == secret)
      #expect(try await identity.securityEvents() == ["secretStorageFailed"])

      try Home.makePrivateFolder("\(identity.home.path)/spare/keys")
      #expect(FileManager.default.createFile(atPath: "\(identity.home.path)/spare/keys/secrets-2", contents: Data([1])))
      let own = try await identity.logIn()
      let input = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
      let output = try await identity.ask(DeleteAccount.self, input, by: .signedIn(own))
      for service in AccountDeletionTests.services + [.identity] {
        try await identity.store.write { try AccountDeletionStore.confirm(output.deletion.id, by: service, [], $0) }
      }
      #expect(try await identity.published(AccountErased.self).isEmpty)
      try await identity.store.scrubEarlierPages()
      #expect(try await FinishedDeletions.finish(identity.store))
      #expect(try await identity.ask(GetAccountDeletion.self, .init(token: output.token)).state == .finished)
    }
  }

  @Test("Secrets are sealed again under the newest key at the next start")
  func rotation() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      let input = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
      let output = try await identity.ask(DeleteAccount.self, input, by: .signedIn(own))
      _ = try identity.home.secret("secrets-2")
      // More than are looked at at once, of a kind that this version does not know.
      try await identity.store.write {
        try $0.database.execute(
          sql: """
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 120)
            INSERT INTO secrets (kind, owner, sealed, written_at) SELECT 'agenda', randomblob(16), randomblob(60), 0 FROM numbers
            """)
      }
      let rotation = SecretRotationWorker(store: identity.store, storage: storage(identity))
      try await rotation.renewAll()
      try FileManager.default.removeItem(atPath: "\(identity.home.keys)/secrets-1")
      for service in AccountDeletionTests.services + [.identity] {
        try await identity.store.write { try AccountDeletionStore.confirm(output.deletion.id, by: service, [], $0) }
      }
      let report = try await identity.askAsNotifications(GetDeletionReport.self, .init(deletionID: output.deletion.id))
      #expect(report.addressee.email.description == "ana@example.com")
    }
  }

  @Test("All secrets under an older key are sealed again, in several transactions; one whose key is missing stays")
  func manyRotated() async throws {
    try await RunningIdentity.run { identity in
      let (storage, secret) = (storage(identity), secret)
      let names = (0..<250).map { SecretName(.providerToken, of: Array(repeating: UInt8($0), count: 16)) }
      let lost: [UInt8] = [1, 1, 0, 0, 0, 9]
      try await identity.store.write { transaction in
        for name in names { try SecretStore.keep(secret, name, in: storage, transaction) }
        try transaction.database.execute(
          sql: "UPDATE secrets SET sealed = ? WHERE owner = ?",
          arguments: [Data(lost + [UInt8](repeating: 0, count: 60)), Data(names[3].owner)])
      }
      _ = try identity.home.secret("secrets-2")
      try await SecretRotationWorker(store: identity.store, storage: storage).renewAll()
      let heads = try await identity.store.read { try SecretStore.heads(of: .providerToken, in: $0) }
      #expect(heads == [[1, 1, 0, 0, 0, 2], lost])
      #expect(try await identity.securityEvents() == ["secretStorageFailed"])
      try FileManager.default.removeItem(atPath: "\(identity.home.keys)/secrets-1")
      let read = try await identity.store.write { transaction in
        try (names.prefix(3) + names.dropFirst(4)).map { try SecretStore.read($0, of: nil, in: storage, transaction) }
      }
      #expect(read.count == 249 && read.allSatisfy { $0 == secret })
    }
  }

  @Test("A newest key that cannot be read at a start is recorded once, however many secrets there are")
  func unreadableKey() async throws {
    try await RunningIdentity.run { identity in
      let (storage, secret) = (storage(identity), secret)
      try await identity.store.write { transaction in
        for owner in 0..<3 {
          let name = SecretName(.providerToken, of: Array(repeating: UInt8(owner), count: 16))
          try SecretStore.keep(secret, name, in: storage, transaction)
        }
      }
      #expect(FileManager.default.createFile(atPath: "\(identity.home.keys)/secrets-2", contents: Data([1])))
      try await SecretRotationWorker(store: identity.store, storage: storage).renewAll()
      #expect(try await identity.securityEvents() == ["secretStorageFailed"])
    }
  }

  /// What it takes to find that so many secrets are all under the newest key.
  private func steps(secrets count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      let (store, storage) = (identity.store, storage(identity))
      let sealed = Data(try storage.newestHead() + [UInt8](repeating: 0, count: 60))
      try await store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
            INSERT INTO secrets (kind, owner, sealed, written_at) SELECT 'providerToken', randomblob(16), ?, 0 FROM numbers
            """, arguments: [count, sealed])
      }
      // One that is undone gives no signal, and runs when that of the commit before was given.
      struct Undone: Error {}
      await #expect(throws: Undone.self) { try await store.write { (_: Transaction) -> Void in throw Undone() } }
      let commits = store.commits()
      try await SecretRotationWorker(store: store, storage: storage).renewAll()
      // A signal that was given stays until it is taken.
      let anyCommit = Task {
        for await _ in commits { return true }
        return false
      }
      anyCommit.cancel()
      #expect(await !anyCommit.value)
      return try await store.effort { _ = try SecretStore.heads(of: .providerToken, in: $0) }.steps
    }
  }

  @Test("At a start without a new key no secret is written, and it takes as long, however many there are")
  func effort() async throws {
    let (few, many) = (try await steps(secrets: 250), try await steps(secrets: 20_000))
    #expect(many <= few + 5, "\(few), \(many)")
  }
}
