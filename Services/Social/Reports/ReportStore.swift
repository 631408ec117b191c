import Foundation
import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// What accounts reported, with copies of it: of each photo one in a case, however many reported it.
enum ReportStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "reports") { database in
      try database.execute(
        sql: """
          CREATE TABLE reports (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            report_id BLOB NOT NULL UNIQUE CHECK (length(report_id) = 16),
            case_id BLOB NOT NULL REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
            -- Null where that account is gone.
            reporter_account BLOB CHECK (length(reporter_account) = 16),
            reason TEXT NOT NULL,
            text TEXT,
            -- The copy as JSON; null where it is no longer kept.
            copy TEXT CHECK (copy IS NULL OR json_valid(copy)),
            photo_tag TEXT,
            -- What the copy weighs.
            bytes INTEGER NOT NULL CHECK (bytes >= 0),
            sent_at INTEGER NOT NULL,
            -- When it was published what became of it.
            published_at INTEGER
          ) STRICT;
          CREATE UNIQUE INDEX reports_once ON reports (case_id, reporter_account) WHERE reporter_account IS NOT NULL;
          CREATE INDEX reports_by_reporter ON reports (reporter_account, sequence) WHERE reporter_account IS NOT NULL;
          CREATE INDEX reports_of_case ON reports (case_id, sequence);
          CREATE INDEX reports_with_copies ON reports (reporter_account, bytes) WHERE copy IS NOT NULL;
          CREATE INDEX reports_not_published ON reports (case_id) WHERE published_at IS NULL;

          CREATE TABLE reported_photos (
            case_id BLOB NOT NULL REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
            photo_tag TEXT NOT NULL,
            media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
            content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288),
            PRIMARY KEY (case_id, photo_tag)
          ) STRICT;
          """)
    }
  }

  /// Reports of entries, identified by an activity and a day, and of files, whose contents are kept like those of attachments, each once.
  static func subjectsMigration(_ number: Int) -> Migration {
    Migration(number, "reports of entries, files and teams") { database in
      try database.execute(
        sql: """
          -- Of an entry; the other half of its name is the activity.
          ALTER TABLE moderation_cases ADD COLUMN subject_day INTEGER;
          DROP INDEX moderation_cases_open;
          CREATE UNIQUE INDEX moderation_cases_open ON moderation_cases (subject_kind, subject_id, ifnull(subject_day, -1))
            WHERE decided_at IS NULL;

          -- Of the file that was reported.
          ALTER TABLE reports ADD COLUMN file_sha256 BLOB CHECK (length(file_sha256) = 32);
          ALTER TABLE reports ADD COLUMN file_bytes INTEGER NOT NULL DEFAULT 0 CHECK (file_bytes >= 0);
          CREATE TABLE reported_files (
            case_id BLOB NOT NULL REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
            sha256 BLOB NOT NULL REFERENCES task_attachment_contents (sha256),
            PRIMARY KEY (case_id, sha256)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX reported_files_by_content ON reported_files (sha256);
          CREATE TRIGGER reported_files_kept AFTER INSERT ON reported_files BEGIN
            UPDATE task_attachment_contents SET reference_count = reference_count + 1 WHERE sha256 = new.sha256;
          END;
          CREATE TRIGGER reported_files_deleted AFTER DELETE ON reported_files BEGIN
            UPDATE task_attachment_contents SET reference_count = reference_count - 1 WHERE sha256 = old.sha256;
          END;
          """)
    }
  }

  /// The account's earlier reports, and whether they include this content of the responsible account.
  static func earlier(
    of reporter: AccountID, _ subject: ReportSubject, of accused: AccountID, at now: Instant, in database: Database
  ) throws -> ReportRules.Earlier {
    let statement = try database.cachedStatement(
      sql: """
        SELECT
          EXISTS (
            SELECT 1 FROM moderation_cases c JOIN reports r ON r.case_id = c.case_id AND r.reporter_account = :reporter
            WHERE c.subject_kind = :kind AND c.subject_id = :subject AND c.subject_day IS :day AND c.accused_account = :accused
              AND c.decided_at IS NULL) AS is_reported,
          coalesce((SELECT sum(bytes) FROM reports WHERE reporter_account = :reporter AND copy IS NOT NULL), 0) AS bytes,
          coalesce((SELECT sum(file_bytes) FROM reports WHERE reporter_account = :reporter AND copy IS NOT NULL), 0) AS file_bytes
        """)
    var earlier = ReportRules.Earlier()
    if let row = try Row.fetchOne(
      statement,
      arguments: [
        "reporter": reporter, "kind": subject.kind, "subject": subject.key, "day": subject.day, "accused": accused,
      ])
    {
      (earlier.isReported, earlier.bytes, earlier.fileBytes) = (row["is_reported"], row["bytes"], row["file_bytes"])
    }
    // The newest alone: an account may have reported for years.
    let latest = try Instant.fetchAll(
      database.cachedStatement(
        sql: "SELECT sent_at FROM reports WHERE reporter_account = ? ORDER BY sequence DESC LIMIT ?"),
      arguments: [reporter, ReportRules.maxPerDay]
    ).filter { $0 > now.adding(seconds: -ReportRules.daySeconds) }
    (earlier.count, earlier.firstAt) = (latest.count, latest.last)
    return earlier
  }

  /// Adds a report to a case, with its copy.
  static func add(
    _ input: CreateReport.Input, _ copy: ReportedCopy, from reporter: AccountID, to moderationCase: ID<ModerationCase>,
    _ transaction: Transaction
  ) throws -> ID<Report> {
    let id = ID<Report>()
    if let photo = copy.photo { try keep(photo, moderationCase, transaction) }
    if let file = copy.file {
      try transaction.database.cachedStatement(
        sql: "INSERT INTO reported_files (case_id, sha256) VALUES (?, ?) ON CONFLICT DO NOTHING"
      )
      .execute(arguments: [moderationCase, file])
    }
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO reports (report_id, case_id, reporter_account, reason, text, copy, photo_tag, bytes, sent_at, file_sha256,
          file_bytes)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, moderationCase, reporter, input.reason, input.text, String(decoding: copy.content.json, as: UTF8.self), copy.photo?.tag,
      copy.bytes, transaction.now, copy.file, copy.fileBytes,
    ])
    try ModerationCaseStore.countReport(moderationCase, input.reason, transaction)
    return id
  }

  private static func keep(_ photo: MediaFile, _ moderationCase: ID<ModerationCase>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO reported_photos (case_id, photo_tag, media_type, content) VALUES (?, ?, ?, ?)
        ON CONFLICT (case_id, photo_tag) DO NOTHING
        """
    ).execute(arguments: [moderationCase, photo.tag, photo.mediaType, Data(photo.content.bytes)])
  }

  /// What an account reported, newest first.
  static func list(of reporter: AccountID, before sequence: Int64, limit: Int, in database: Database) throws -> [Row] {
    try Row.fetchAll(
      database.cachedStatement(sql: "\(own) WHERE r.reporter_account = ? AND r.sequence < ? ORDER BY r.sequence DESC LIMIT ?"),
      arguments: [reporter, sequence, limit])
  }

  /// The report as its sender sees it.
  static func view(_ id: ID<Report>, in database: Database) throws -> Report {
    guard let row = try Row.fetchOne(database.cachedStatement(sql: "\(own) WHERE r.report_id = ?"), arguments: [id]) else {
      throw Failure(RequestFailure.notFound)
    }
    return Report(row)
  }

  /// With the accused account's names as the reporter sees them; the owner of a team or of a public link is not shown.
  private static let own = """
    SELECT r.*, c.subject_kind, c.subject_id, c.subject_day, c.outcome, c.decided_at,
      iif(c.subject_kind IN ('team', 'taskLink'), NULL, c.accused_account) AS accused_account, \(ShownPersonStore.columns(for: "r.reporter_account"))
    FROM reports r JOIN moderation_cases c ON c.case_id = r.case_id
    LEFT JOIN accounts a ON a.account_id = c.accused_account AND c.subject_kind NOT IN ('team', 'taskLink')
    """

  /// The newest reports of a case, for administrators.
  static func list(of moderationCase: ID<ModerationCase>, limit: Int, in database: Database) throws -> [ModerationReport] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT r.*, u.username FROM reports r LEFT JOIN accounts u ON u.account_id = r.reporter_account
        WHERE r.case_id = ? ORDER BY r.sequence DESC LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [moderationCase, limit]).map { row in
      ModerationReport(
        id: row["report_id"], reporterAccountID: row["reporter_account"], reporterUsername: row["username"],
        reason: row["reason"],
        text: row["text"], content: try ReportedContent(copy: row["copy"]), sentAt: row["sent_at"])
    }
  }

  /// The account that a report is about; nil where there is no such report.
  static func accused(in report: ID<Report>, _ database: Database) throws -> AccountID? {
    let statement = try database.cachedStatement(
      sql: "SELECT c.accused_account FROM reports r JOIN moderation_cases c ON c.case_id = r.case_id WHERE r.report_id = ?")
    return try AccountID.fetchOne(statement, arguments: [report])
  }

  /// The copy of the photo that a report made.
  static func photo(of report: ID<Report>, in database: Database) throws -> MediaFile? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT p.* FROM reports r JOIN reported_photos p ON p.case_id = r.case_id AND p.photo_tag = r.photo_tag
        WHERE r.report_id = ?
        """)
    return try Row.fetchOne(statement, arguments: [report]).map { row in
      MediaFile(mediaType: row["media_type"], tag: row["photo_tag"], content: Base64Bytes(Array(row["content"] as Data)))
    }
  }

  /// The content of the file that a report copied, and how large it is; nil without one.
  static func file(of report: ID<Report>, in database: Database) throws -> (sha256: FileHash, totalBytes: Int)? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT r.file_sha256, c.total_bytes FROM reports r JOIN task_attachment_contents c ON c.sha256 = r.file_sha256
        WHERE r.report_id = ?
        """)
    return try Row.fetchOne(statement, arguments: [report]).map { ($0["file_sha256"], $0["total_bytes"]) }
  }

  /// Those of some accounts who have reported in a case.
  static func reporters(
    of moderationCase: ID<ModerationCase>, among accounts: Set<AccountID>, in database: Database
  ) throws -> Set<AccountID> {
    let statement = try database.cachedStatement(sql: "SELECT 1 FROM reports WHERE case_id = ? AND reporter_account = ?")
    return try accounts.filter { try Row.fetchOne(statement, arguments: [moderationCase, $0]) != nil }
  }

  /// The copies that were made in a case, the newest first.
  static func copies(of moderationCase: ID<ModerationCase>, in database: Database) throws -> [ReportedContent] {
    try String.fetchAll(
      database.cachedStatement(sql: "SELECT copy FROM reports WHERE case_id = ? AND copy IS NOT NULL ORDER BY sequence DESC"),
      arguments: [moderationCase]
    ).compactMap { try ReportedContent(copy: $0) }
  }

  /// The photo of that tag that was reported in a case.
  static func photo(_ tag: String, in moderationCase: ID<ModerationCase>, _ database: Database) throws -> MediaFile? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM reported_photos WHERE case_id = ? AND photo_tag = ?")
    return try Row.fetchOne(statement, arguments: [moderationCase, tag]).map { row in
      MediaFile(mediaType: row["media_type"], tag: tag, content: Base64Bytes(Array(row["content"] as Data)))
    }
  }

  /// The photos that were reported in a case, the last one first; at most so many.
  static func photos(of moderationCase: ID<ModerationCase>, limit: Int, in database: Database) throws -> [MediaFile] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT photo_tag FROM reports WHERE case_id = ? AND photo_tag IS NOT NULL
        GROUP BY photo_tag ORDER BY max(sequence) DESC LIMIT ?
        """)
    return try String.fetchAll(statement, arguments: [moderationCase, limit]).compactMap {
      try photo($0, in: moderationCase, database)
    }
  }

  /// The tags of the photos that were reported in a case.
  static func photoTags(of moderationCase: ID<ModerationCase>, in database: Database) throws -> [String] {
    try String.fetchAll(
      database.cachedStatement(sql: "SELECT photo_tag FROM reported_photos WHERE case_id = ? ORDER BY photo_tag"),
      arguments: [moderationCase])
  }

  /// Publishes the outcome of reports of a decided case, at most that many; true where none is left.
  @discardableResult
  static func publishDecided(
    _ moderationCase: ID<ModerationCase>, limit: Int, _ transaction: Transaction
  ) throws -> Bool {
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT r.report_id, r.reporter_account, c.subject_kind, c.outcome, c.decided_at
        FROM reports r JOIN moderation_cases c ON c.case_id = r.case_id
        WHERE r.case_id = ? AND r.published_at IS NULL AND c.decided_at IS NOT NULL LIMIT ?
        """)
    let rows = try Row.fetchAll(statement, arguments: [moderationCase, limit])
    for row in rows {
      try transaction.database.cachedStatement(sql: "UPDATE reports SET published_at = ? WHERE report_id = ?")
        .execute(arguments: [transaction.now, row["report_id"] as ID<Report>])
      guard let reporter = row["reporter_account"] as AccountID? else { continue }
      try transaction.publish(
        ReportDecided(
          reportID: row["report_id"], accountID: reporter, kind: row["subject_kind"], outcome: row["outcome"],
          at: row["decided_at"]))
    }
    guard rows.count < limit else { return false }
    try ModerationCaseStore.notePublished(moderationCase, transaction)
    return true
  }

  /// Deletes the copies of a case, and what was written about it.
  static func deleteCopies(_ moderationCase: ID<ModerationCase>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE reports SET copy = NULL, text = NULL, photo_tag = NULL, file_sha256 = NULL WHERE case_id = ?"
    )
    .execute(arguments: [moderationCase])
    for table in ["reported_photos", "reported_files"] {
      try transaction.database.cachedStatement(sql: "DELETE FROM \(table) WHERE case_id = ?").execute(arguments: [moderationCase])
    }
    try RemovedAttachmentStore.forget(moderationCase, transaction)
    try ModerationCaseStore.noteCopiesDeleted(moderationCase, transaction)
  }
}

extension Report {
  init(_ row: Row) {
    self.init(
      id: row["report_id"], subject: ReportSubject(row["subject_kind"], row["subject_id"], row["subject_day"]),
      accountID: row["accused_account"],
      username: row["username"], nickname: row["nickname"], reason: row["reason"], text: row["text"], sentAt: row["sent_at"],
      outcome: row["outcome"], decidedAt: row["decided_at"])
  }
}
