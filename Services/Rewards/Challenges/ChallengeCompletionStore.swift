import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// A challenge, or a tier of an achievement.
struct ChallengeLevel: Hashable, Sendable {
  let challenge: ChallengeID
  /// The number of the level, from 1.
  let level: Int
}

/// An account's completion of a challenge or tier, which a correction may have taken back.
struct ChallengeCompletion: Hashable, Sendable {
  var id: ID<CompletedChallenge>
  /// The days that completed it.
  var days: ClosedRange<LocalDay>
  var completedAt: Instant
  /// The coins that were paid and not taken back.
  var coins: Int
  var isCurrent: Bool
  /// The last transfer that paid for it; nil where there was none.
  var transfer: TransferID?
  /// An administrator's last correction; nil for none. Counting changes neither kind.
  var correction: Correction?

  enum Correction: String, Sendable {
    case granted, revoked
  }
}

/// The completions of accounts: one row per challenge and tier, so that each is completed only once.
enum ChallengeCompletionStore {
  static func all(of account: AccountID, in database: Database) throws -> [ChallengeLevel: ChallengeCompletion] {
    var found: [ChallengeLevel: ChallengeCompletion] = [:]
    try database.each(
      """
      SELECT challenge_id, level, completion_id, first_day, last_day, completed_at, coins, is_current, transfer_id, correction
      FROM challenge_completions WHERE account_id = ?
      """, .id(account)
    ) {
      found[ChallengeLevel(challenge: try $0.id(0), level: $0.number(1))] = ChallengeCompletion(
        id: try $0.id(2), days: $0.day(3)...$0.day(4), completedAt: $0.instant(5), coins: $0.number(6), isCurrent: $0.truth(7),
        transfer: $0.isNull(8) ? nil : try $0.id(8),
        correction: $0.isNull(9) ? nil : ChallengeCompletion.Correction(rawValue: $0.text(9)))
      return true
    }
    return found
  }

  static func put(
    _ level: ChallengeLevel, _ completion: ChallengeCompletion, of account: AccountID, in database: Database
  ) throws {
    try database.run(
      """
      INSERT INTO challenge_completions
        (account_id, challenge_id, level, completion_id, first_day, last_day, completed_at, coins, is_current,
        transfer_id, correction)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (account_id, challenge_id, level) DO UPDATE SET completion_id = excluded.completion_id,
        first_day = excluded.first_day, last_day = excluded.last_day, completed_at = excluded.completed_at,
        coins = excluded.coins, is_current = excluded.is_current, transfer_id = excluded.transfer_id,
        correction = excluded.correction
      """, .id(account), .id(level.challenge), .number(level.level), .id(completion.id), .day(completion.days.lowerBound),
      .day(completion.days.upperBound), .instant(completion.completedAt), .number(completion.coins), .truth(completion.isCurrent),
      completion.transfer.map { .id($0) } ?? .null, .text(completion.correction?.rawValue))
  }

  /// Records what a transfer was paid for.
  static func notePayment(
    _ transfer: TransferID, for challenge: ChallengeID, _ completion: ID<CompletedChallenge>, in database: Database
  ) throws {
    try database.run(
      "INSERT INTO challenge_rewards (transfer_id, completion_id, challenge_id) VALUES (?, ?, ?)", .id(transfer),
      .id(completion), .id(challenge))
  }

  /// All present completions as events, except for granted ones, which have an event of their own: after the key
  /// `<account>/<challenge>/<level>`; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = key?.split(separator: "/").map(String.init) ?? []
    let isKey = pieces.count == 3
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT account_id, challenge_id, level, completion_id, completed_at, coins FROM challenge_completions
        WHERE is_current = 1 AND correction IS NOT 'granted' AND (account_id, challenge_id, level) > (?, ?, ?)
        ORDER BY account_id, challenge_id, level LIMIT ?
        """,
      arguments: [
        isKey ? try AccountID(text: pieces[0]) : .placeholder, isKey ? try ChallengeID(text: pieces[1]) : .placeholder,
        isKey ? Int(pieces[2]) ?? 0 : 0, SnapshotParts.pageSize,
      ])
    let known = Dictionary(uniqueKeysWithValues: try ChallengeDefinitionStore.all(in: database).map { ($0.id, $0) })
    let events = rows.flatMap { row -> [any Event] in
      guard let challenge = known[row["challenge_id"]] else { return [] }
      return challenge.events(
        of: row["account_id"], level: row["level"], row["completion_id"], coins: row["coins"], at: row["completed_at"])
    }
    return SnapshotParts.page(events, of: rows) {
      "\($0["account_id"] as AccountID)/\($0["challenge_id"] as ChallengeID)/\($0["level"] as Int)"
    }
  }
}

extension KnownChallenge {
  /// The events for a completed level: the completion itself for a challenge, and the badge in any case.
  func events(
    of account: AccountID, level: Int, _ completion: ID<CompletedChallenge>, coins: Int, at now: Instant
  ) -> [any Event] {
    let tier = tier(ofLevel: level)
    let badge = BadgeAwarded(
      accountID: account, challengeID: id, completionID: completion, tier: tier, texts: terms.texts, icon: terms.icon, at: now)
    guard tier == nil else { return [badge] }
    let completed = ChallengeCompleted(
      accountID: account, challengeID: id, completionID: completion, texts: terms.texts, icon: terms.icon, coins: coins, at: now)
    return [completed, badge]
  }
}
