import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// A security-relevant event of an account, kept for investigations (requirements ID-2, ID-15).
struct SecurityEvent: Sendable {
  /// What happened.
  enum Kind: String, Choice, DatabaseValueConvertible {
    case accountRegistered, loginSucceeded, loggedOut
    case loginFailed, loginLocked, refreshTokenReused, verificationLinkRefused
    case administratorAppointed, administratorDismissed
    case sessionClosed, sessionReplaced
    case personalAccessTokenCreated, personalAccessTokenRevoked
    case passwordRecoveryRequested, passwordRecoveryRefused, passwordRecovered
    case passwordChangeFailed, passwordChanged
    case externalLoginCancelled, externalLoginFailed, externalProviderUnavailable, externalStateRefused, externalProofRefused
    case externalAccountCreated, identityLinked, identityUnlinked
    case grantRevocationRefused, grantRevocationGivenUp
    case loginNoticed, loginSuspicious, loginRefused
    case loginConfirmed, loginDisowned, loginUnanswered, loginAlertRefused
    case incidentClosed
    case accountDeletionRefused, accountDeleted
    case secretDamaged, secretStorageFailed
    /// Rewards could not prove its ledger of coins.
    case ledgerFailed
    case usernameChanged
    case emailChangeRequested, emailChangeFailed, emailChangeRefused, emailChanged
    case emailChangeCancelled, emailChangeUndone, emailChangeUndoRefused
    case accountSuspended, suspensionLifted, loginWhileSuspended, suspensionAppealed, suspensionLinkRefused

    var severity: SecuritySeverity {
      switch self {
      // What happens every day: without it nobody could see what came before.
      case .accountRegistered, .loginSucceeded, .loggedOut: .info
      case .loginFailed, .verificationLinkRefused, .sessionClosed, .sessionReplaced: .info
      case .personalAccessTokenCreated, .personalAccessTokenRevoked: .info
      case .loginLocked, .refreshTokenReused: .warning
      case .administratorAppointed, .administratorDismissed: .critical
      case .passwordRecoveryRequested, .passwordRecovered: .info
      case .passwordChangeFailed, .passwordChanged: .info
      case .externalLoginCancelled, .externalProviderUnavailable: .info
      case .externalAccountCreated, .identityLinked, .identityUnlinked: .info
      // Mostly a token that ended by itself.
      case .grantRevocationRefused: .info
      case .externalLoginFailed, .grantRevocationGivenUp: .warning
      // A forged proof or a stolen answer looks like this.
      case .externalProofRefused, .externalStateRefused: .warning
      case .accountDeletionRefused, .accountDeleted: .info
      case .secretDamaged, .secretStorageFailed, .ledgerFailed: .critical
      case .usernameChanged: .info
      case .emailChangeRequested, .emailChangeFailed, .emailChanged: .info
      // Whoever asked for the change knew the password.
      case .emailChangeCancelled, .emailChangeUndone, .emailChangeUndoRefused: .warning
      // Whoever guesses at a link's token is after the account.
      case .passwordRecoveryRefused, .loginAlertRefused, .emailChangeRefused: .warning
      case .accountSuspended, .suspensionLifted, .loginWhileSuspended, .suspensionAppealed: .info
      case .suspensionLinkRefused: .warning
      case .loginNoticed, .loginConfirmed, .loginUnanswered, .incidentClosed: .info
      case .loginSuspicious, .loginDisowned: .warning
      // The password is in other hands.
      case .loginRefused: .critical
      }
    }
  }

  let kind: Kind
  let account: AccountID?
  let session: SessionID?
  /// Which rule decided, as a code; never a secret.
  let detail: String?

  init(_ kind: Kind, account: AccountID?, session: SessionID? = nil, detail: String? = nil) {
    self.kind = kind
    self.account = account
    self.session = session
    self.detail = detail
  }

  /// The address of a client as it is kept.
  static func address(_ caller: Caller) -> String? { caller.keptAddress }

  /// Whom events count together for that come from an address: its subscriber, as limits count it, see ``ClientAddress``.
  static func subscriber(_ caller: Caller) -> Data? { address(caller).map(subscriber) }

  /// The same of an address that is kept.
  static func subscriber(_ address: String) -> Data { Data(ClientAddress(address).bytes) }
}
