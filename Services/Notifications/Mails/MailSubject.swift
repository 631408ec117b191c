import Foundation
import GRDB
import IdentityContract
import Operations
import Storage

/// Kinds of mails; the templates of one are `Templates/<kind>.<language>`, its subject is the words `mail.<kind>.subject`.
enum MailKind: String, Choice, DatabaseValueConvertible {
  case verification, recovery, passwordChanged
  case emailChange, emailChanged
}

/// What a mail is about: there is one mail for each.
enum MailSubject: Hashable, Sendable {
  case verification(VerificationLinkID)
  case recovery(PasswordRecoveryID)
  case passwordChanged(PasswordChangeID)
  case emailChange(EmailChangeID)
  case emailChanged(EmailChangeID)

  var kind: MailKind {
    switch self {
    case .verification: .verification
    case .recovery: .recovery
    case .passwordChanged: .passwordChanged
    case .emailChange: .emailChange
    case .emailChanged: .emailChanged
    }
  }

  /// The id as it is stored.
  var id: DatabaseValue {
    switch self {
    case .verification(let id): id.databaseValue
    case .recovery(let id): id.databaseValue
    case .passwordChanged(let id): id.databaseValue
    case .emailChange(let id): id.databaseValue
    case .emailChanged(let id): id.databaseValue
    }
  }

  /// Reads a row of mails.
  init(_ row: Row) {
    switch row["kind"] as MailKind {
    case .verification: self = .verification(row["subject_id"])
    case .recovery: self = .recovery(row["subject_id"])
    case .passwordChanged: self = .passwordChanged(row["subject_id"])
    case .emailChange: self = .emailChange(row["subject_id"])
    case .emailChanged: self = .emailChanged(row["subject_id"])
    }
  }
}
