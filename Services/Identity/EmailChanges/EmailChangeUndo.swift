import IdentityContract
import Operations

/// The secret of the link that cancels or undoes a change of an address.
typealias EmailChangeUndoToken = LinkToken<EmailChangeUndo>

/// The link that is mailed to the address before a change: the same from the request until 72 hours after the change.
struct EmailChangeUndo: EmailLink {
  let change: EmailChangeRecord

  var id: EmailChangeID { change.id }

  var binding: [UInt8] { Array("undo change of e-mail".utf8) + [0] + change.id.bytes + change.accountID.bytes }
}

/// What such a link leads to (requirement ID-11).
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

extension EmailChangeRecord {
  /// What its undoing comes to now.
  func undoing(now: Instant) -> Result<EmailChangeUndoRules.Step, EmailChangeUndoFailure> {
    EmailChangeUndoRules.validate(opened, undoneAt: undoneAt, now: now)
  }

  /// Until when it can be cancelled, or undone.
  var undoableUntil: Instant { usedAt.map { $0.adding(seconds: EmailChangeUndoRules.seconds) } ?? expiresAt }
}

/// A link that cancels or undoes a change, opened.
struct OpenedEmailChangeUndo: Sendable {
  let change: EmailChangeRecord
  let account: AccountRecord
  let step: EmailChangeUndoRules.Step
}
