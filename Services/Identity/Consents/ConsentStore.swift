import GRDB
import IdentityContract
import Operations
import Storage

extension ConsentPurpose {
  /// The version of the words `consent.<purpose>`: to be raised with each change of what they say.
  var wordingVersion: Int {
    switch self {
    case .activityData, .location: 1
    }
  }

  /// The purposes as the column of accounts keeps them.
  static func list(_ text: String) throws -> [ConsentPurpose] {
    try text.split(separator: " ").map { try ConsentPurpose(text: String($0)) }
  }
}

/// The record of consents.
enum ConsentStore {
  /// See ``SettingsStore/migration(_:)``.
  static let table = """
    -- Each time a consent was given or withdrawn, as evidence (GDPR, article 7, paragraph 1).
    CREATE TABLE consent_records (
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      purpose TEXT NOT NULL CHECK (purpose IN ('activityData', 'location')),
      number INTEGER NOT NULL CHECK (number > 0),
      is_given INTEGER NOT NULL CHECK (is_given IN (0, 1)),
      wording_version INTEGER NOT NULL CHECK (wording_version > 0),
      at INTEGER NOT NULL,
      PRIMARY KEY (account_id, purpose, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER consent_records_are_history BEFORE UPDATE ON consent_records
    BEGIN SELECT RAISE(ABORT, 'what somebody consented to does not change afterwards'); END;
    """

  /// The account of a record may be gone: nothing bounds how often a consent is changed, so they go in steps behind it.
  static func deletedAccountsMigration(_ number: Int) -> Migration {
    Migration(number, "consents of deleted accounts") { database in
      try database.redeclare(
        "consent_records", replacing: "account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE",
        with: "account_id BLOB NOT NULL")
    }
  }

  /// How the account's consents stand, by what was recorded of each last.
  static func states(of account: AccountID, in database: Database) throws -> ConsentStates {
    ConsentStates(
      activityData: try state(.activityData, of: account, in: database), location: try state(.location, of: account, in: database)
    )
  }

  private static func state(_ purpose: ConsentPurpose, of account: AccountID, in database: Database) throws -> ConsentState {
    let statement = try database.cachedStatement(
      sql: """
        SELECT is_given, wording_version, at FROM consent_records WHERE account_id = ? AND purpose = ?
        ORDER BY number DESC LIMIT 1
        """)
    guard let row = try Row.fetchOne(statement, arguments: [account, purpose]) else { return ConsentState(isGiven: false) }
    return ConsentState(isGiven: row["is_given"], changedAt: row["at"], wordingVersion: row["wording_version"])
  }

  /// Gives and withdraws consents, and records each with its time and the wording's version. To be published with the account.
  ///
  /// The records stay until the account is deleted. A withdrawal leaves what was kept before it (GDPR, article 7, paragraph 3).
  static func change(
    of account: AccountID, from given: [ConsentPurpose], by choices: ConsentChoices, _ transaction: Transaction
  ) throws {
    let changes = choices.changes(from: given)
    guard !changes.isEmpty else { return }
    var current = Set(given)
    for (purpose, isGiven) in changes {
      if isGiven { current.insert(purpose) } else { current.remove(purpose) }
      try transaction.database.cachedStatement(
        sql: """
          INSERT INTO consent_records (account_id, purpose, number, is_given, wording_version, at)
          SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5 FROM consent_records WHERE account_id = ?1 AND purpose = ?2
          """
      ).execute(arguments: [account, purpose, isGiven, purpose.wordingVersion, transaction.now])
    }
    try transaction.database.cachedStatement(sql: "UPDATE accounts SET consents = ? WHERE account_id = ?")
      .execute(arguments: [current.map(\.rawValue).sorted().joined(separator: " "), account])
  }
}
