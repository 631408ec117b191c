import IdentityContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Leaderboards of people by steps and by coins earned (REW-6). Coins let it count days (``CoinStore``), and the ledger transfers
/// (``LedgerStore``).
struct LeaderboardFeature: Feature {
  let formula: CoinFormula
  let calendars: AccountCalendars

  let migrations = [LeaderboardStore.migration(23)]
  let tables: [ErasedTable] = [
    // Others can read these rows, so they are deleted at once.
    ErasedTable.rows("leaderboard_people", "account_id = :account", .profiles).atOnce,
    ErasedTable.changed(
      "leaderboard_scores", "account_id = :account", .leaderboardScores, by: LeaderboardStore.uncounting,
      LeaderboardStore.deleting
    ).atOnce,
    .rows("leaderboard_days", "account_id = :account", .steps),
    .untouched("leaderboard_counts", "how many people have a score"),
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = LeaderboardHandlers(earningDays: formula.earningDays, calendars: calendars)
    service.serve(ListLeaderboard.self, read: handlers.list)
    service.serve(GetLeaderboardVisibility.self, read: handlers.visibility)
    service.serve(SetLeaderboardVisibility.self, write: handlers.setVisibility)
  }

  func accountChanged(_ account: AccountID, _ transaction: Transaction) throws {
    try LeaderboardStore.follow(account, earningDays: formula.earningDays, transaction)
  }
}
