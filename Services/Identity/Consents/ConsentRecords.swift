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

/// Whom a withdrawal must have reached before it is answered.
enum ConsentRule {
  /// The services that keep data for a purpose that needs consent.
  static let keepers: [ServiceName] = [.activity]
  /// How long an answer waits for one of them.
  static let maxSeconds = 2
}

extension ConsentChoices {
  /// The choices that change something: what is given already cannot be given again, nor what is not be withdrawn.
  func changes(from given: [ConsentPurpose]) -> [(purpose: ConsentPurpose, isGiven: Bool)] {
    ConsentPurpose.allCases.compactMap { purpose in
      guard let choice = self[purpose], choice != given.contains(purpose) else { return nil }
      return (purpose, choice)
    }
  }
}

extension Database {
  /// How the account's consents stand, by what was recorded of each last.
  func consents(of account: AccountID) throws -> ConsentStates {
    ConsentStates(activityData: try consent(.activityData, of: account), location: try consent(.location, of: account))
  }

  private func consent(_ purpose: ConsentPurpose, of account: AccountID) throws -> ConsentState {
    let statement = try cachedStatement(
      sql: """
        SELECT is_given, wording_version, at FROM consent_records WHERE account_id = ? AND purpose = ?
        ORDER BY number DESC LIMIT 1
        """)
    guard let row = try Row.fetchOne(statement, arguments: [account, purpose]) else { return ConsentState(isGiven: false) }
    return ConsentState(isGiven: row["is_given"], changedAt: row["at"], wordingVersion: row["wording_version"])
  }
}

extension Transaction {
  /// Gives and withdraws consents, and records each with its time and the wording's version. To be told with the account.
  ///
  /// The records stay until the account is deleted. A withdrawal leaves what was kept before it (GDPR, article 7, paragraph 3).
  func changeConsents(of account: AccountID, from given: [ConsentPurpose], by choices: ConsentChoices) throws {
    let changes = choices.changes(from: given)
    guard !changes.isEmpty else { return }
    var now = Set(given)
    for (purpose, isGiven) in changes {
      if isGiven { now.insert(purpose) } else { now.remove(purpose) }
      try database.cachedStatement(
        sql: """
          INSERT INTO consent_records (account_id, purpose, number, is_given, wording_version, at)
          SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5 FROM consent_records WHERE account_id = ?1 AND purpose = ?2
          """
      ).execute(arguments: [account, purpose, isGiven, purpose.wordingVersion, self.now])
    }
    try database.cachedStatement(sql: "UPDATE accounts SET consents = ? WHERE account_id = ?").execute(arguments: [
      now.map(\.rawValue).sorted().joined(separator: " "), account,
    ])
  }
}
