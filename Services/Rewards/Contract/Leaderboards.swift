public import Operations

extension FeatureContract {
  static let leaderboards = FeatureContract(
    operations: [ListLeaderboard.self, GetLeaderboardVisibility.self, SetLeaderboardVisibility.self])
}

/// The metric of a leaderboard (REW-6).
public enum LeaderboardMetric: String, Choice {
  /// Steps that may earn, without flagged ones.
  case steps
  /// Coins earned, less those taken back.
  case coins
}

/// The people whom a leaderboard ranks (REW-6).
public enum LeaderboardScope: String, Choice {
  case everyone
  /// The reader's friends.
  case friends
  /// The reader's team.
  case team
}

/// The period of a leaderboard (REW-6): a calendar month such as `2026-11`, or `allTime`. For a month, each account's own local days of
/// that month count.
public struct LeaderboardPeriod: TextValue {
  /// The first day of the month; nil for all time.
  public let firstDay: LocalDay?

  /// The period without bounds.
  public static let allTime = LeaderboardPeriod(firstDay: nil)

  private init(firstDay: LocalDay?) { self.firstDay = firstDay }

  /// The month that contains a day.
  public init(of day: LocalDay) { self.init(firstDay: day.advanced(by: 1 - day.parts.day)) }

  public init(text: String) throws(FieldRule) {
    guard text != LeaderboardPeriod.allTimeText else {
      self = .allTime
      return
    }
    guard text.utf8.count == 7 else { throw LeaderboardPeriod.rule }
    do {
      self.init(firstDay: try LocalDay(text: "\(text)-01"))
    } catch {
      throw LeaderboardPeriod.rule
    }
  }

  public var description: String { firstDay.map { String($0.description.dropLast(3)) } ?? LeaderboardPeriod.allTimeText }

  private static let allTimeText = "allTime"
  private static let rule = FieldRule("not_a_leaderboard_period")

  public static let placeholder = LeaderboardPeriod.allTime

  public static let schema: JSON = [
    "type": "string", "pattern": "^([0-9]{4}-[0-9]{2}|allTime)$", "examples": ["2026-11", "allTime"],
  ]
}

/// A person on a leaderboard, with no more than names, photo and score (REW-6).
public struct RankedPerson: Document, Hashable {
  public var accountID: AccountID
  public var username: Username
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var score: Int
  /// One more than the number of people with a higher score: people with equal scores share a rank.
  public var rank: Int
  /// Whether the person is the reader.
  public var isMe: Bool

  /// The person from its parts.
  public init(
    accountID: AccountID, username: Username, nickname: String?, photoURL: PhotoURL?, score: Int, rank: Int, isMe: Bool
  ) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.score = score
    self.rank = rank
    self.isMe = isMe
  }

  public static let notes: Notes = [
    "accountID": "The account whose rank it is.", "username": "The username.", "nickname": "The nickname, if there is one.",
    "photoURL": "The photo, if there is one.",
    "score": Note("Steps or coins in the leaderboard's period.", range: 0...9e15, example: 212_480),
    "rank": Note("One more than the number of people with a higher score.", range: 1...9e15, example: 17),
    "isMe": "Whether it is the caller.",
  ]
}

/// The people with the best scores of a period, and the reader's own rank with its neighbours (REW-6, E UC-05).
///
/// Only accounts that chose to be visible (``SetLeaderboardVisibility``) are listed and counted. The reader's own rank is always shown,
/// computed as if it were visible. People with equal scores share a rank: the scores 9, 7, 7 and 4 have the ranks 1, 2, 2 and 4.
///
/// In a month that is over, an account that disappears (erased, suspended, without consent to activity data, or no longer visible) leaves
/// its rank empty, and the others keep theirs. The ranks of a month are final once none of its steps can earn any more. Friends and team
/// members are ranked among the present friends and members: an account that left or was erased leaves no rank empty there. Two accounts
/// of which one has blocked the other do not see each other.
public enum ListLeaderboard: AccountOperation {
  /// Which leaderboard, and which page of it.
  public struct Input: ListInput {
    public var metric: LeaderboardMetric
    /// The period; the reader's present month by default.
    public var period: LeaderboardPeriod?
    /// The scope; everyone by default.
    public var scope: LeaderboardScope?
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(
      metric: LeaderboardMetric, period: LeaderboardPeriod? = nil, scope: LeaderboardScope? = nil, limit: Int? = nil,
      cursor: PageCursor? = nil
    ) {
      self.metric = metric
      self.period = period
      self.scope = scope
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes([
      "metric": "What people are ranked by: `steps` that may earn, or `coins` earned.",
      "period": "A month, such as `2026-11`, or `allTime`; the caller's present month if absent.",
      "scope": "The people ranked: `everyone`, the caller's `friends` or the caller's `team`; everyone if absent.",
    ])
  }

  /// A page of the leaderboard, with the reader's own rank and neighbours.
  public struct Output: Document, Hashable {
    /// The maximum number of neighbours on each side of the reader.
    public static let neighbours = 5

    /// The period of the leaderboard.
    public var period: LeaderboardPeriod
    /// The people on the page, best first: only those who chose to be visible.
    public var items: [RankedPerson]
    public var nextCursor: PageCursor?
    /// The reader, as if visible; absent on a team's leaderboard where the reader is in no team.
    public var me: RankedPerson?
    /// The reader, between its neighbours.
    public var neighbours: [RankedPerson]
    /// The text to show while the leaderboard is empty, in the reader's language (E UC-05, AF-01).
    public var message: String?

    /// The page from its parts.
    public init(
      period: LeaderboardPeriod, items: [RankedPerson], nextCursor: PageCursor?, me: RankedPerson?, neighbours: [RankedPerson],
      message: String?
    ) {
      self.period = period
      self.items = items
      self.nextCursor = nextCursor
      self.me = me
      self.neighbours = neighbours
      self.message = message
    }

    public static let schemaName = "Leaderboard"

    public static let notes: Notes = [
      "period": "The month, or `allTime`.", "items": "The best first; only those who chose to be shown.",
      "nextCursor": "The `cursor` for the next page; absent on the last.",
      "me": "The caller's rank, as if the caller were shown; for teams, absent while the caller is in none.",
      "neighbours": "The caller with up to five neighbours on each side; for teams, empty while the caller is in none.",
      "message": "What to show while nobody is on it, in the caller's language; absent otherwise.",
    ]
  }

  public static let spec = OperationSpec(
    "leaderboards.list", of: .rewards, .get("/v1/leaderboards"), by: .account, effect: .read, requirements: ["REW-6"],
    "Lists the people with the most steps or coins of a month or of all time, and the caller's rank with its neighbours.")
}

/// Whether an account is visible on leaderboards (REW-6).
public struct LeaderboardVisibility: Document, Hashable {
  /// Whether others see the account there, and it counts for their ranks; off by default.
  public var isVisible: Bool

  /// The choice.
  public init(isVisible: Bool) { self.isVisible = isVisible }

  public static let notes: Notes = [
    "isVisible": "Whether others see the caller on leaderboards: names, photo, steps and coins earned. Off by default."
  ]
}

/// Returns whether the account is visible on leaderboards (REW-6).
public enum GetLeaderboardVisibility: AccountOperation {
  public typealias Input = Empty
  public typealias Output = LeaderboardVisibility

  public static let spec = OperationSpec(
    "leaderboards.getVisibility", of: .rewards, .get("/v1/leaderboards/visibility"), by: .account, effect: .read,
    requirements: ["REW-6"], "Returns whether others see the caller on leaderboards.")
}

/// Sets whether the account is visible on leaderboards; takes effect at once on all of them (REW-6).
///
/// An account that becomes visible appears on past months too, with the rank of its score there. Where a month is final, it changes no
/// other account's rank.
public enum SetLeaderboardVisibility: AccountOperation {
  public typealias Input = LeaderboardVisibility
  public typealias Output = LeaderboardVisibility

  public static let spec = OperationSpec(
    "leaderboards.setVisibility", of: .rewards, .put("/v1/leaderboards/visibility"), by: .account, effect: .write,
    requirements: ["REW-6"], "Sets whether others see the caller on leaderboards.")
}
