import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Ranks: read.
struct FriendRankHandlers: Sendable {
  let calendars: AccountCalendars

  @Sendable
  func get(_ input: GetFriendRanks.Input, _ call: OpenCall, _ database: Database) throws -> GetFriendRanks.Output {
    .init(ranks: try ranks(input.accountIDs, at: call.now, database))
  }

  func ranks(_ accounts: [AccountID], at now: Instant, _ database: Database) throws -> [FriendRank] {
    try accounts.map { try rank(of: $0, at: now, database) }
  }

  private func rank(of account: AccountID, at now: Instant, _ database: Database) throws -> FriendRank {
    let today = try calendars.day(of: now, account, in: database)
    let month = today.advanced(by: 1 - today.parts.day)
    let number = LeaderboardRules.month(of: today)
    let score = try LeaderboardStore.score(of: account, by: .steps, in: number, database)
    guard score > 0, try LeaderboardStore.isShown(account, in: database) else { return FriendRank(month: month, rank: nil) }
    let view = LeaderboardView(reader: account, metric: .steps, period: number, isOver: false)
    let board = try GroupLeaderboard(view, people: LeaderboardPeopleStore.friends, database)
    return FriendRank(month: month, rank: board.ranks(of: [score]).first)
  }
}
