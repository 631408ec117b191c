import Foundation
import GRDB
import Operations

/// What a service keeps of all accounts together, made anew once the copies are there.
enum WholeStore {
  static func make(_ service: ServiceName, copies: Int, in database: Database) throws {
    switch service {
    case .activity: try database.execute(sql: areas)
    case .identity: try database.execute(sql: directory + counts)
    case .social:
      try database.execute(sql: teams + attachments)
      try RegisterTree.make(in: database)
    case .rewards: try database.execute(sql: house + leaderboards + offers)
    case .notifications:
      try database.execute(sql: "UPDATE delivery_figures SET count = count * ?", arguments: [copies + 1])
    default: break
    }
  }

  /// Leaves of what is copied what there would be after a while: the ten newest notifications of each account, as when the others have been
  /// removed for their age.
  static func prepare(_ service: ServiceName, in database: Database) throws {
    guard service == .notifications else { return }
    try database.execute(
      sql: """
        DELETE FROM notifications WHERE number <= (
          SELECT last_number - 10 FROM inboxes i WHERE i.account_id = notifications.account_id);
        DELETE FROM unread_counts;
        INSERT INTO unread_counts (account_id, category, count)
          SELECT account_id, category, count(*) FROM notifications WHERE read_at IS NULL AND deleted_at IS NULL GROUP BY 1, 2;
        DELETE FROM notification_accounts WHERE notification_id NOT IN (SELECT notification_id FROM notifications);
        DELETE FROM deliveries WHERE notification_id NOT IN (SELECT notification_id FROM notifications);
        DELETE FROM delivery_accounts WHERE (account_id, delivery_id) NOT IN (SELECT account_id, delivery_id FROM deliveries);
        """)
  }

  private static let areas = """
    INSERT INTO entry_areas
      SELECT place_id, latitude, latitude, longitude, longitude, day, day, account_number, account_number
      FROM entry_places JOIN history_accounts USING (account_id)
      WHERE place_id NOT IN (SELECT place_id FROM entry_areas) ORDER BY place_id;
    """

  /// Usernames of copies are one word of letters and digits: something else begins within none of them.
  private static let directory = """
    WITH RECURSIVE starts (start) AS (SELECT 0 UNION ALL SELECT start + 1 FROM starts WHERE start < 29)
    INSERT INTO directory_suffixes (rank, suffix, number, offset)
      SELECT iif(start = 0, 0, 2), substr(names, start + 1, 12), number, start
      FROM directory_entries JOIN starts ON start < length(names)
      WHERE number NOT IN (SELECT number FROM directory_suffixes)
      ORDER BY 1, 2, 3, 4;

    """

  private static let counts = """
    DELETE FROM audience_counts;
    INSERT INTO audience_counts (language, used_day, count)
      SELECT language, used_day, count(*) FROM audience_accounts GROUP BY language, used_day;
    DELETE FROM security_event_counts;
    INSERT INTO security_event_counts (day, kind, severity, count)
      SELECT at - at % 86400000, kind, severity, count(*) FROM security_events GROUP BY 1, 2, 3;
    """

  private static let teams = """
    INSERT INTO team_score_counts (period, score, team_count)
      SELECT period, score, count(*) FROM team_scores WHERE TRUE GROUP BY period, score
      ON CONFLICT DO UPDATE SET team_count = excluded.team_count;
    INSERT INTO team_score_bands (period, band, team_count)
      SELECT period, score / 256, count(*) FROM team_scores WHERE TRUE GROUP BY period, score / 256
      ON CONFLICT DO UPDATE SET team_count = excluded.team_count;
    """

  private static let attachments = """
    UPDATE task_attachment_contents SET reference_count =
      (SELECT count(*) FROM task_attachments a WHERE a.sha256 = task_attachment_contents.sha256)
      + (SELECT count(*) FROM reported_files f WHERE f.sha256 = task_attachment_contents.sha256);
    """

  /// What came from the house and went to it.
  private static let house = """
    UPDATE ledger_accounts SET
      balance = (SELECT coalesce(sum(coins), 0) FROM transfers WHERE credit_id = ledger_account_id)
        - (SELECT coalesce(sum(coins), 0) FROM transfers WHERE debit_id = ledger_account_id),
      last_transfer_id = (
        SELECT transfer_id FROM transfers WHERE number = max(
          (SELECT coalesce(max(number), 0) FROM transfers WHERE credit_id = ledger_account_id),
          (SELECT coalesce(max(number), 0) FROM transfers WHERE debit_id = ledger_account_id)))
    WHERE account_id IS NULL;
    """

  private static let leaderboards: String = {
    var sql = "DELETE FROM leaderboard_counts;\n"
    for (metric, column) in ["steps", "coins"].enumerated() {
      for (level, width) in [1, 256, 65_536].enumerated() {
        sql += """
          INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
          SELECT period, \(metric), \(level), \(column) / \(width), count(*) FROM leaderboard_scores
          WHERE is_counted = 1 AND \(column) > 0 GROUP BY period, \(column) / \(width);

          """
      }
    }
    return sql
  }()

  private static let offers = """
    UPDATE offers SET remaining = stock - (
      SELECT count(*) FROM redemptions r WHERE r.offer_id = offers.offer_id AND r.state <> 'voided');
    """
}
