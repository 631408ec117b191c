public import Operations

extension FeatureContract {
  static let teamScores = FeatureContract(operations: [ListTeams.self])
}

/// A team's score in a period, and its rank among all teams (TEAM-2).
///
/// The score is the number of members' confirmed completions of tasks with at least two participants: each counts once per member and task,
/// for the team that the member was in. Teams with the same score share a rank: the scores 9, 7, 7 and 4 have the ranks 1, 2, 2 and 4.
public struct TeamStanding: Document, Hashable {
  public var score: Int
  public var rank: Int

  /// The standing from its parts.
  public init(score: Int, rank: Int) {
    self.score = score
    self.rank = rank
  }

  public static let notes: Notes = [
    "score": Note("The number of members' completions of tasks shared with others.", range: 0...9e15),
    "rank": Note("One more than the number of teams with a higher score.", range: 1...9e15),
  ]
}

/// A team in the public list of all teams: it does not show the members (TEAM-2).
public struct RankedTeam: Document, Hashable {
  public var id: ID<Team>
  public var name: TeamName
  public var memberCount: Int
  public var score: Int
  public var rank: Int
  /// Whether the reader is in the team.
  public var isMine: Bool

  /// The team from its parts.
  public init(id: ID<Team>, name: TeamName, memberCount: Int, score: Int, rank: Int, isMine: Bool) {
    self.id = id
    self.name = name
    self.memberCount = memberCount
    self.score = score
    self.rank = rank
    self.isMine = isMine
  }

  public static let notes: Notes = [
    "id": "Id of the team.", "name": "Its name.",
    "memberCount": Note("The number of members.", range: 1...Double(CreateTeam.Input.maxMembers)),
    "score": Note("Its score in the list's period.", range: 0...9e15),
    "rank": Note("One more than the number of teams with a higher score.", range: 1...9e15),
    "isMine": "Whether it is the caller's team.",
  ]
}

/// A month of the calendar, in UTC: `2026-11`.
public struct TeamMonth: TextValue, Comparable {
  /// Its first day.
  public let firstDay: LocalDay

  public init(text: String) throws(FieldRule) {
    guard text.utf8.count == 7 else { throw TeamMonth.rule }
    do {
      firstDay = try LocalDay(text: "\(text)-01")
    } catch {
      throw TeamMonth.rule
    }
  }

  /// The month that contains an instant.
  public init(_ instant: Instant) {
    let milliseconds = instant.milliseconds
    let days = milliseconds >= 0 ? milliseconds / 86_400_000 : (milliseconds - 86_399_999) / 86_400_000
    let day = LocalDay(daysSinceEpoch: Int32(truncatingIfNeeded: days))
    firstDay = day.advanced(by: 1 - day.parts.day)
  }

  public var description: String { String(firstDay.description.dropLast(3)) }

  public static func < (left: TeamMonth, right: TeamMonth) -> Bool { left.firstDay < right.firstDay }

  private static let rule = FieldRule("not_a_month")

  public static let placeholder = TeamMonth(.placeholder)

  public static let schema: JSON = ["type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$", "examples": ["2026-11"]]
}

/// Lists the best teams of all time or of a month, and the neighbours of the reader's own team (TEAM-2).
public enum ListTeams: AccountOperation {
  /// The period, and the page.
  public struct Input: ListInput {
    /// The month; nil for all time.
    public var month: TeamMonth?
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(month: TeamMonth? = nil, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.month = month
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["month": "A month in UTC, such as `2026-11`; of all time if absent."])
  }

  /// A page of the list, with the reader's own team and its neighbours.
  public struct Output: Document, Hashable {
    /// The maximum number of neighbours on each side of the reader's own team.
    public static let neighbours = 5

    /// The best first; for a month, only those that have scored in it.
    public var items: [RankedTeam]
    public var nextCursor: PageCursor?
    /// The reader's own team; nil if the reader has none.
    public var mine: RankedTeam?
    /// The reader's own team and its neighbours in the list; empty if the reader has no team.
    public var neighbours: [RankedTeam]

    /// The page from its parts.
    public init(items: [RankedTeam], nextCursor: PageCursor?, mine: RankedTeam?, neighbours: [RankedTeam]) {
      self.items = items
      self.nextCursor = nextCursor
      self.mine = mine
      self.neighbours = neighbours
    }

    public static let schemaName = "TeamRanking"

    public static let notes: Notes = [
      "items": "The best first; for a month, only those that have scored in it.",
      "nextCursor": "The `cursor` for the next page; absent on the last.",
      "mine": "The caller's team; absent while the caller is in none.",
      "neighbours": "The caller's team with up to five neighbours on each side; empty while the caller is in none.",
    ]
  }

  public static let spec = OperationSpec(
    "teams.list", of: .social, .get("/v1/teams"), by: .account, effect: .read, requirements: ["TEAM-2"],
    "Lists the best teams of all time or of a month, and the neighbours of the caller's.")
}
