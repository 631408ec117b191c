import GRDB
import IdentityContract
import Operations
import SecureStorage
import ServiceKit
import Storage

/// Deletions of accounts: begun, followed, confirmed by other services, and reported.
struct AccountDeletionHandlers: Sendable {
  let keys: IdentityKeys
  let hasher: PasswordHasher
  let secrets: SecureStorage
  let erasure: Erasure
  let cleanSeconds: Int
  /// Wakes the worker that finishes erasures.
  let signal = WakeSignal()

  func delete(_ input: DeleteAccount.Input, _ call: AccountCall) async throws -> DeleteAccount.Output {
    let attempt = try await call.read { try Self.begin(input, call, key: keys.failures, in: $0) }
    let isRight = try await attempt.isRight(hasher, call)
    // A failed attempt is counted in the transaction, so the failure must be thrown after it.
    let deletion = try await call.write { transaction in
      transaction.afterCommit { signal.send() }
      return try Self.end(attempt, isRight: isRight, erasure, keys, secrets, call, transaction)
    }.get()
    return DeleteAccount.Output(
      deletion: try await call.read { try AccountDeletionStore.view(deletion, cleanSeconds: cleanSeconds, in: $0) },
      token: DeletionToken.text(deletion, key: keys.deletions))
  }

  func deleteSuspended(_ input: DeleteSuspendedAccount.Input, _ call: OpenCall) async throws -> DeleteSuspendedAccount.Output {
    // A refusal is recorded in the transaction, so it must be thrown after it.
    let deletion = try await call.write { [self] transaction in
      transaction.afterCommit { signal.send() }
      return try deleteSuspended(SuspensionToken(input.token), call, transaction)
    }.get()
    return DeleteAccount.Output(
      deletion: try await call.read { try AccountDeletionStore.view(deletion, cleanSeconds: cleanSeconds, in: $0) },
      token: DeletionToken.text(deletion, key: keys.deletions))
  }

  /// Deletes the suspended account of an opened link: the link proves access to the account's mailbox, and a suspended account has no
  /// session.
  private func deleteSuspended(
    _ token: SuspensionToken?, _ call: OpenCall, _ transaction: Transaction
  ) throws -> Result<AccountDeletionRecord, Failure> {
    switch try SuspensionLinkStore.open(token, keys, now: transaction.now, in: transaction.database) {
    case .refused(let refusal):
      try IncidentDetection.refuseLink(refusal, from: call.caller, transaction)
      return .failure(refusal.failure)
    case .works(let opened):
      try AdministratorStore.requireOthers(than: opened.account, in: transaction.database)
      return .success(try AccountDeletionStore.begin(opened.account, erasure, keys, secrets, transaction))
    }
  }

  func get(_ input: GetAccountDeletion.Input, _ call: OpenCall, _ database: Database) throws -> AccountDeletion {
    guard let token = DeletionToken(input.token), let deletion = try AccountDeletionStore.find(token.claimedLink, in: database),
      token.isOf(deletion, key: keys.deletions)
    else { throw Failure(RequestFailure.notFound) }
    return try AccountDeletionStore.view(deletion, cleanSeconds: cleanSeconds, in: database)
  }

  func confirm(_ input: ConfirmErasure.Input, _ call: OpenCall, _ transaction: Transaction) throws -> Empty {
    guard let service = call.caller.service else { throw Failure(RequestFailure.forbidden) }
    try AccountDeletionStore.confirm(input.deletionID, by: service, input.counts, transaction)
    transaction.afterCommit { signal.send() }
    return Empty()
  }

  func getReport(_ input: GetDeletionReport.Input, _ call: OpenCall) async throws -> GetDeletionReport.Output {
    // What is noted of a damaged address must stay, so the failure is thrown after the transaction.
    let report = try await call.write { transaction in
      transaction.afterCommit { signal.send() }
      return try AccountDeletionStore.report(input.deletionID, secrets, cleanSeconds: cleanSeconds, transaction)
    }
    guard let report else { throw Failure(RequestFailure.notFound) }
    return report
  }

  func endReport(_ input: EndDeletionReport.Input, _ call: OpenCall, _ transaction: Transaction) throws -> Empty {
    try AccountDeletionStore.endReport(input.deletionID, isDelivered: input.isDelivered, transaction)
    transaction.afterCommit { signal.send() }
    return Empty()
  }

  /// Looks whether the account may go, and whether the attempt comes too early.
  private static func begin(
    _ input: DeleteAccount.Input, _ call: AccountCall, key: SecretKey, in database: Database
  ) throws -> OwnerProof {
    let account = try call.liveAccount(database)
    try AdministratorStore.requireOthers(than: account, in: database)
    let rule = OwnerProof.rule(input.password, of: account)
    let problems = input.found.with(rule.map { [FieldProblem(field: "password", $0)] } ?? [])
    guard problems.isEmpty, let proof = try OwnerProof(input.password?.value, of: account, call, database, key: key) else {
      throw Failure(RequestFailure.invalidFields, fields: problems)
    }
    return proof
  }

  /// Deletes the account if the password was right, counts a failure otherwise.
  private static func end(
    _ attempt: OwnerProof, isRight: Bool, _ erasure: Erasure, _ keys: IdentityKeys, _ secrets: SecureStorage, _ call: AccountCall,
    _ transaction: Transaction
  ) throws -> Result<AccountDeletionRecord, Failure> {
    let account = try call.liveAccount(transaction.database)
    if let refusal = try attempt.end(isRight: isRight, orElse: .accountDeletionRefused, account, call, transaction) {
      return .failure(refusal)
    }
    try AdministratorStore.requireOthers(than: account, in: transaction.database)
    return .success(try AccountDeletionStore.begin(account, erasure, keys, secrets, transaction))
  }
}
