import ActivityContract
import Foundation
public import GRDB
import GeneratedHistory
import NotificationsContract
public import Operations
import RewardsContract

/// An account that has very much of everything, as it stands in the stores of services that are away.
///
/// Each store has a temporary table `befriended` of its friends, and a function `new_id()`.
public struct HeavyAccount: Sendable {
  let id: AccountID
  /// The next of these accounts, with which it has exchanged most of its messages.
  let next: AccountID
  /// Of a countable goal each.
  let activities: [ActivityID]
  /// How many times as much as the average one it has.
  let times: Int
  /// One for each day of its movement, the oldest first.
  let transfers: [TransferID]

  /// As many as an account may follow, but for some that are followed while all of this is measured.
  private static let mostFollowed = 990
  private static let stepsOfCoin = 100

  /// The time a day ago, in milliseconds.
  private static var yesterday: Int64 { Instant.now.adding(seconds: -86_400).milliseconds }

  private var own: Data { Data(id.bytes) }
  /// Of its activities' entries.
  private var daysOfEntries: Int { max(1, 20 * times / activities.count) }
  /// Those that it follows, and that follow it.
  private var followed: String {
    "SELECT account_id FROM befriended ORDER BY account_id DESC LIMIT \(min(times, Self.mostFollowed))"
  }

  // MARK: - Social

  /// Writes friendships, follows, conversations and completed tasks.
  ///
  /// - Returns: how many friends there are.
  func meet(in database: Database) throws -> Int {
    try database.execute(
      sql: """
        INSERT INTO friendships (low_account, high_account, since)
          SELECT min(account_id, :own), max(account_id, :own), 0 FROM befriended ORDER BY 1, 2
        """, arguments: ["own": own])
    let friends = database.changesCount
    try database.execute(
      sql: """
        INSERT INTO relations (low_account, high_account, changed_at, revision)
          SELECT min(account_id, :own), max(account_id, :own), 0, 1 FROM befriended ORDER BY 1, 2;
        INSERT INTO follows (follower_account, followed_account, state, changed_at, revision)
          SELECT account_id, :own, 'accepted', 0, 1 FROM (\(followed)) ORDER BY 1;
        INSERT INTO follows (follower_account, followed_account, state, changed_at, revision)
          SELECT :own, account_id, 'accepted', 0, 1 FROM (\(followed)) ORDER BY 2;
        """, arguments: ["own": own])
    try converse(with: "SELECT account_id FROM befriended ORDER BY account_id DESC LIMIT \(2 * times)", messages: 2, in: database)
    try converse(with: "SELECT :next AS account_id", messages: 2 * times, in: database)
    try complete(in: database)
    return friends
  }

  /// Writes a conversation with each of some accounts, by turns, of which nobody has read anything.
  private func converse(with others: String, messages: Int, in database: Database) throws {
    try database.execute(
      sql: """
        CREATE TEMP TABLE met (other BLOB NOT NULL PRIMARY KEY, conversation_id BLOB NOT NULL) WITHOUT ROWID;
        INSERT INTO met SELECT account_id, new_id() FROM (\(others));
        INSERT INTO conversations (conversation_id, low_account, high_account)
          SELECT conversation_id, min(other, :own), max(other, :own) FROM met ORDER BY 1;
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :messages)
        INSERT INTO messages (message_id, conversation_id, from_account, text, sent_at)
          SELECT new_id(), conversation_id, iif(n % 2 = 1, :own, other), 'how was your walk ' || n, :then
          FROM numbers, met ORDER BY n, conversation_id;
        INSERT INTO message_texts (conversation_id, sequence, folded)
          SELECT m.conversation_id, m.sequence, m.text
          FROM met CROSS JOIN messages m ON m.conversation_id = met.conversation_id ORDER BY 1, 2;
        INSERT INTO conversation_sides (account_id, other_account, conversation_id, last_sequence, unread_count, sent_bytes)
          SELECT s.own, s.other, s.conversation_id, max(m.sequence), sum(m.from_account <> s.own),
            sum(iif(m.from_account = s.own, length(m.text), 0))
          FROM (SELECT :own AS own, other, conversation_id FROM met UNION ALL SELECT other, :own, conversation_id FROM met) s
          CROSS JOIN messages m ON m.conversation_id = s.conversation_id GROUP BY 1, 2, 3;
        DROP TABLE met;
        """, arguments: ["own": own, "next": Data(next.bytes), "messages": messages, "then": Self.yesterday])
  }

  /// Writes tasks that friends have made, and both have completed.
  private func complete(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE TEMP TABLE done (task_id BLOB NOT NULL PRIMARY KEY, account_id BLOB NOT NULL) WITHOUT ROWID;
        INSERT INTO done SELECT new_id(), account_id FROM (
          SELECT account_id FROM befriended ORDER BY account_id DESC LIMIT :count);
        INSERT INTO tasks (task_id, creator_account, name, state, participant_count, confirmed_count, created_at, completed_at,
            changed_at, revision)
          SELECT task_id, account_id, 'Water the plants', 'completed', 2, 2, :then, :then, :then, 1 FROM done ORDER BY 1;
        INSERT INTO task_participants (task_id, account_id, task_sequence, state, enrolled_by, enrolled_at, confirmed_at)
          SELECT t.task_id, d.account_id, t.sequence, 'completed', NULL, :then, :then
          FROM done d CROSS JOIN tasks t ON t.task_id = d.task_id
          UNION ALL SELECT t.task_id, :own, t.sequence, 'completed', d.account_id, :then, :then
          FROM done d CROSS JOIN tasks t ON t.task_id = d.task_id;
        DROP TABLE done;
        """, arguments: ["own": own, "count": times, "then": Self.yesterday])
  }

  // MARK: - Identity

  /// Writes who its friends are, and who follows whom.
  func know(in database: Database) throws {
    try database.execute(
      sql: pairs(
        """
        INSERT INTO relations (account_id, other_account_id, is_friend, follows, is_followed_by, is_blocked,
          is_blocked_by_other, revision)
        """, "1, 0, 0, 0, 0, 1"), arguments: ["own": own])
    try database.execute(
      sql: """
        UPDATE relations SET follows = 1, is_followed_by = 1 WHERE account_id = :own AND other_account_id IN (\(followed));
        UPDATE relations SET follows = 1, is_followed_by = 1 WHERE other_account_id = :own AND account_id IN (\(followed));
        """, arguments: ["own": own])
  }

  /// A row of each of two friends about the other.
  private func pairs(_ insert: String, _ values: String) -> String {
    """
    \(insert) SELECT account_id, :own, \(values) FROM befriended ORDER BY 1;
    \(insert) SELECT :own, account_id, \(values) FROM befriended ORDER BY 2;
    """
  }

  // MARK: - Rewards

  /// Writes its friends, and what it earned and achieved: by its movement a transfer a day.
  func earn(in database: Database) throws {
    try database.execute(
      sql: pairs("INSERT INTO relations (account_id, other_account_id, is_friend, is_apart, revision)", "1, 0, 1"),
      arguments: ["own": own])
    let carried = try makeDays(in: database)
    try database.execute(
      sql: """
        INSERT INTO ledger_accounts (kind, account_id)
          SELECT 'person', :own WHERE NOT EXISTS (SELECT 1 FROM ledger_accounts WHERE account_id = :own);
        INSERT INTO earnings (account_id, carried_steps) VALUES (:own, :carried);
        INSERT INTO counted_days (account_id, day, steps, revision) SELECT :own, day, steps, 1 FROM moved ORDER BY day;
        INSERT INTO coin_lots (ledger_account_id, day, ends_at)
          SELECT ledger_account_id, day, 253402300799999 FROM ledger_accounts, moved WHERE account_id = :own ORDER BY day;
        """, arguments: ["own": own, "carried": carried])
    try transfer(in: database)
    try rank(in: database)
    try database.execute(sql: "DROP TABLE moved")
  }

  /// Credits the coins of each day to its lot, as one transfer after the other: the store's rules demand it.
  private func transfer(in database: Database) throws {
    let movement = try Int64.fetchOne(
      database, sql: "SELECT ledger_account_id FROM ledger_accounts WHERE kind = 'movement' AND account_id IS NULL")
    let lots = try Row.fetchAll(
      database,
      sql: """
        SELECT m.day, m.coins, m.transfer_id, l.ledger_account_id, l.lot_id
        FROM moved m JOIN ledger_accounts a ON a.account_id = :own
        JOIN coin_lots l ON l.ledger_account_id = a.ledger_account_id AND l.day = m.day ORDER BY m.day
        """, arguments: ["own": own])
    var number = try Int64.fetchOne(database, sql: "SELECT max(number) FROM transfers") ?? 0
    let transfer = try database.makeStatement(
      sql: """
        INSERT INTO transfers (number, transfer_id, kind, debit_id, credit_id, coins, reference, at, cause, day)
        VALUES (?, ?, 'earned', ?, ?, ?, ?, ?, 'day', ?)
        """)
    let move = try database.makeStatement(sql: "INSERT INTO lot_moves (number, lot_id, coins) VALUES (?, ?, ?)")
    for lot in lots {
      let (day, coins, person): (Int64, Int64, Int64) = (lot["day"], lot["coins"], lot["ledger_account_id"])
      let (id, lotID): (Data, Int64) = (lot["transfer_id"], lot["lot_id"])
      let reference = "steps/\(person)/\(LocalDay(daysSinceEpoch: Int32(day)))/1"
      let at = (day + 1) * 86_400_000 - 1
      number += 1
      try transfer.execute(arguments: [number, id, movement, person, coins, reference, at, day])
      try move.execute(arguments: [number, lotID, coins])
    }
  }

  /// Writes its scores, and what counts for challenges.
  private func rank(in database: Database) throws {
    let first = Int(LocalDay.utc.daysSinceEpoch) - daysOfEntries
    try database.execute(
      sql: """
        INSERT INTO leaderboard_days (account_id, day, steps, revision) SELECT :own, day, steps, 1 FROM moved ORDER BY day;
        INSERT INTO leaderboard_scores (account_id, period, steps, coins, is_shown, is_counted)
          SELECT :own, period, steps, coins, is_shown, is_shown FROM (
            SELECT 0 AS period, sum(steps) AS steps, sum(coins) AS coins FROM moved
            UNION ALL SELECT CAST(strftime('%Y%m', day * 86400, 'unixepoch') AS INTEGER), sum(steps), sum(coins) FROM moved GROUP BY 1)
          JOIN leaderboard_people ON account_id = :own;
        INSERT INTO challenge_days (account_id, day, steps, entries, revision)
          SELECT :own, day, steps, iif(day >= :first, :activities, 0), 1 FROM moved ORDER BY day;
        INSERT INTO challenge_totals (account_id, steps, entries)
          SELECT :own, sum(steps), sum(iif(day >= :first, :activities, 0)) FROM moved WHERE TRUE
          ON CONFLICT DO UPDATE SET steps = excluded.steps, entries = excluded.entries;
        """, arguments: ["own": own, "first": first, "activities": activities.count])
    for activity in activities {
      try database.execute(
        sql: """
          INSERT INTO challenge_entries (account_id, activity_id, block, days)
            SELECT :own, :activity, day / 56, sum(1 << day % 56) FROM moved WHERE day >= :first GROUP BY day / 56
          """, arguments: ["own": own, "activity": Data(activity.bytes), "first": first])
    }
  }

  /// Makes a table of the days on which it moved, up to yesterday, with what each earned.
  ///
  /// - Returns: the steps for which there is no coin yet.
  private func makeDays(in database: Database) throws -> Int {
    try database.execute(
      sql: "CREATE TEMP TABLE moved (day INTEGER NOT NULL PRIMARY KEY, steps INTEGER, coins INTEGER, transfer_id BLOB)")
    let statement = try database.makeStatement(sql: "INSERT INTO moved VALUES (?, ?, ?, ?)")
    let first = Int(LocalDay.utc.daysSinceEpoch) - transfers.count
    var carried = 0
    for (index, transfer) in transfers.enumerated() {
      let steps = 4000 + (first + index) % 7000
      carried += steps
      try statement.execute(arguments: [first + index, steps, carried / Self.stepsOfCoin, Data(transfer.bytes)])
      carried %= Self.stepsOfCoin
    }
    return carried
  }

  // MARK: - Notifications

  /// Writes unread notifications into an account's inbox while the service is away.
  ///
  /// - Returns: the number of the newest.
  public static func addNotifications(_ count: Int, to account: AccountID, in database: Database) throws -> Int {
    let account = Data(account.bytes)
    let before =
      try Int.fetchOne(database, sql: "SELECT last_number FROM inboxes WHERE account_id = ?", arguments: [account]) ?? 0
    try database.execute(
      sql: """
        INSERT INTO inboxes (account_id, last_number) VALUES (:own, :count)
          ON CONFLICT DO UPDATE SET last_number = last_number + :count
        """, arguments: ["own": account, "count": count])
    let statement = try database.makeStatement(
      sql: """
        INSERT INTO notifications (notification_id, account_id, number, kind, content, source, created_at, category)
        VALUES (?, ?, ?, 'taskCompleted', ?, ?, ?, 'tasks')
        """)
    let now = Instant.now.milliseconds
    for number in 1...max(1, count) where number <= count {
      try statement.execute(arguments: [
        Data(ID<NotificationsContract.Notification>().bytes), account, before + number,
        #"{"parameters":{"task":"Work \#(number)"},"links":{}}"#, "heavy/\(number)", now,
      ])
    }
    return before + count
  }

  // MARK: - Activity

  /// Writes entries, movement, follows, and the coins that its dashboard shows.
  func keep(in database: Database) throws {
    let history = GeneratedHistory(of: id, activities, days: daysOfEntries, to: LocalDay.utc.advanced(by: -1))
    for part in history.parts { try history.write(part, in: database) }
    _ = try makeDays(in: database)
    try database.execute(
      sql: """
        INSERT INTO follows (follower_account, followed_account, is_open, revision)
          SELECT account_id, :own, 1, 1 FROM (\(followed)) ORDER BY 1;
        INSERT INTO follows (follower_account, followed_account, is_open, revision)
          SELECT :own, account_id, 1, 1 FROM (\(followed)) ORDER BY 2;
        INSERT INTO movement_days (account_id, day, recorded_day, steps, revision, plausible_steps)
          SELECT :own, day, day, steps, 1, steps FROM moved ORDER BY day;
        INSERT INTO movement_months
            (account_id, month, steps, walking, running, cycling, first_day, best_day, best_steps)
          SELECT account_id, strftime('%Y', day * 86400, 'unixepoch') * 12 + strftime('%m', day * 86400, 'unixepoch') - 1,
            sum(steps), 0, 0, 0, min(day), day, max(steps)
          FROM movement_days WHERE account_id = :own GROUP BY 2;
        INSERT INTO dashboard_transfers (transfer_id, account_id) SELECT transfer_id, :own FROM moved ORDER BY 1;
        -- Its sum of all days has the earliest day that there is.
        INSERT INTO dashboard_coins (account_id, day, coins)
          SELECT :own, -2147483648, sum(coins) FROM moved UNION ALL SELECT :own, day, coins FROM moved;
        INSERT INTO movement_accounts (account_id) VALUES (:own);
        """, arguments: ["own": own])
    try measure(Int(database.lastInsertedRowID), in: database)
    try database.execute(sql: "DROP TABLE moved")
  }

  /// Writes the samples of its days, three of each: an hour at noon.
  ///
  /// Their keys are as `SampleKey` makes them. What the service keeps of the last days beside that, it counts anew when it needs it.
  private func measure(_ number: Int, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO movement_sources (account_number, source_number, source, device, is_hand_typed)
          VALUES (:number, 1, 'health', 'Watch6,2', 0);
        INSERT INTO movement_day_sources (account_number, kind, day, source_number, from_at, until_at)
          SELECT :number, 0, day, 1, day * 86400000 + 43200000, day * 86400000 + 46800000 FROM moved ORDER BY day;
        WITH parts (part) AS (VALUES (0), (1), (2))
        INSERT INTO movement_samples
            (position, account_number, sample_id, start_at, end_at, amount, source_number, version, flags, form)
          SELECT ((:number << 19 | (day + 1)) << 18) + part, :number, 'noon-' || day || '-' || part,
            day * 86400000 + 43200000 + part * 1200000, day * 86400000 + 44400000 + part * 1200000,
            iif(part < 2, steps / 3, steps - 2 * (steps / 3)), 1, 0, 0, 0
          FROM moved, parts ORDER BY 1;
        """, arguments: ["number": number])
  }
}
