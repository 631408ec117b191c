import Foundation
import GRDB
import IdentityContract
import Operations
import Storage

/// Kinds of mails; the templates of one are `Templates/<kind>.<language>`, its subject is the words `mail.<kind>.subject`.
enum MailKind: String, Choice, DatabaseValueConvertible {
  case verification, recovery, passwordChanged, accountDeleted
  case loginNoticed, loginSuspicious, loginRefused
  case locked, tokensReused, everythingRevoked
  case incident, report
  case emailChange, emailChanged
  case emailChangeNotice
  case identityLinked, identityUnlinked
  case tokenCreated
}

/// What a mail is about: there is one mail for each.
enum MailSubject: Hashable, Sendable {
  case verification(VerificationLinkID)
  case recovery(PasswordRecoveryID)
  case passwordChanged(PasswordChangeID)
  case loginNoticed(LoginAlertID)
  case loginSuspicious(LoginAlertID)
  case loginRefused(LoginAlertID)
  case locked(IncidentID)
  case tokensReused(IncidentID)
  case everythingRevoked(IncidentID)
  case incident(SecurityMailID)
  case report(SecurityMailID)
  case accountDeleted(AccountDeletionID)
  case emailChange(EmailChangeID)
  case emailChanged(EmailChangeID)
  case emailChangeNotice(EmailChangeID)
  case identityLinked(IdentityLinkChangeID)
  case identityUnlinked(IdentityLinkChangeID)
  case tokenCreated(PersonalAccessTokenID)

  var kind: MailKind {
    switch self {
    case .verification: .verification
    case .recovery: .recovery
    case .passwordChanged: .passwordChanged
    case .loginNoticed: .loginNoticed
    case .loginSuspicious: .loginSuspicious
    case .loginRefused: .loginRefused
    case .locked: .locked
    case .tokensReused: .tokensReused
    case .everythingRevoked: .everythingRevoked
    case .incident: .incident
    case .report: .report
    case .accountDeleted: .accountDeleted
    case .emailChange: .emailChange
    case .emailChanged: .emailChanged
    case .emailChangeNotice: .emailChangeNotice
    case .identityLinked: .identityLinked
    case .identityUnlinked: .identityUnlinked
    case .tokenCreated: .tokenCreated
    }
  }

  /// The id as it is stored.
  var id: DatabaseValue {
    switch self {
    case .verification(let id): id.databaseValue
    case .recovery(let id): id.databaseValue
    case .passwordChanged(let id): id.databaseValue
    case .loginNoticed(let id), .loginSuspicious(let id), .loginRefused(let id): id.databaseValue
    case .locked(let id), .tokensReused(let id), .everythingRevoked(let id): id.databaseValue
    case .incident(let id), .report(let id): id.databaseValue
    case .accountDeleted(let id): id.databaseValue
    case .emailChange(let id): id.databaseValue
    case .emailChanged(let id): id.databaseValue
    case .emailChangeNotice(let id): id.databaseValue
    case .identityLinked(let id), .identityUnlinked(let id): id.databaseValue
    case .tokenCreated(let id): id.databaseValue
    }
  }

  /// Reads a row of mails.
  init(_ row: Row) {
    switch row["kind"] as MailKind {
    case .verification: self = .verification(row["subject_id"])
    case .recovery: self = .recovery(row["subject_id"])
    case .passwordChanged: self = .passwordChanged(row["subject_id"])
    case .loginNoticed: self = .loginNoticed(row["subject_id"])
    case .loginSuspicious: self = .loginSuspicious(row["subject_id"])
    case .loginRefused: self = .loginRefused(row["subject_id"])
    case .locked: self = .locked(row["subject_id"])
    case .tokensReused: self = .tokensReused(row["subject_id"])
    case .everythingRevoked: self = .everythingRevoked(row["subject_id"])
    case .incident: self = .incident(row["subject_id"])
    case .report: self = .report(row["subject_id"])
    case .accountDeleted: self = .accountDeleted(row["subject_id"])
    case .emailChange: self = .emailChange(row["subject_id"])
    case .emailChanged: self = .emailChanged(row["subject_id"])
    case .emailChangeNotice: self = .emailChangeNotice(row["subject_id"])
    case .identityLinked: self = .identityLinked(row["subject_id"])
    case .identityUnlinked: self = .identityUnlinked(row["subject_id"])
    case .tokenCreated: self = .tokenCreated(row["subject_id"])
    }
  }
}
