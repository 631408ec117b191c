import IdentityContract
import Operations

/// What the link leads to that cancels or undoes a change of an address (requirement ID-11).
enum EmailChangeUndoRules {
  /// How long a change can be undone, and the former address is nobody else's.
  static let seconds = 72 * 3600

  /// What is to be done.
  enum Step: Hashable, Sendable {
    case cancel, undo
  }

  static func validate(_ link: OpenedLink, undoneAt: Instant?, now: Instant) -> Result<Step, EmailChangeUndoFailure> {
    if undoneAt != nil { return .failure(.undone) }
    if let usedAt = link.usedAt {
      return now < usedAt.adding(seconds: seconds) ? .success(.undo) : .failure(.linkExpired)
    }
    return link.replacedAt == nil && now < link.expiresAt ? .success(.cancel) : .failure(.over)
  }
}
