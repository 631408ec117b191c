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
    let parts = text.split(at: "/").map(String.init)
    guard parts.count == 2, let score = Int(parts[0]) else { throw PageCursor.invalid }
    self.init(score: score, team: try ID(text: parts[1]))
  }

  var description: String { "\(score)/\(team)" }
}
