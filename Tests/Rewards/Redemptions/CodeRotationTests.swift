import EarlierStores
import Foundation
import GRDB
import InMemoryBus
import InProcess
import Logging
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Redemption codes under a new key (REW-5)")
struct CodeRotationTests {
  /// The migration with which codes are found by their key.
  private static let firstNew = 30

  /// Opens a store of an earlier version, without other workers.
  ///
  /// - Parameter seal: seals the codes of its redemptions.
  private func upgraded(
    redemptions count: Int, seal: @escaping @Sendable (SealedCodes, Database) throws -> Void,
    check: (Store, SealedCodes, Home) async throws -> Void
  ) async throws {
    let home = Home(path: FileManager.default.temporaryDirectory.appendingPathComponent("racha-\(UUID())").path)
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: home, bus: MemoryBus(.rewards, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let migrations = try Rewards.features(environment).flatMap(\.migrations).sorted { $0.number < $1.number }
    let codes = SealedCodes(environment)
    try await UpgradedStore.upgrading(.rewards, migrations, before: CodeRotationTests.firstNew) { transaction in
      let database = transaction.database
      try database.execute(
        sql: """
          INSERT INTO offers (offer_id, title, reward, partner_name, cost_coins, stock, remaining, valid_from, valid_until)
            VALUES (zeroblob(16), 'x', 'x', 'x', 1, 1, 1, 0, 1);
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
          INSERT INTO transfers (number, transfer_id, kind, debit_id, credit_id, coins, reference, at, cause)
            SELECT n, randomblob(16), 'redeemed', 1, 2, 1, 'test/' || n, 0, 'days' FROM numbers;
          INSERT INTO redemptions (redemption_id, offer_id, transfer_id, title, reward, partner_name, coins, redeemed_at, day, state)
            SELECT transfer_id, zeroblob(16), transfer_id, 'x', 'x', 'x', 1, 0, 0, 'open' FROM transfers;
          """, arguments: [count])
      try seal(codes, database)
    } check: { store in
      try await check(store, codes, home)
    }
    try FileManager.default.removeItem(atPath: home.path)
  }

  /// Whether the worker writes anything.
  private func writes(_ store: Store, _ codes: SealedCodes) async throws -> Bool {
    let commits = store.commits()
    try await RedemptionCodeWorker(store: store, codes: codes).renewAll()
    // One that is undone gives no signal, and runs when those of the commits before were given.
    struct Undone: Error {}
    await #expect(throws: Undone.self) { try await store.write { (_: Transaction) -> Void in throw Undone() } }
    // A signal that was given stays until it is taken.
    let anyCommit = Task {
      for await _ in commits { return true }
      return false
    }
    anyCommit.cancel()
    return await anyCommit.value
  }

  private static func redemptions(in database: Database) throws -> [RedemptionID] {
    try RedemptionID.fetchAll(database, sql: "SELECT redemption_id FROM redemptions ORDER BY redemption_id")
  }

  @Test("All codes under an older key are sealed again, in several transactions; one whose key is missing stays")
  func many() async throws {
    let code = RedemptionCode.unpredictable()
    let lost: [UInt8] = [1, 1, 0, 0, 0, 9]
    try await upgraded(redemptions: 250) { codes, database in
      let redemptions = try Self.redemptions(in: database)
      for redemption in redemptions { try codes.keep(code, of: redemption, in: database) }
      try RedemptionStore.setSealedCode(lost + [UInt8](repeating: 0, count: 60), of: redemptions[3], in: database)
    } check: { store, codes, home in
      _ = try home.secret("secrets-2")
      #expect(try await writes(store, codes))
      let heads = try await store.read { try RedemptionStore.heads(in: $0) }
      #expect(heads == [[1, 1, 0, 0, 0, 2], lost])
      try FileManager.default.removeItem(atPath: "\(home.keys)/secrets-1")
      let read = try await store.read { database in
        var redemptions = try Self.redemptions(in: database)
        redemptions.remove(at: 3)
        return try redemptions.map { try codes.code(RedemptionStore.sealedCode(of: $0, in: database), of: $0) }
      }
      #expect(read.count == 249 && read.allSatisfy { $0 == code })
    }
  }

  @Test("Where the newest key cannot be read at a start, the codes stay as they are and nothing is written")
  func unreadableKey() async throws {
    try await upgraded(redemptions: 3) { codes, database in
      for redemption in try Self.redemptions(in: database) { try codes.keep(.unpredictable(), of: redemption, in: database) }
    } check: { store, codes, home in
      #expect(FileManager.default.createFile(atPath: "\(home.keys)/secrets-2", contents: Data([1])))
      let hasWritten = try await writes(store, codes)
      let heads = try await store.read { try RedemptionStore.heads(in: $0) }
      #expect(!hasWritten && heads == [[1, 1, 0, 0, 0, 1]])
    }
  }

  /// What it takes to find that so many codes are all under the newest key, and to find some that are under a given one.
  private func steps(redemptions count: Int) async throws -> [Int] {
    var steps: [Int] = []
    try await upgraded(redemptions: count) { codes, database in
      let sealed = Data(try #require(codes.newestHead()) + [UInt8](repeating: 0, count: 60))
      try database.execute(sql: "UPDATE redemptions SET sealed_code = ?", arguments: [sealed])
    } check: { store, codes, _ in
      #expect(try await !writes(store, codes))
      let newest = try #require(codes.newestHead())
      let heads = try await store.effort { _ = try RedemptionStore.heads(in: $0) }
      let some = try await store.effort { database in
        let found = try RedemptionStore.sealed(beginning: newest, after: .placeholder, limit: 100, in: database)
        #expect(found.count == 100)
      }
      steps = [heads.steps, some.steps]
    }
    return steps
  }

  @Test("At a start without a new key no code is written, and it takes as long, however many redemptions there are")
  func effort() async throws {
    let (few, many) = (try await steps(redemptions: 250), try await steps(redemptions: 20_000))
    #expect(zip(few, many).allSatisfy { $1 <= $0 + 5 }, "\(few), \(many)")
  }
}
