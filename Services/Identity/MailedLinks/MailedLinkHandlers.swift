import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the look at a mailed link before it is used.
  mutating func serveMailedLinks(keys: IdentityKeys) {
    serve(JudgeMailedLink.self) { input, call in
      guard let refusal = try await call.read({ try $0.refusal(of: input, keys, now: call.now) }) else { return Empty() }
      // It is recorded in the transaction, so it must be thrown after it.
      try await call.write { try $0.refuseLink(refusal, from: call.caller) }
      throw refusal.failure
    }
  }
}

extension Database {
  /// What the operation that uses the link would be refused for; nil where the link works.
  fileprivate func refusal(of link: JudgeMailedLink.Input, _ keys: IdentityKeys, now: Instant) throws -> LinkRefusal? {
    switch link.purpose {
    case .verification: try open(VerificationToken(link.token), keys, now: now).refusal
    case .recovery: try open(RecoveryToken(link.token), keys, now: now).refusal
    case .emailChange: try open(EmailChangeToken(link.token), keys, now: now).refusal
    case .emailChangeUndo: try open(EmailChangeUndoToken(link.token), keys, now: now).refusal
    case .loginAlert: try open(LoginAlertToken(link.token), keys, now: now).refusal
    }
  }
}
