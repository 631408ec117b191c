import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Leaderboards with the reader's own rank, and the choice to be visible on them.
struct LeaderboardHandlers: Sendable {
  let earningDays: Int
  let calendars: AccountCalendars
  private let words = Words(Contract.rewards.words)

  init(earningDays: Int, calendars: AccountCalendars) {
    self.earningDays = earningDays
    self.calendars = calendars
  }

  @Sendable
  func list(_ input: ListLeaderboard.Input, _ call: AccountCall, _ database: Database) throws -> ListLeaderboard.Output {
    let account = call.account
    let period = try input.period ?? LeaderboardPeriod(of: calendars.calendar(of: account, in: database).day(of: call.now))
    let number = LeaderboardRules.number(of: period)
    let months = LeaderboardMonths(at: call.now, earningDays: earningDays)
    let view = LeaderboardView(reader: account, metric: input.metric, period: number, isOver: months.isOver(number))
    let request = try call.page(input)
    let cursor = try request.cursor(LeaderboardPosition.init(text:))
    guard let board = try board(input.scope ?? .everyone, view, database) else {
      return .init(period: period, items: [], nextCursor: nil, me: nil, neighbours: [], message: message(call))
    }
    let positions = try board.positions(.behind, of: cursor, limit: request.fetchLimit)
    let page = request.page(
      of: try shown(positions, on: board, to: account, database),
      key: { LeaderboardPosition(score: $0.score, account: $0.accountID) }, item: { $0 })
    let surroundings = try surroundings(view, board, database)
    return .init(
      period: period, items: page.items, nextCursor: page.nextCursor, me: surroundings.first { $0.isMe },
      neighbours: surroundings, message: page.items.isEmpty && cursor == nil ? message(call) : nil)
  }

  @Sendable
  func visibility(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> LeaderboardVisibility {
    LeaderboardVisibility(isVisible: try LeaderboardStore.isVisible(call.account, in: database))
  }

  @Sendable
  func setVisibility(
    _ input: LeaderboardVisibility, _ call: AccountCall, _ transaction: Transaction
  ) throws -> LeaderboardVisibility {
    try LeaderboardStore.choose(isVisible: input.isVisible, call.account, earningDays: earningDays, transaction)
    return input
  }

  private func message(_ call: AccountCall) -> String? { words.text("leaderboards.empty", call.language) }

  /// Nil for the team of a reader without a team.
  private func board(
    _ scope: LeaderboardScope, _ view: LeaderboardView, _ database: Database
  ) throws -> (any Leaderboard)? {
    switch scope {
    case .everyone: return try EveryoneLeaderboard(view, database)
    case .friends: return try GroupLeaderboard(view, people: LeaderboardPeopleStore.friends, database)
    case .team:
      guard try TeamMemberStore.team(of: view.reader, in: database) != nil else { return nil }
      return try GroupLeaderboard(view, people: TeamMemberStore.teammates, database)
    }
  }

  /// The reader between its neighbours, as if it were visible.
  private func surroundings(
    _ view: LeaderboardView, _ board: any Leaderboard, _ database: Database
  ) throws -> [RankedPerson] {
    let score = try LeaderboardStore.score(of: view.reader, by: view.metric, in: view.period, database)
    let own = LeaderboardPosition(score: score, account: view.reader)
    func side(_ side: LeaderboardSide) throws -> [LeaderboardPosition] {
      try board.positions(side, of: own, limit: ListLeaderboard.Output.neighbours)
    }
    return try shown(side(.before).reversed() + [own] + side(.behind), on: board, to: view.reader, database)
  }

  /// Consecutive people of a leaderboard, as the reader sees them.
  private func shown(
    _ positions: [LeaderboardPosition], on board: any Leaderboard, to reader: AccountID, _ database: Database
  ) throws -> [RankedPerson] {
    try zip(positions, board.ranks(of: positions.map(\.score))).compactMap { position, rank in
      try LeaderboardPeopleStore.find(position.account, in: database).map { person in
        RankedPerson(
          accountID: position.account, username: person.username, nickname: person.nickname, photoURL: person.photoURL,
          score: position.score, rank: rank, isMe: position.account == reader)
      }
    }
  }
}
