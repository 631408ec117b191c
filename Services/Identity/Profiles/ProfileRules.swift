import IdentityContract
import SocialContract

/// What an account sees of another (ID-11, SOC-8).
enum ProfileRules {
  /// How much of the other there is to see.
  enum View: Sendable {
    /// For the viewer the other does not exist.
    case nothing
    /// The names of somebody whom the viewer has blocked, so that the block can be recognised and taken back.
    case names
    /// All that the other shows.
    case whole
  }

  /// - Parameter isSuspended: whether the other is suspended now.
  static func view(_ known: KnownRelation, isSuspended: Bool) -> View {
    if isSuspended || known.isBlockedByOther { return .nothing }
    return known.relation.isBlocked ? .names : .whole
  }

  /// Whether a field of the other is shown to the viewer.
  ///
  /// - Parameter isOwn: whether the two are the same; its owner sees all of it.
  static func shows(_ visibility: ProfileVisibility, to relation: Relation, isOwn: Bool) -> Bool {
    switch visibility {
    case .hidden: isOwn
    case .friends: isOwn || relation.isFriend
    case .everyone: true
    }
  }
}
