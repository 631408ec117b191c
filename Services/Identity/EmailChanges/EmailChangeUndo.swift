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
