import GRDB
import Operations
import RewardsContract
import Storage

/// Administrators' revocations and grants, with the reasons; the present state is stored with the completions.
enum ChallengeCorrectionStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "corrections of challenges") { database in
      try database.execute(
        sql: """
          -- The last decision of an administrator: counting changes neither.
          ALTER TABLE challenge_completions ADD COLUMN correction TEXT CHECK (correction IN ('granted', 'revoked'));
          CREATE TABLE challenge_corrections (
            correction_id BLOB NOT NULL PRIMARY KEY CHECK (length(correction_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            challenge_id BLOB NOT NULL REFERENCES challenges,
            level INTEGER NOT NULL CHECK (level BETWEEN 1 AND 3),
            is_granted INTEGER NOT NULL CHECK (is_granted IN (0, 1)),
            -- how many came or went with it
            coins INTEGER NOT NULL CHECK (coins >= 0),
            reason TEXT NOT NULL CHECK (reason <> ''),
            -- null once the administrator's account was erased
            administrator_id BLOB CHECK (length(administrator_id) = 16),
            at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX challenge_corrections_by_account ON challenge_corrections (account_id, correction_id);
          CREATE INDEX challenge_corrections_by_administrator ON challenge_corrections (administrator_id);
          """)
    }
  }

  static func add(_ correction: ChallengeCorrection, level: Int, in database: Database) throws {
    try database.run(
      """
      INSERT INTO challenge_corrections
        (correction_id, account_id, challenge_id, level, is_granted, coins, reason, administrator_id, at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .id(correction.id), .id(correction.accountID), .id(correction.challengeID), .number(level),
      .truth(correction.isGranted), .number(correction.coins), .text(correction.reason),
      correction.administratorAccountID.map { .id($0) } ?? .null, .instant(correction.at))
  }

  /// How many coins the last revocation of a challenge took back; 0 where there was none.
  static func revokedCoins(_ challenge: ChallengeID, of account: AccountID, in database: Database) throws -> Int {
    try database.first(
      """
      SELECT coins FROM challenge_corrections WHERE account_id = ? AND challenge_id = ? AND is_granted = 0
      ORDER BY correction_id DESC LIMIT 1
      """, .id(account), .id(challenge)
    ) { $0.number(0) } ?? 0
  }

  /// Lists an account's corrections before `before` in descending order of ids, each with its challenge.
  static func list(
    of account: AccountID, before: ID<ChallengeCorrection>?, limit: Int, in database: Database
  ) throws -> [ChallengeCorrection] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT challenge_corrections.*, bronze IS NOT NULL AS has_tiers
        FROM challenge_corrections JOIN challenges ON challenges.challenge_id = challenge_corrections.challenge_id
        WHERE account_id = ?1 AND correction_id < ?2 ORDER BY correction_id DESC LIMIT ?3
        """)
    return try Row.fetchAll(statement, arguments: [account, before ?? .last, limit]).map { row in
      let (level, hasTiers): (Int, Bool) = (row["level"], row["has_tiers"])
      return ChallengeCorrection(
        id: row["correction_id"], accountID: account, challengeID: row["challenge_id"],
        tier: hasTiers ? ChallengeTier.allCases[level - 1] : nil, isGranted: row["is_granted"], coins: row["coins"],
        reason: row["reason"], administratorAccountID: row["administrator_id"], at: row["at"])
    }
  }
}
