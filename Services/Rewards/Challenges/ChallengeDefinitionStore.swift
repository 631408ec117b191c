import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// The definitions of challenges and achievements.
enum ChallengeDefinitionStore {
  /// The maximum number of definitions that are not retired.
  static let maxActive = 200

  /// Stores a definition, unless its id already exists.
  ///
  /// - Returns: whether it is new; earlier activity of accounts is then counted.
  @discardableResult
  static func add(_ id: ChallengeID, _ terms: ChallengeTerms, _ transaction: Transaction) throws -> Bool {
    let (rule, database) = (terms.rule, transaction.database)
    try database.cachedStatement(
      sql: """
        INSERT INTO challenges (challenge_id, metric, time_window, steps_a_day, from_day, to_day, first_days, bronze, silver,
          threshold, coins, icon, texts, created_at, counted_through)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (challenge_id) DO NOTHING
        """
    ).execute(arguments: [
      id, rule.metric.rawValue, rule.window.rawValue, rule.stepsPerDay, rule.from, rule.to, rule.newAccountDays,
      terms.tiers?.bronze, terms.tiers?.silver, terms.tiers?.gold ?? terms.threshold, terms.coins ?? 0,
      terms.icon.description, String(decoding: terms.texts.json, as: UTF8.self), transaction.now, AccountID.placeholder,
    ])
    guard database.changesCount > 0 else { return false }
    try renewStamp(in: database)
    return true
  }

  /// Changes the mutable fields of a definition; earlier activity of accounts is counted again.
  static func edit(_ id: ChallengeID, _ terms: ChallengeTerms, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        UPDATE challenges SET bronze = ?, silver = ?, threshold = ?, coins = ?, icon = ?, texts = ?, counted_through = ?
        WHERE challenge_id = ?
        """
    ).execute(arguments: [
      terms.tiers?.bronze, terms.tiers?.silver, terms.tiers?.gold ?? terms.threshold, terms.coins ?? 0,
      terms.icon.description, String(decoding: terms.texts.json, as: UTF8.self), AccountID.placeholder, id,
    ])
    try renewStamp(in: database)
  }

  static func retire(_ id: ChallengeID, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE challenges SET retired_at = ?, counted_through = NULL WHERE challenge_id = ? AND retired_at IS NULL",
      .instant(transaction.now), .id(id))
    try renewStamp(in: transaction.database)
  }

  static func find(_ id: ChallengeID, in database: Database) throws -> KnownChallenge {
    let statement = try database.cachedStatement(sql: "SELECT * FROM challenges WHERE challenge_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { throw ChallengeFailure.notFound }
    return try KnownChallenge(row)
  }

  /// All definitions in order of creation.
  static func all(in database: Database) throws -> [KnownChallenge] {
    try Row.fetchAll(database, sql: "SELECT * FROM challenges ORDER BY created_at, challenge_id").map(KnownChallenge.init)
  }

  /// A page of all definitions, by id.
  static func list(_ page: PageRequest, in database: Database) throws -> Page<ChallengeDefinition> {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM challenges WHERE challenge_id > ? ORDER BY challenge_id LIMIT ?")
    let rows = try Row.fetchAll(
      statement, arguments: [try page.cursor(ChallengeID.init(text:)) ?? .placeholder, page.fetchLimit])
    return try page.page(of: rows, key: { $0["challenge_id"] as ChallengeID }) { try KnownChallenge($0).definition }
  }

  static func activeCount(in database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM challenges WHERE retired_at IS NULL") { $0.number(0) } ?? 0
  }

  /// The stamp, which every change of the definitions renews.
  static func stamp(in database: Database) throws -> [UInt8] {
    try database.first("SELECT stamp FROM challenge_stamps") { $0.bytes(0) } ?? []
  }

  private static func renewStamp(in database: Database) throws {
    try database.run("UPDATE challenge_stamps SET stamp = randomblob(8)")
  }

  // MARK: - Counting what was done before

  /// A definition for which accounts remain to be counted, with the last counted account; nil where there is none.
  static func uncounted(in database: Database) throws -> (id: ChallengeID, through: AccountID)? {
    try database.first(
      "SELECT challenge_id, counted_through FROM challenges WHERE counted_through IS NOT NULL ORDER BY counted_through LIMIT 1"
    ) { (try $0.id(0), try $0.id(1)) }
  }

  /// Records the last account that was counted for a definition; nil for all.
  static func noteCounted(_ id: ChallengeID, through account: AccountID?, in database: Database) throws {
    try database.run(
      "UPDATE challenges SET counted_through = ? WHERE challenge_id = ?", account.map { .id($0) } ?? .null, .id(id))
  }
}

extension KnownChallenge {
  init(_ row: Row) throws {
    let rule = ChallengeRule(
      metric: try ChallengeMetric(text: row["metric"]), window: try ChallengeWindow(text: row["time_window"]),
      stepsPerDay: row["steps_a_day"], from: row["from_day"], to: row["to_day"], newAccountDays: row["first_days"])
    let threshold: Int = row["threshold"]
    let tiers = (row["bronze"] as Int?).map { ChallengeTiers(bronze: $0, silver: row["silver"], gold: threshold) }
    let coins: Int = row["coins"]
    self.init(
      id: row["challenge_id"],
      terms: ChallengeTerms(
        rule: rule, threshold: tiers == nil ? threshold : nil, tiers: tiers, coins: coins == 0 ? nil : coins,
        icon: try BadgeIcon(text: row["icon"]), texts: try ChallengeTexts.decode(Array((row["texts"] as String).utf8))),
      createdAt: row["created_at"], retiredAt: row["retired_at"])
  }
}
