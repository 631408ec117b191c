import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Changes of e-mail addresses: requested, completed and undone; and what their mails need.
struct EmailChangeHandlers: Sendable {
  let keys: IdentityKeys
  let hasher: PasswordHasher
  /// Of an account whose change was undone, until its owner chooses another.
  let unusablePassword: PasswordHash

  func attempt(_ input: RequestEmailChange.Input, _ call: AccountCall) async throws -> CheckedEmailChange {
    let attempt = try await call.read { try Self.begin(input, call, key: keys.failures, in: $0) }
    return CheckedEmailChange(attempt: attempt, isRight: try await attempt.current.isRight(hasher, call))
  }

  /// A failed attempt is counted in the transaction.
  static func request(
    _ input: RequestEmailChange.Input, _ checked: CheckedEmailChange, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Result<RequestEmailChange.Output, Failure> {
    try request(checked.attempt, isRight: checked.isRight, call, transaction)
  }

  func complete(_ input: CompleteEmailChange.Input, _ call: OpenCall) async throws -> CompleteEmailChange.Output {
    // A refusal is recorded in the transaction, so it must be thrown after it.
    try await call.write { try Self.complete(EmailChangeToken(input.token), keys, call, $0) }.get()
  }

  func getSecret(
    _ input: GetEmailChangeSecret.Input, _ call: OpenCall, _ database: Database
  ) throws -> GetEmailChangeSecret.Output {
    guard let change = try EmailChangeStore.find(input.changeID, in: database),
      let account = try AccountStore.find(change.accountID, in: database),
      try EmailChangeStore.refusal(of: change, now: call.now, in: database) == nil
    else { throw Failure(RequestFailure.notFound) }
    return GetEmailChangeSecret.Output(
      token: EmailChangeToken.text(change, key: keys.emailChanges), email: change.email, username: account.username,
      language: account.language, expiresAt: change.expiresAt)
  }

  func undo(_ input: UndoEmailChange.Input, _ call: OpenCall) async throws -> UndoEmailChange.Output {
    // A refusal is recorded in the transaction, so it must be thrown after it.
    try await call.write {
      try Self.undo(EmailChangeUndoToken(input.token), unusablePassword, keys, call, $0)
    }.get()
  }

  func getNotice(
    _ input: GetEmailChangeNotice.Input, _ call: OpenCall, _ database: Database
  ) throws -> GetEmailChangeNotice.Output {
    guard let change = try EmailChangeStore.find(input.changeID, in: database),
      let account = try AccountStore.find(change.accountID, in: database),
      case .success = change.undoing(now: call.now)
    else { throw Failure(RequestFailure.notFound) }
    return GetEmailChangeNotice.Output(
      token: EmailChangeUndoToken.text(EmailChangeUndo(change: change), key: keys.emailChanges),
      email: change.formerEmail ?? account.email, username: account.username, language: account.language,
      expiresAt: change.undoableUntil)
  }
}

/// A request to change an address, and whether its password was right.
struct CheckedEmailChange: Sendable {
  fileprivate let attempt: EmailChangeAttempt
  fileprivate let isRight: Bool
}

/// A request to change an address, whose password is being checked.
private struct EmailChangeAttempt: Sendable {
  let current: OwnerProof
  let email: EmailAddress
}

extension EmailChangeHandlers {
  /// Validates the form, and looks whether the attempt at the password comes too early.
  private static func begin(
    _ input: RequestEmailChange.Input, _ call: AccountCall, key: SecretKey, in database: Database
  ) throws -> EmailChangeAttempt {
    let account = try call.liveAccount(database)
    var problems: [FieldProblem] = []
    if let rule = input.email.rule { problems.append(FieldProblem(field: "email", rule)) }
    if input.email.value == account.email { problems.append(FieldProblem(field: "email", FieldRule("email_unchanged"))) }
    if let rule = OwnerProof.rule(input.currentPassword, of: account) {
      problems.append(FieldProblem(field: "currentPassword", rule))
    }
    problems = input.found.with(problems)
    guard problems.isEmpty, let email = input.email.value,
      let current = try OwnerProof(input.currentPassword?.value, of: account, call, database, key: key)
    else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    return EmailChangeAttempt(current: current, email: email)
  }

  /// Has the link sent if the password was right.
  private static func request(
    _ attempt: EmailChangeAttempt, isRight: Bool, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Result<RequestEmailChange.Output, Failure> {
    let account = try call.liveAccount(transaction.database)
    if let refusal = try attempt.current.end(isRight: isRight, orElse: .emailChangeFailed, account, call, transaction) {
      return .failure(refusal)
    }
    let wait = try EmailChangeStore.waitSeconds(of: account.id, to: attempt.email, now: transaction.now, in: transaction.database)
    guard wait == 0 else {
      return .failure(RequestEmailChangeFailure.tooManyChanges.with(["seconds": .number(wait)], retryAfterSeconds: wait))
    }
    let expiresAt = try EmailChangeStore.request(of: account.id, to: attempt.email, transaction)
    try SecurityEventStore.record(
      SecurityEvent(.emailChangeRequested, account: account.id, session: try call.session), from: call.caller, transaction)
    return .success(RequestEmailChange.Output(email: attempt.email, expiresAt: expiresAt))
  }

  /// Changes the address of the account whose link was opened, or records that the link was refused.
  private static func complete(
    _ token: EmailChangeToken?, _ keys: IdentityKeys, _ call: some Call, _ transaction: Transaction
  ) throws -> Result<CompleteEmailChange.Output, Failure> {
    switch try EmailChangeStore.open(token, keys, now: transaction.now, in: transaction.database) {
    case .refused(let refusal):
      try IncidentDetection.refuseLink(refusal, from: call.caller, transaction)
      return .failure(refusal.failure)
    case .works(let opened):
      try EmailChangeStore.complete(opened.change, of: opened.account, transaction)
      try SecurityEventStore.record(SecurityEvent(.emailChanged, account: opened.account.id), from: call.caller, transaction)
      return .success(CompleteEmailChange.Output(username: opened.account.username, email: opened.change.email))
    }
  }

  /// Cancels or undoes the change whose link was opened, or records that the link was refused.
  private static func undo(
    _ token: EmailChangeUndoToken?, _ unusablePassword: PasswordHash, _ keys: IdentityKeys, _ call: some Call,
    _ transaction: Transaction
  ) throws -> Result<UndoEmailChange.Output, Failure> {
    switch try EmailChangeStore.open(token, keys, now: transaction.now, in: transaction.database) {
    case .refused(let refusal):
      try IncidentDetection.refuseLink(refusal, from: call.caller, transaction)
      return .failure(refusal.failure)
    case .works(let opened):
      let (change, account) = (opened.change, opened.account)
      switch opened.step {
      case .cancel:
        try EmailChangeStore.cancel(change, transaction)
        try SecurityEventStore.record(SecurityEvent(.emailChangeCancelled, account: account.id), from: call.caller, transaction)
        return .success(UndoEmailChange.Output(username: account.username, email: account.email, wasCompleted: false))
      case .undo:
        let email = change.formerEmail ?? account.email
        try EmailChangeStore.undo(change, to: email, call.caller, transaction)
        try SecurityEventStore.record(SecurityEvent(.emailChangeUndone, account: account.id), from: call.caller, transaction)
        // Whoever changed the address knew it. The owner chooses another by a link to the address that is theirs again.
        try PasswordStore.disable(of: account.id, unusablePassword, transaction)
        try PasswordRecoveryStore.request(email, call.caller, key: keys.recoverySubjects, transaction)
        return .success(UndoEmailChange.Output(username: account.username, email: email, wasCompleted: true))
      }
    }
  }
}
