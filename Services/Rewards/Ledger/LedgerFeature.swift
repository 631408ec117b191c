import IdentityContract
import Logging
import Operations
import RewardsContract
import ServiceKit
import Storage

/// The ledger of all coins (REW-2): its snapshot covers everything that features book. It is verified every night, and removes expired
/// coins.
struct LedgerFeature: Feature {
  let expiry: CoinExpiry
  let clock: Clock
  let logger: Logger
  let migrations = [
    LedgerStore.migration(2), LedgerStore.erasureMigration(7), LedgerStore.lotMigration(10), LedgerCheckStore.migration(15),
    LedgerStore.reasonMigration(29),
  ]
  let tables: [ErasedTable] = [
    .untouched("ledger_checks", "the last night on which the ledger was proved"),
    .untouched("lot_moves", "amounts between numbers of the ledger"),
    // From then on nothing is done with them.
    .changed(
      "coin_lots", "ledger_account_id = (\(LedgerFeature.number)) AND rest > 0 AND ends_at < \(Instant.endOfTime.milliseconds)",
      .coins,
      by: """
        UPDATE coin_lots SET ends_at = \(Instant.endOfTime.milliseconds)
        WHERE ledger_account_id = (\(LedgerFeature.number)) AND rest > 0
        """
    ).atOnce,
    // What administrators wrote about the person.
    .changed(
      "transfers",
      "(\(LedgerFeature.explained(on: "debit_id"))) OR (\(LedgerFeature.explained(on: "credit_id")))", .coins,
      by: "UPDATE transfers SET title = NULL WHERE \(LedgerFeature.explained(on: "debit_id"))",
      "UPDATE transfers SET title = NULL WHERE \(LedgerFeature.explained(on: "credit_id"))"),
    // Sums must stay correct and transfers never change: the amounts stay, under an id that cannot be traced to the account. The days that
    // transfers refer to get that id too, all of them at once: they are as many as the days on which the person walked.
    .changed(
      "ledger_accounts", "account_id = :account", .coins,
      by: "UPDATE ledger_accounts SET account_id = randomblob(16), erased_at = :now WHERE account_id = :account"),
  ]
  let snapshot = [
    SnapshotPart(
      "transfers", CoinsEarned.self, CoinsCorrected.self, OfferRedeemed.self, CoinsRefunded.self, CoinsRewarded.self,
      CoinsRewardReversed.self, CoinsAdjusted.self, CoinsExpired.self, page: LedgerStore.snapshot)
  ]

  func register(in service: inout ServiceDefinition) {
    service.run { [expiry] store in CoinExpiryWorker(store: store, expiry: expiry) }
    service.run { [clock, logger] store in LedgerCheckWorker(store: store, clock: clock, logger: logger) }
  }

  private static let number = "SELECT ledger_account_id FROM ledger_accounts WHERE account_id = :account"

  /// The transfers of the account on one of their sides that have an administrator's words.
  private static func explained(on side: String) -> String {
    "cause = 'reason' AND title IS NOT NULL AND \(side) = (\(number))"
  }
}
