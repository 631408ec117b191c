import Operations
import SocialContract

/// What counts for a team's score, and how a list's ranks follow from it (TEAM-2).
enum TeamScoreRules {
  /// Participants of a task from which on its completions count: what one does alone is no team's.
  static let minParticipants = 2

  /// How many scores are one band: a rank is counted by bands down to that of the score, and by scores within it.
  /// The triggers count so: it changes by a migration alone.
  static let bandWidth = 256

  static func counts(participants: Int) -> Bool { participants >= minParticipants }

  /// The time of which a score is, as the tables keep it: 0 for all time, 202611 for November 2026.
  static func period(_ month: TeamMonth?) -> Int {
    guard let (year, month, _) = month?.firstDay.parts else { return 0 }
    return year * 100 + month
  }

  /// The ranks of teams that follow each other in the list.
  ///
  /// - Parameters:
  ///   - teams: the score of each, and how many teams have that score.
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
