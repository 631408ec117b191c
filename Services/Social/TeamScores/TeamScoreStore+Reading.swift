import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

extension TeamScoreStore {
  /// One more than the number of teams with a higher score: the teams of all higher bands, and those above the score in its own band.
  static let rankSQL = """
    SELECT 1
      + (SELECT ifnull(sum(team_count), 0) FROM team_score_bands WHERE period = ?1 AND band > ?2 / \(TeamScoreRules.bandWidth))
      + (SELECT ifnull(sum(team_count), 0) FROM team_score_counts
        WHERE period = ?1 AND score > ?2 AND score < (?2 / \(TeamScoreRules.bandWidth) + 1) * \(TeamScoreRules.bandWidth))
    """

  static func rank(of score: Int, in period: Int, _ database: Database) throws -> Int {
    try database.first(rankSQL, .number(period), .number(score)) { $0.number(0) } ?? 1
  }

  static func score(of team: ID<Team>, in period: Int, _ database: Database) throws -> Int {
    try database.first("SELECT score FROM team_scores WHERE team_id = ? AND period = ?", .id(team), .number(period)) {
      $0.number(0)
    } ?? 0
  }

  /// A team's score and rank; without a score in the month, it ranks after all teams with one.
  static func standing(of team: ID<Team>, _ month: TeamMonth?, in database: Database) throws -> TeamStanding {
    let period = TeamScoreRules.period(month)
    let score = try score(of: team, in: period, database)
    return TeamStanding(score: score, rank: try rank(of: score, in: period, database))
  }

  /// The side of a position in the list: the teams behind it, best first, or those before it, last first.
  enum Side {
    case behind, before

    fileprivate var comparison: String { self == .behind ? "<" : ">" }
    fileprivate var order: String { self == .behind ? "DESC" : "ASC" }
  }

  /// The SQL of a part of the list: a walk along an index from a position, with each team and the number of teams with its score.
  static func listSQL(_ side: Side) -> String {
    """
    SELECT s.team_id, s.score, t.name, t.member_count, c.team_count
    FROM team_scores s CROSS JOIN teams t USING (team_id) CROSS JOIN team_score_counts c USING (period, score)
    WHERE s.period = :period AND (s.score, s.team_id) \(side.comparison) (:score, :team)
    ORDER BY s.score \(side.order), s.team_id \(side.order) LIMIT :limit
    """
  }

  /// The teams next to a position, without the one at the position, in the order of the list.
  ///
  /// - Parameter position: nil for the list's beginning.
  static func rows(
    _ side: Side, of position: TeamPosition?, in period: Int, limit: Int, _ database: Database
  ) throws -> [Row] {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: listSQL(side)),
      arguments: [
        "period": period, "score": position.map { Int64($0.score) } ?? .max, "team": position?.team ?? .placeholder,
        "limit": limit,
      ])
    return side == .behind ? rows : rows.reversed()
  }

  /// Turns consecutive rows of the list into ranked teams.
  static func ranked(_ rows: [Row], in period: Int, own: ID<Team>?, _ database: Database) throws -> [RankedTeam] {
    guard let first = rows.first else { return [] }
    let ranks = TeamScoreRules.ranks(
      of: rows.map { (score: $0["score"], sharedBy: $0["team_count"]) },
      first: try rank(of: first["score"], in: period, database))
    return zip(rows, ranks).map { row, rank in
      let id: ID<Team> = row["team_id"]
      return RankedTeam(
        id: id, name: row["name"], memberCount: row["member_count"], score: row["score"], rank: rank, isMine: id == own)
    }
  }

  /// A team as the list shows it, even for a month in which it has not scored and is not listed.
  static func ranked(_ team: ID<Team>, _ month: TeamMonth?, isMine: Bool, in database: Database) throws -> RankedTeam? {
    let standing = try standing(of: team, month, in: database)
    return try database.first("SELECT name, member_count FROM teams WHERE team_id = ?", .id(team)) { columns in
      RankedTeam(
        id: team, name: try TeamName(text: columns.text(0)), memberCount: columns.number(1), score: standing.score,
        rank: standing.rank, isMine: isMine)
    }
  }
}
