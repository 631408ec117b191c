import Operations
import SocialContract

/// What counts for a team's score, and the ranks that follow from scores (TEAM-2).
enum TeamScoreRules {
  /// The minimum number of participants of a task whose completions count: what a member does alone does not count for a team.
  static let minParticipants = 2

  /// The number of scores in a band: a rank is counted by bands down to that of the score, and by scores within it. The triggers depend on
  /// it: changing it needs a migration.
  static let bandWidth = 256

  static func counts(participants: Int) -> Bool { participants >= minParticipants }

  /// The number of a period in the tables: 0 for all time, 202611 for November 2026.
  static func period(_ month: TeamMonth?) -> Int {
    guard let (year, month, _) = month?.firstDay.parts else { return 0 }
    return year * 100 + month
  }

  /// The ranks of consecutive teams of the list.
  ///
  /// - Parameters:
  ///   - teams: the score of each, and the number of teams with that score.
  ///   - first: the rank of the first one.
  static func ranks(of teams: [(score: Int, sharedBy: Int)], first: Int) -> [Int] {
    var ranks: [Int] = []
    for (index, team) in teams.enumerated() {
      guard index > 0 else {
        ranks.append(first)
        continue
      }
      let previous = teams[index - 1]
      ranks.append(team.score == previous.score ? ranks[index - 1] : ranks[index - 1] + previous.sharedBy)
    }
    return ranks
  }
}
