import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the change of e-mail addresses.
  ///
  /// - Parameter nobodysPassword: of an account whose change was undone, until its owner chooses another.
  mutating func serveEmailChanges(keys: IdentityKeys, hasher: PasswordHasher, unusablePassword: PasswordHash) {
    serveAttempt(
      RequestEmailChange.self,
      prepare: { input, call in
        let attempt = try await call.read { try $0.beginEmailChange(input, call, key: keys.failures) }
        return (attempt, isRight: try await attempt.current.isRight(hasher, call))
      },
      // A failed attempt is counted in the transaction.
      write: { _, prepared, call, transaction in
        let (attempt, isRight) = prepared
        return try transaction.requestEmailChange(attempt, isRight: isRight, call)
      })

    serve(CompleteEmailChange.self) { input, call in
      // A refusal is recorded in the transaction, so it must be thrown after it.
      try await call.write { try $0.completeEmailChange(EmailChangeToken(input.token), keys, call) }.get()
    }

    serve(
      ReadEmailChangeSecret.self,
      read: { input, call, database in
        guard let change = try database.emailChange(input.changeID), let account = try database.account(change.accountID),
          try database.refusal(of: change, now: call.now) == nil
        else { throw Failure(RequestFailure.notFound) }
        return ReadEmailChangeSecret.Output(
          token: EmailChangeToken.text(change, key: keys.emailChanges), email: change.email, username: account.username,
          language: account.language, expiresAt: change.expiresAt)
      })

    serve(UndoEmailChange.self) { input, call in
      // A refusal is recorded in the transaction, so it must be thrown after it.
      try await call.write { try $0.undoEmailChange(EmailChangeUndoToken(input.token), unusablePassword, keys, call) }.get()
    }

    serve(
      ReadEmailChangeNotice.self,
      read: { input, call, database in
        guard let change = try database.emailChange(input.changeID), let account = try database.account(change.accountID),
          case .success = change.undoing(now: call.now)
        else { throw Failure(RequestFailure.notFound) }
        return ReadEmailChangeNotice.Output(
          token: EmailChangeUndoToken.text(EmailChangeUndo(change: change), key: keys.emailChanges),
          email: change.formerEmail ?? account.email, username: account.username, language: account.language,
          expiresAt: change.undoableUntil)
      })
  }
}

/// A request to change an address, whose password is being checked.
private struct EmailChangeAttempt: Sendable {
  let current: OwnerProof
  let email: EmailAddress
}

extension Database {
  /// Judges the form, and looks whether the attempt at the password comes too early.
  fileprivate func beginEmailChange(
    _ input: RequestEmailChange.Input, _ call: Call, key: SecretKey
  ) throws -> EmailChangeAttempt {
    let account = try call.liveAccount(self)
    var problems: [FieldProblem] = []
    if let rule = input.email.rule { problems.append(FieldProblem(field: "email", rule)) }
    if input.email.value == account.email { problems.append(FieldProblem(field: "email", FieldRule("email_unchanged"))) }
    if let rule = OwnerProof.rule(input.currentPassword, of: account) {
      problems.append(FieldProblem(field: "currentPassword", rule))
    }
    problems = input.found.with(problems)
    guard problems.isEmpty, let email = input.email.value,
      let current = try OwnerProof(input.currentPassword?.value, of: account, call, self, key: key)
    else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    return EmailChangeAttempt(current: current, email: email)
  }
}

extension Transaction {
  /// Has the link sent if the password was right.
  fileprivate func requestEmailChange(
    _ attempt: EmailChangeAttempt, isRight: Bool, _ call: Call
  ) throws -> Result<RequestEmailChange.Output, Failure> {
    let account = try call.liveAccount(database)
    if let refusal = try attempt.current.end(isRight: isRight, orElse: .emailChangeFailed, account, call, self) {
      return .failure(refusal)
    }
    let wait = try database.emailChangeWaitSeconds(of: account.id, to: attempt.email, now: now)
    guard wait == 0 else {
      return .failure(RequestEmailChangeFailure.tooManyChanges.with(["seconds": .number(wait)], retryAfterSeconds: wait))
    }
    let expiresAt = try requestEmailChange(of: account.id, to: attempt.email)
    try record(
      SecurityEvent(.emailChangeRequested, account: account.id, session: try call.session), from: call.caller)
    return .success(RequestEmailChange.Output(email: attempt.email, expiresAt: expiresAt))
  }

  /// Changes the address of the account whose link was opened, or records that the link was refused.
  fileprivate func completeEmailChange(
    _ token: EmailChangeToken?, _ keys: IdentityKeys, _ call: Call
  ) throws -> Result<CompleteEmailChange.Output, Failure> {
    switch try database.open(token, keys, now: now) {
    case .refused(let refusal):
      try refuseLink(refusal, from: call.caller)
      return .failure(refusal.failure)
    case .works(let opened):
      try completeEmailChange(opened.change, of: opened.account)
      try record(SecurityEvent(.emailChanged, account: opened.account.id), from: call.caller)
      return .success(CompleteEmailChange.Output(username: opened.account.username, email: opened.change.email))
    }
  }

  /// Cancels or undoes the change whose link was opened, or records that the link was refused.
  fileprivate func undoEmailChange(
    _ token: EmailChangeUndoToken?, _ unusablePassword: PasswordHash, _ keys: IdentityKeys, _ call: Call
  ) throws -> Result<UndoEmailChange.Output, Failure> {
    switch try database.open(token, keys, now: now) {
    case .refused(let refusal):
      try refuseLink(refusal, from: call.caller)
      return .failure(refusal.failure)
    case .works(let opened):
      let (change, account) = (opened.change, opened.account)
      switch opened.step {
      case .cancel:
        try cancel(change)
        try record(SecurityEvent(.emailChangeCancelled, account: account.id), from: call.caller)
        return .success(UndoEmailChange.Output(username: account.username, email: account.email, hadTakenPlace: false))
      case .undo:
        let email = change.formerEmail ?? account.email
        try undo(change, to: email, call.caller)
        try record(SecurityEvent(.emailChangeUndone, account: account.id), from: call.caller)
        // Whoever changed the address knew it. The owner chooses another by a link to the address that is theirs again.
        try endPassword(of: account.id, unusablePassword)
        try requestPasswordRecovery(email, call.caller, key: keys.recoverySubjects)
        return .success(UndoEmailChange.Output(username: account.username, email: email, hadTakenPlace: true))
      }
    }
  }
}
