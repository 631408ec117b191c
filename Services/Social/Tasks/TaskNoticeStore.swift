import Foundation
import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// How often each account was notified of what others did with it in a task or a recurring one, so that nobody is flooded by being enrolled and
/// removed, or given parts, again and again.
enum TaskNoticeStore {
  /// In what somebody is notified.
  enum Subject {
    case task(ID<SharedTask>)
    case series(ID<TaskSeries>)

    fileprivate var table: String {
      switch self {
      case .task: "task_notice_counts"
      case .series: "task_series_notice_counts"
      }
    }

    fileprivate var bytes: [UInt8] {
      switch self {
      case .task(let id): id.bytes
      case .series(let id): id.bytes
      }
    }
  }

  static func migration(_ number: Int) -> Migration {
    Migration(number, "notices of tasks, counted") { database in
      try database.execute(
        sql: table("task_notice_counts", of: "tasks (task_id)")
          + table("task_series_notice_counts", of: "task_series (series_id)"))
    }
  }

  private static func table(_ name: String, of subject: String) -> String {
    """
    CREATE TABLE \(name) (
      subject_id BLOB NOT NULL REFERENCES \(subject) ON DELETE CASCADE,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      since INTEGER NOT NULL,
      notice_count INTEGER NOT NULL CHECK (notice_count >= 1),
      PRIMARY KEY (subject_id, account_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX \(name)_by_account ON \(name) (account_id);

    """
  }

  /// Counts a notice that can come again and again.
  ///
  /// - Returns: whether the account is still to be notified of it.
  static func count(for account: AccountID, in subject: Subject, _ transaction: Transaction) throws -> Bool {
    let start = transaction.now.adding(seconds: -TaskRules.noticeSeconds)
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO \(subject.table) (subject_id, account_id, since, notice_count) VALUES (?1, ?2, ?3, 1)
        ON CONFLICT (subject_id, account_id) DO UPDATE SET notice_count = iif(since <= ?4, 1, notice_count + 1),
          since = iif(since <= ?4, ?3, since)
        RETURNING notice_count
        """)
    let count = try Int.fetchOne(statement, arguments: [Data(subject.bytes), account, transaction.now, start]) ?? 1
    return count <= TaskRules.maxNotices
  }
}
