import IdentityContract
import RewardsContract
import ServiceKit
import Storage

/// The ledger that all coins stand in (REW-2): it serves nothing itself, and what others book in it is its snapshot.
struct LedgerFeature: Feature {
  let migrations = [LedgerStore.migration(2), LedgerStore.erasureMigration(7)]
  let tables: [ErasedTable] = [
    // Sums must hold and transfers never change: the amounts stay, under an id that nobody can lead back to the account.
    .changed(
      "ledger_accounts", "account_id = :account", .coins,
      by: "UPDATE ledger_accounts SET account_id = randomblob(16), erased_at = :now WHERE account_id = :account"),
    .untouched("transfers", "amounts between numbers of the ledger"),
  ]
  let snapshot = [
    SnapshotPart("transfers", CoinsEarned.self, CoinsCorrected.self, OfferRedeemed.self, page: LedgerStore.snapshot)
  ]
}
