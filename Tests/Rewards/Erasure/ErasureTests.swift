import ActivityContract
import ActivityService
import Foundation
import GRDB
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Erasing an account's coins and rewards (ID-12)")
struct ErasureTests {
  @Test(
    "Erasing an account leaves nothing of it in tables and events; its amounts stay under a random id, and sums are right")
  func everyTable() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }, { try Rewards.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let offer = try await services.publish(cost: 10, stock: 5)
      for person in [ana, ben] {
        try await person.walk("a", steps: 3000, until: "2026-11-21T09:00:00Z")
        try await services.hasReceived(.rewards, of: .activity)
        _ = try await person.send(RedeemOffer.self, .init(offerID: offer.id), key: "redeem")
      }
      let store = services.store(of: .rewards)
      let tables = ["counted_days", "earnings", "redemptions"]
      for table in tables { #expect(try await store.rows(table) == 2, "\(table)") }
      let transfers = try await store.rows("transfers")
      try await services.delete(ana, receivedBy: .rewards)
      #expect(try await store.traces(of: ana.id) == [])
      // What transfers are for stays, without the person.
      #expect(try await store.rows("earnings") == 1)
      for table in ["counted_days", "redemptions"] { #expect(try await store.rows(table) == 2, "\(table)") }
      #expect(try await store.rows("transfers") == transfers && transfers == 4)
      let counts = try await store.erasedCounts(of: ana.id)
      #expect(
        counts == [
          "profiles 1", "steps 3", "relations 0", "teams 0", "coins 1", "redemptions 1", "challenges 2", "leaderboardScores 2",
          "events 2",
        ])
      try await services.ledgerIsSound()
      let persons = try await store.read {
        try Int.fetchAll($0, sql: "SELECT balance FROM ledger_accounts WHERE kind = 'person' ORDER BY erased_at")
      }
      #expect(persons == [20, 20])
      // In no byte of the file either.
      try await store.clean()
      var bytes = try Data(contentsOf: URL(filePath: store.path))
      bytes += FileManager.default.contents(atPath: "\(store.path)-wal") ?? Data()
      #expect(bytes.range(of: Data(ben.id.bytes)) != nil)
      #expect(bytes.range(of: Data(ana.id.description.utf8)) == nil)
      // But in what notes the erasure itself: a table and its two indexes.
      #expect(Self.count(Data(ana.id.bytes), in: bytes) <= 3)
      // Whoever subscribes now receives nothing of it.
      let published = try await services.snapshot(of: .rewards)
      #expect(published.count == 2)
      #expect(published.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains(ben.id.description) })
    }
  }

  /// How often bytes are found in others.
  private static func count(_ part: Data, in bytes: Data) -> Int {
    var (count, position) = (0, bytes.startIndex)
    while let found = bytes.range(of: part, in: position..<bytes.endIndex) {
      (count, position) = (count + 1, found.upperBound)
    }
    return count
  }

  @Test("Steps that arrive late earn an erased account nothing")
  func late() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }, { try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.delete(ana, receivedBy: .rewards)
      let account = ana.id
      let today = try LocalDay(text: "2026-11-21")
      let event = MovementDaysChanged(
        accountID: account, recordedDay: today,
        days: [MovementDaysChanged.Day(day: today, steps: 900, earningSteps: 900, revision: 1)])
      // Activity published it before it knew of the deletion.
      try await services.store(of: .activity).write { try $0.publish(event) }
      try await services.hasReceived(.rewards, of: .activity)
      #expect(try await services.store(of: .rewards).traces(of: account) == [])
    }
  }

  @Test("An erasure can change nothing else of the ledger, and cannot be repeated")
  func ledger() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.give(30, to: ana)
      let store = services.store(of: .rewards)
      for change in [
        "account_id = randomblob(16)", "erased_at = 1", "account_id = randomblob(16), erased_at = 1, balance = 0",
        "account_id = NULL, erased_at = 1",
      ] {
        await #expect(throws: DatabaseError.self, "\(change)") {
          try await store.write { try $0.database.execute(sql: "UPDATE ledger_accounts SET \(change) WHERE kind = 'person'") }
        }
      }
      try await services.delete(ana, receivedBy: .rewards)
      await #expect(throws: DatabaseError.self) {
        try await store.write {
          try $0.database.execute(
            sql: "UPDATE ledger_accounts SET account_id = randomblob(16), erased_at = 5 WHERE kind = 'person'")
        }
      }
      try await services.ledgerIsSound()
    }
  }
}
