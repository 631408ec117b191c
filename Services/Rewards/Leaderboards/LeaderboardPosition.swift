import Operations

/// A position on a leaderboard: by score, the highest first, then by account, the newest first.
struct LeaderboardPosition: CustomStringConvertible, Hashable, Comparable {
  let score: Int
  let account: AccountID

  init(score: Int, account: AccountID) {
    self.score = score
    self.account = account
  }

  /// Parses a position from its description.
  init(text: String) throws(FieldRule) {
    let parts = text.split(at: "/").map(String.init)
    guard parts.count == 2, let score = Int(parts[0]) else { throw PageCursor.invalid }
    self.init(score: score, account: try ID(text: parts[1]))
  }

  var description: String { "\(score)/\(account)" }

  /// Whether one position comes before the other.
  static func < (left: LeaderboardPosition, right: LeaderboardPosition) -> Bool {
    left.score != right.score ? left.score > right.score : right.account < left.account
  }
}

/// A side of a position; the nearest positions come first.
enum LeaderboardSide {
  case behind, before
}
