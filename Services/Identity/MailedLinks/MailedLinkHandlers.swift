import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the look at a mailed link before it is used.
  mutating func serveMailedLinks(keys: IdentityKeys) {
    serve(ValidateMailedLink.self) { input, call in
      switch try await call.read({ try $0.open(input, keys, now: call.now) }) {
      case .works(let isDone): return ValidateMailedLink.Output(isDone: isDone)
      case .refused(let refusal):
        // It is recorded in the transaction, so it must be thrown after it.
        try await call.write { try $0.refuseLink(refusal, from: call.caller) }
        throw refusal.failure
      }
    }
  }
}

extension Database {
  /// What the operation that uses the link would be refused for, and whether it has done its work, where it works.
  fileprivate func open(_ link: ValidateMailedLink.Input, _ keys: IdentityKeys, now: Instant) throws -> LinkOpening<Bool> {
    switch link.purpose {
    case .verification: try open(VerificationToken(link.token), keys, now: now).map(\.isDone)
    case .recovery: try open(RecoveryToken(link.token), keys, now: now).map { _ in false }
    case .emailChange: try open(EmailChangeToken(link.token), keys, now: now).map { _ in false }
    case .emailChangeUndo: try open(EmailChangeUndoToken(link.token), keys, now: now).map { _ in false }
    case .loginAlert: try open(LoginAlertToken(link.token), keys, now: now).map { _ in false }
    }
  }
}
