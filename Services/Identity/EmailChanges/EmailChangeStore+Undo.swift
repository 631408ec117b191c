import GRDB
import IdentityContract
import Operations
import Storage

extension EmailChangeStore {
  /// What the link of that token leads to.
  static func open(
    _ token: EmailChangeUndoToken?, _ keys: IdentityKeys, now: Instant, in database: Database
  ) throws -> LinkOpening<OpenedEmailChangeUndo> {
    func refused(_ failure: EmailChangeUndoFailure, _ account: AccountID?) -> LinkOpening<OpenedEmailChangeUndo> {
      .refused(LinkRefusal(.emailChangeUndoRefused, failure, account))
    }
    guard let token, let change = try find(token.claimedLink, in: database),
      token.isOf(EmailChangeUndo(change: change), key: keys.emailChanges),
      let account = try AccountStore.find(change.accountID, in: database)
    else { return refused(.linkInvalid, nil) }
    switch change.undoing(now: now) {
    case .failure(let failure): return refused(failure, account.id)
    case .success(let step): return .works(OpenedEmailChangeUndo(change: change, account: account, step: step))
    }
  }

  /// Whether the address is taken for all but that account: an account has it, or could get it back by undoing a change.
  static func isTaken(_ email: EmailAddress, now: Instant, for account: AccountID? = nil, in database: Database) throws -> Bool {
    if try AccountStore.find(email, in: database) != nil { return true }
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM email_changes
        WHERE former_normalized = ?1 AND used_at > ?2 AND undone_at IS NULL AND account_id IS NOT ?3 LIMIT 1
        """)
    return try Row.fetchOne(
      statement, arguments: [email.normalized, now.adding(seconds: -EmailChangeUndoRules.seconds), account]) != nil
  }

  /// Cancels the change that waits.
  static func cancel(_ change: EmailChangeRecord, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE email_changes SET undone_at = ?1, replaced_at = ?1 WHERE change_id = ?2"
    ).execute(arguments: [transaction.now, change.id])
  }

  /// Restores the address from before the change, whatever it was changed to since, and ends all access to the account: the person who
  /// changed it knew the password, and may also have linked an identity to keep access.
  static func undo(_ change: EmailChangeRecord, to former: EmailAddress, _ caller: Caller, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE email_changes SET undone_at = ?1
        WHERE account_id = ?2 AND undone_at IS NULL AND used_at >= (SELECT used_at FROM email_changes WHERE change_id = ?3)
        """
    ).execute(arguments: [transaction.now, change.accountID, change.id])
    try give(change.accountID, former, transaction)
    try Revocation.revokeEverything(of: change.accountID, .emailChangeUndone, transaction)
    for identity in try ExternalIdentityStore.list(of: change.accountID, in: transaction.database) {
      try ExternalIdentityStore.unlink(identity, caller, transaction)
    }
  }
}
