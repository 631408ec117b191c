import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Places: read.
struct FriendPlaceHandlers: Sendable {
  private let calendars = AccountCalendars()

  @Sendable
  func read(_ input: ReadFriendPlaces.Input, _ call: OpenCall, _ database: Database) throws -> ReadFriendPlaces.Output {
    .init(places: try places(input.accountIDs, at: call.now, database))
  }

  func places(_ accounts: [AccountID], at now: Instant, _ database: Database) throws -> [FriendPlace] {
    try accounts.map { try place(of: $0, at: now, database) }
  }

  private func place(of account: AccountID, at now: Instant, _ database: Database) throws -> FriendPlace {
    let today = try calendars.day(of: now, account, in: database)
    let month = today.advanced(by: 1 - today.parts.day)
    let number = LeaderboardRules.month(of: today)
    let score = try LeaderboardStore.score(of: account, by: .steps, in: number, database)
    guard score > 0, try LeaderboardStore.isShown(account, in: database) else { return FriendPlace(month: month, rank: nil) }
    let view = LeaderboardView(reader: account, metric: .steps, period: number, isOver: false)
    let board = try GroupLeaderboard(view, people: LeaderboardPeople.friends, database)
    return FriendPlace(month: month, rank: board.ranks(of: [score]).first)
  }
}
