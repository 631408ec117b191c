import Operations
import SocialContract

/// Where a team stands in the list of all: by its score, the highest first, and then by its id, the newest first.
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
