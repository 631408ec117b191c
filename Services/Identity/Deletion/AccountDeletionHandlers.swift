import GRDB
import IdentityContract
import Operations
import SecureStorage
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the deletion of accounts (ID-12), and finishes it in this store as in all others.
  mutating func serveDeletions(
    keys: IdentityKeys, hasher: PasswordHasher, secrets: SecureStorage, _ environment: ServiceEnvironment
  ) {
    declareErasure(IdentityErasure.tables)
    let settings = ErasureSettings(environment.settings)
    let cleanSeconds = settings.cleanSeconds
    let erasure = Erasure(
      IdentityErasure.tables, keepingEvents: IdentityErasure.eventsKept, rowsPerTransaction: settings.rowsPerTransaction)
    let wake = ErasureWorker.Wake()
    serve(DeleteAccount.self) { input, call in
      let attempt = try await call.read { try $0.beginDeletion(input, call, key: keys.failures) }
      let isRight = try await attempt.isRight(hasher, call)
      // A failed attempt is counted in the transaction, so the failure must be thrown after it.
      let deletion = try await call.write { transaction in
        transaction.afterCommit { wake() }
        return try transaction.endDeletion(attempt, isRight: isRight, erasure, keys, secrets, call)
      }.get()
      return DeleteAccount.Output(
        deletion: try await call.read { try $0.view(deletion, cleanSeconds: cleanSeconds) },
        token: DeletionToken.text(deletion, key: keys.deletions))
    }

    serve(
      ReadAccountDeletion.self,
      read: { input, _, database in
        guard let token = DeletionToken(input.token), let deletion = try database.accountDeletion(token.claimedLink),
          token.isOf(deletion, key: keys.deletions)
        else { throw Failure(RequestFailure.notFound) }
        return try database.view(deletion, cleanSeconds: cleanSeconds)
      })

    serve(
      ConfirmErasure.self,
      write: { input, call, transaction in
        guard let service = call.caller.service else { throw Failure(RequestFailure.forbidden) }
        try transaction.confirmErasure(input.deletionID, by: service, input.counts)
        transaction.afterCommit { wake() }
        return Empty()
      })

    serve(ReadDeletionReport.self) { input, call in
      // What is noted of a damaged address must stay, so the failure is thrown after the transaction.
      let report = try await call.write { transaction in
        transaction.afterCommit { wake() }
        return try transaction.deletionReport(input.deletionID, secrets, cleanSeconds: cleanSeconds)
      }
      guard let report else { throw Failure(RequestFailure.notFound) }
      return report
    }

    serve(
      EndDeletionReport.self,
      write: { input, _, transaction in
        try transaction.endReport(input.deletionID, isDelivered: input.isDelivered)
        transaction.afterCommit { wake() }
        return Empty()
      })

    run { store, pulse in
      ErasureWorker(
        store: store, erasure: erasure, cleanSeconds: cleanSeconds, clock: environment.clock, wake: wake, pulse: pulse,
        logger: environment.logger, clean: { _, _ in },
        confirm: { erasure, store in
          let counts = try erasure.erasureCounts()
          try await store.write { try $0.confirmErasure(erasure.deletionID, by: .identity, counts) }
        }, afterwards: FinishedDeletions.finish)
    }
    scrubEarlierPages()
    run { store in SecretRotation(store: store, storage: secrets) }
  }
}

extension Database {
  /// Looks whether the account may go, and whether the attempt comes too early.
  fileprivate func beginDeletion(_ input: DeleteAccount.Input, _ call: Call, key: SecretKey) throws -> OwnerProof {
    let account = try call.liveAccount(self)
    try checkAdministratorsWithout(account)
    let rule = OwnerProof.rule(input.password, of: account)
    let problems = input.found.with(rule.map { [FieldProblem(field: "password", $0)] } ?? [])
    guard problems.isEmpty, let proof = try OwnerProof(input.password?.value, of: account, call, self, key: key) else {
      throw Failure(RequestFailure.invalidFields, fields: problems)
    }
    return proof
  }
}

extension Transaction {
  /// Deletes the account if the password was right, counts a failure otherwise.
  fileprivate func endDeletion(
    _ attempt: OwnerProof, isRight: Bool, _ erasure: Erasure, _ keys: IdentityKeys, _ secrets: SecureStorage, _ call: Call
  ) throws -> Result<AccountDeletionRecord, Failure> {
    let account = try call.liveAccount(database)
    if let refusal = try attempt.end(isRight: isRight, orElse: .accountDeletionRefused, account, call, self) {
      return .failure(refusal)
    }
    try database.checkAdministratorsWithout(account)
    return .success(try deleteAccount(account, erasure, keys, secrets))
  }
}
