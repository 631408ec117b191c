import EarlierStores
import Foundation
import GRDB
import InMemoryBus
import Logging
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Redemptions of earlier stores")
struct RedemptionMigrationTests {
  @Test("Codes of an earlier store are sealed, found by hash, no longer in clear, and keep their text; offers continue")
  func sealing() async throws {
    let home = Home(path: FileManager.default.temporaryDirectory.appendingPathComponent("racha-\(UUID())").path)
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: home, bus: MemoryBus(.rewards, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let migrations = try Rewards.features(environment).flatMap(\.migrations).sorted { $0.number < $1.number }
    let (account, offer, redemption) = (AccountID(), OfferID(), RedemptionID())
    let code = RedemptionCode.unpredictable()
    let at = Instant(milliseconds: 1_795_250_580_000)
    try await UpgradedStore.upgrading(.rewards, migrations, before: RedemptionMigrationTests.firstNew) { transaction in
      let database = transaction.database
      try database.execute(
        sql: """
          INSERT INTO offers VALUES (?, 'Café', 'A coffee', 'Ñandú', 5, 3, 2, 0, ?);
          INSERT INTO ledger_accounts (ledger_account_id, kind, account_id) VALUES (10, 'person', ?);
          INSERT INTO transfers (transfer_id, kind, debit_id, credit_id, coins, reference, at) VALUES (?, 'earned', 1, 10, 9, 'steps/10/1', 1);
          INSERT INTO transfers (transfer_id, kind, debit_id, credit_id, coins, reference, at) VALUES (?, 'redeemed', 10, 2, 5, ?, 2);
          INSERT INTO redemptions SELECT ?, ?, ?, transfer_id, ?, 5, ? FROM transfers WHERE kind = 'redeemed';
          """,
        arguments: [
          offer, at.adding(seconds: 86_400), account, TransferID(), TransferID(), "redemption/\(redemption)", redemption, account,
          offer, code, at,
        ])
    } check: { store in
      let (keys, codes) = (RedemptionKeys(home), SealedCodes(environment))
      let found = try await store.read { try RedemptionStore.find(hash: keys.hash(of: code), in: $0) }
      let kept = try #require(found)
      #expect(kept.id == redemption && kept.account == account && kept.partner == nil)
      let opened = try kept.opened(codes)
      #expect(opened.code == code && opened.title == "Café" && opened.partnerName == "Ñandú" && opened.state == .open)
      // It was given without an end.
      #expect(opened.usableUntil == nil && opened.redeemedAt == at)
      let (listed, text) = try await store.read {
        (
          try Bool.fetchOne($0, sql: "SELECT is_listed FROM offers"),
          try String.fetchOne($0, sql: "SELECT search_text FROM offers")
        )
      }
      #expect(listed == true && text == "cafe a coffee nandu")
      let columns = try await store.read { try $0.columns(in: "redemptions").map(\.name) }
      #expect(!columns.contains("code"))
    }
    try FileManager.default.removeItem(atPath: home.path)
  }

  /// The first migration behind those with codes in clear.
  private static let firstNew = 10
}
