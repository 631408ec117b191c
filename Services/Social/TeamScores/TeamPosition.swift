import Operations
import SocialContract

/// A team's position in the list of all teams: by its score, highest first, and then by its id, newest first.
struct TeamPosition: CustomStringConvertible, Hashable {
  let score: Int
  let team: ID<Team>

  init(score: Int, team: ID<Team>) {
    self.score = score
    self.team = team
  }

  /// Reads its description.
  init(text: String) throws(FieldRule) {
    let (first, second) = try TextParts.pair(text)
    guard let score = Int(first) else { throw PageCursor.invalid }
    self.init(score: score, team: try ID(text: second))
  }

  var description: String { "\(score)/\(team)" }
}
