import Operations
import SocialContract

/// Who can be in a team from its beginning, and how many (TEAM-1).
enum TeamRules {
  /// Members of a team at most; the schema holds it too.
  static let maximum = CreateTeam.Input.maxMembers

  /// A named account's standing with the team that is to be created.
  enum Standing: Hashable, Sendable {
    case free
    /// The account does not exist, is suspended, or one of the two has blocked the other; which of these is not revealed.
    case unknown
    /// It is in another team.
    case inTeam
    /// Its setting does not let the caller enrol it.
    case enrolledByOthers
  }

  /// The rule that naming it breaks; nil if it breaks none.
  static func fault(_ username: Username, _ standing: Standing) -> FieldRule? {
    let parameters: [String: Parameter] = ["username": .text(username.description)]
    return switch standing {
    case .free: nil
    case .unknown: FieldRule("unknown_user", parameters)
    case .inTeam: FieldRule("already_in_a_team", parameters)
    case .enrolledByOthers: FieldRule("enrollment_not_allowed", parameters)
    }
  }

  /// The named accounts, without the team's creator and without repetitions.
  static func others(
    _ named: [(index: Int, username: Username)], than own: Username
  ) -> [(index: Int, username: Username)] {
    var seen: Set = [own]
    return named.filter { seen.insert($0.username).inserted }
  }

  /// - Parameter count: members, those to be added included.
  /// - Throws: `team_full`.
  static func checkSize(_ count: Int) throws(Failure) {
    guard count <= maximum else { throw TeamFailure.full.with(["max": .number(maximum)]) }
  }
}
