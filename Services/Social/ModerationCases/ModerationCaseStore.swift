import ActivityContract
public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension ReportSubjectKind: DatabaseValueConvertible {}
extension ReportReason: DatabaseValueConvertible {}
extension ReportText: DatabaseValueConvertible {}
extension ModerationOutcome: DatabaseValueConvertible {}

/// The cases: all reports of one thing until its decision are one case. At most one case is open for each thing and account responsible for
/// it.
enum ModerationCaseStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "moderation cases") { database in
      try database.execute(
        sql: """
          CREATE TABLE moderation_cases (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            case_id BLOB NOT NULL UNIQUE CHECK (length(case_id) = 16),
            subject_kind TEXT NOT NULL,
            -- The account or the message.
            subject_id BLOB NOT NULL CHECK (length(subject_id) = 16),
            accused_account BLOB NOT NULL CHECK (length(accused_account) = 16),
            report_count INTEGER NOT NULL DEFAULT 0 CHECK (report_count >= 0),
            -- Those that were given, each once, a comma behind each.
            reasons TEXT NOT NULL DEFAULT '',
            reported_at INTEGER NOT NULL,
            outcome TEXT CHECK (outcome IN ('nothing', 'removed', 'warned', 'suspended', 'banned')),
            removes_content INTEGER NOT NULL DEFAULT 0 CHECK (removes_content IN (0, 1)),
            -- Why, for the account, and for administrators.
            reason TEXT,
            note TEXT,
            until INTEGER,
            decided_at INTEGER,
            decided_by BLOB CHECK (length(decided_by) = 16),
            -- When all who reported were sent what was decided.
            published_at INTEGER,
            -- When the copies of what was reported were deleted.
            copies_deleted_at INTEGER,
            CHECK ((outcome IS NULL) = (decided_at IS NULL)),
            CHECK ((until IS NOT NULL) = coalesce(outcome IN ('suspended', 'banned'), 0)),
            CHECK (coalesce(outcome, 'nothing') = 'nothing' OR reason IS NOT NULL)
          ) STRICT;
          CREATE UNIQUE INDEX moderation_cases_open ON moderation_cases (subject_kind, subject_id) WHERE decided_at IS NULL;
          CREATE INDEX moderation_cases_waiting ON moderation_cases (sequence) WHERE decided_at IS NULL;
          CREATE INDEX moderation_cases_waiting_by_kind ON moderation_cases (subject_kind, sequence) WHERE decided_at IS NULL;
          CREATE INDEX moderation_cases_by_accused ON moderation_cases (accused_account, sequence);
          CREATE INDEX moderation_cases_by_administrator ON moderation_cases (decided_by) WHERE decided_by IS NOT NULL;
          CREATE INDEX moderation_cases_with_copies ON moderation_cases (decided_at)
            WHERE decided_at IS NOT NULL AND copies_deleted_at IS NULL;
          CREATE INDEX moderation_cases_not_published ON moderation_cases (sequence)
            WHERE decided_at IS NOT NULL AND published_at IS NULL;
          """)
    }
  }

  /// Cases of who answers for a thing, which a team's name has several of; and what exactly each removed.
  static func removedMigration(_ number: Int) -> Migration {
    Migration(number, "cases by accused, and what they removed") { database in
      try database.execute(
        sql: """
          DROP INDEX moderation_cases_open;
          CREATE UNIQUE INDEX moderation_cases_open
            ON moderation_cases (subject_kind, subject_id, ifnull(subject_day, -1), accused_account) WHERE decided_at IS NULL;

          -- The content when it was removed, as JSON; null if nothing is to be restored.
          ALTER TABLE moderation_cases ADD COLUMN removed TEXT CHECK (removed IS NULL OR json_valid(removed));
          CREATE INDEX moderation_cases_removed ON moderation_cases (subject_kind, subject_id) WHERE removed IS NOT NULL;
          -- Of former decisions the copy is what is left; a name of a team can be the one that the removal wrote.
          UPDATE moderation_cases SET removed = (
            SELECT r.copy FROM reports r WHERE r.case_id = moderation_cases.case_id AND r.copy IS NOT NULL
            ORDER BY r.sequence DESC LIMIT 1)
          WHERE removes_content = 1 AND (subject_kind IN ('message', 'taskComment') OR subject_kind = 'team' AND EXISTS (
            SELECT 1 FROM teams t WHERE t.team_id = subject_id AND t.name IN ('Team', 'Equipo')));
          """)
    }
  }

  /// The open case for a thing and the account responsible for it, opened if there is none.
  static func findOrOpen(
    _ subject: ReportSubject, of accused: AccountID, _ transaction: Transaction
  ) throws -> ID<ModerationCase> {
    let (key, day) = (subject.key, subject.day)
    let open = try transaction.database.cachedStatement(
      sql: """
        SELECT case_id FROM moderation_cases
        WHERE subject_kind = ? AND subject_id = ? AND ifnull(subject_day, -1) = ifnull(?, -1) AND accused_account = ?
          AND decided_at IS NULL
        """)
    if let row = try Row.fetchOne(open, arguments: [subject.kind, key, day, accused]) { return row["case_id"] }
    let id = ID<ModerationCase>()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO moderation_cases (case_id, subject_kind, subject_id, subject_day, accused_account, reported_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [id, subject.kind, key, day, accused, transaction.now])
    return id
  }

  /// Counts one more report of a case.
  static func countReport(_ id: ID<ModerationCase>, _ reason: ReportReason, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE moderation_cases SET report_count = report_count + 1,
          reasons = reasons || iif(instr(',' || reasons, ',' || ?1 || ',') > 0, '', ?1 || ',')
        WHERE case_id = ?2
        """
    ).execute(arguments: [reason, id])
  }

  /// The case of that id; nil also where its account is being erased.
  static func find(_ id: ID<ModerationCase>, in database: Database) throws -> ModerationCaseRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM moderation_cases WHERE case_id = ?"), arguments: [id])
      .map(ModerationCaseRecord.init)
  }

  /// The case of that id.
  ///
  /// - Throws: `not_found` if there is none.
  static func require(_ id: ID<ModerationCase>, in database: Database) throws -> ModerationCaseRecord {
    guard let found = try find(id, in: database) else { throw Failure(RequestFailure.notFound) }
    return found
  }

  /// Notes what was decided.
  static func decide(_ id: ID<ModerationCase>, _ decision: ModerationDecision, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE moderation_cases SET outcome = ?, removes_content = ?, reason = ?, note = ?, until = ?, decided_at = ?, decided_by = ?
        WHERE case_id = ? AND decided_at IS NULL
        """
    ).execute(arguments: [
      decision.outcome, decision.removesContent, decision.reason, decision.note, decision.until, decision.at,
      decision.administratorAccountID, id,
    ])
  }

  /// Keeps what stood there when a case removed it.
  static func keepRemoved(_ content: ReportedContent, by id: ID<ModerationCase>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE moderation_cases SET removed = ? WHERE case_id = ?")
      .execute(arguments: [String(decoding: content.json, as: UTF8.self), id])
  }

  /// The content that a case removed; nil where it removed none, or something else has replaced it.
  static func removed(by id: ID<ModerationCase>, in database: Database) throws -> ReportedContent? {
    let statement = try database.cachedStatement(sql: "SELECT removed FROM moderation_cases WHERE case_id = ?")
    return try Row.fetchOne(statement, arguments: [id]).flatMap { try ReportedContent(copy: $0["removed"]) }
  }

  /// Forgets what was removed of a thing: something else came in its place.
  static func forgetRemoved(_ subject: ReportSubject, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE moderation_cases SET removed = NULL WHERE subject_kind = ? AND subject_id = ? AND removed IS NOT NULL"
    ).execute(arguments: [subject.kind, subject.key])
  }

  /// What every case is shown with: names and photo of its account, its newest copy, its appeal.
  static let columns = """
    c.*, u.username, u.nickname, u.photo_tag, a.text AS appeal_text, a.appealed_at, a.outcome AS appeal_outcome,
    a.reason AS appeal_reason, a.note AS appeal_note, a.decided_at AS appeal_decided_at, a.decided_by AS appeal_decided_by,
    (SELECT r.copy FROM reports r WHERE r.case_id = c.case_id ORDER BY r.sequence DESC LIMIT 1) AS copy
    """
  static let joins = """
    LEFT JOIN accounts u ON u.account_id = c.accused_account LEFT JOIN appeals a ON a.case_id = c.case_id
    """

  /// The case as administrators see it.
  static func view(_ id: ID<ModerationCase>, in database: Database) throws -> ModerationCase {
    let statement = try database.cachedStatement(
      sql: "SELECT \(columns) FROM moderation_cases c \(joins) WHERE c.case_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { throw Failure(RequestFailure.notFound) }
    return try ModerationCase(row)
  }

  /// The cases that wait for a decision, the oldest first, but for those about the reader.
  static func queue(
    _ kind: ReportSubjectKind?, for reader: AccountID, after sequence: Int64, limit: Int, in database: Database
  ) throws -> [Row] {
    let condition = kind == nil ? "" : "AND c.subject_kind = :kind"
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(columns) FROM moderation_cases c \(joins) WHERE c.decided_at IS NULL AND c.sequence > :after
          AND c.accused_account <> :reader \(condition)
        ORDER BY c.sequence LIMIT :limit
        """)
    var arguments: StatementArguments = ["after": sequence, "limit": limit, "reader": reader]
    if let kind { arguments += ["kind": kind] }
    return try Row.fetchAll(statement, arguments: arguments)
  }

  /// What was decided against an account in other cases, newest first.
  static func decisions(
    against account: AccountID, but id: ID<ModerationCase>, limit: Int, in database: Database
  ) throws -> [ModerationDecision] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM moderation_cases WHERE accused_account = ? AND case_id <> ? AND outcome <> 'nothing'
        ORDER BY sequence DESC LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [account, id, limit]).compactMap { ModerationCaseRecord($0).decision }
  }

  /// Cases decided before that time whose copies are still kept and without a pending appeal, the oldest first.
  static func decided(before instant: Instant, limit: Int, in database: Database) throws -> [ID<ModerationCase>] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT case_id FROM moderation_cases c WHERE decided_at < ? AND copies_deleted_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM appeals a WHERE a.case_id = c.case_id AND a.decided_at IS NULL)
        ORDER BY decided_at LIMIT ?
        """)
    return try ID<ModerationCase>.fetchAll(statement, arguments: [instant, limit])
  }

  /// The decided cases with a reporter who was not notified of the decision yet.
  static func notPublished(limit: Int, in database: Database) throws -> [ID<ModerationCase>] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT case_id FROM moderation_cases WHERE decided_at IS NOT NULL AND published_at IS NULL ORDER BY sequence LIMIT ?
        """)
    return try ID<ModerationCase>.fetchAll(statement, arguments: [limit])
  }

  /// Notes that all who reported were sent what was decided.
  static func notePublished(_ id: ID<ModerationCase>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE moderation_cases SET published_at = ? WHERE case_id = ?")
      .execute(arguments: [transaction.now, id])
  }

  /// Notes that the copies of what was reported are deleted.
  static func noteCopiesDeleted(_ id: ID<ModerationCase>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE moderation_cases SET copies_deleted_at = ?, removed = NULL WHERE case_id = ?"
    )
    .execute(arguments: [transaction.now, id])
  }

  /// The photos that moderators removed as events, but for what was given back; see `SnapshotParts`. The key is `<sequence>/<tag>` of the
  /// last.
  @Sendable
  static func removedPhotos(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = key?.split(at: "/").map(String.init) ?? []
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT c.sequence, c.accused_account, c.decided_at, p.photo_tag
        FROM moderation_cases c JOIN reported_photos p ON p.case_id = c.case_id
        WHERE (c.sequence, p.photo_tag) > (?, ?) AND c.subject_kind = 'photo' AND c.removes_content = 1
          AND NOT EXISTS (SELECT 1 FROM appeals a WHERE a.case_id = c.case_id AND a.outcome = 'granted')
        ORDER BY c.sequence, p.photo_tag LIMIT ?
        """, arguments: [pieces.first.flatMap { Int64($0) } ?? 0, pieces.last ?? "", SnapshotParts.pageSize])
    let events = rows.map { row in
      PhotoRemovalDecided(accountID: row["accused_account"], photoTag: row["photo_tag"], at: row["decided_at"])
    }
    return SnapshotParts.page(events, of: rows) { "\($0["sequence"] as Int64)/\($0["photo_tag"] as String)" }
  }
}

extension ModerationCaseStore {
  /// What moderators removed of entries as events, but for what was given back; see `SnapshotParts`.
  @Sendable
  static func removedEntries(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT c.* FROM moderation_cases c
        WHERE c.sequence > ? AND c.subject_kind IN ('entry', 'entryPhoto') AND c.removes_content = 1
          AND NOT EXISTS (SELECT 1 FROM appeals a WHERE a.case_id = c.case_id AND a.outcome = 'granted')
        ORDER BY c.sequence LIMIT ?
        """, arguments: [key.flatMap { Int64($0) } ?? 0, SnapshotParts.pageSize])
    let events = try rows.compactMap { row in
      try EntryRemovalChanged(ModerationCaseRecord(row), isRemoved: true, at: row["decided_at"], in: database)
    }
    return SnapshotParts.page(events, of: rows) { $0["sequence"] as Int64 }
  }
}

extension EntryRemovalChanged {
  /// Versions of a comment that one case takes away.
  private static let maxComments = 100

  /// What becomes of an entry by a decided case; nil for a case of anything else.
  ///
  /// - Parameter photo: what is given back, if it is a photo.
  init?(
    _ found: ModerationCaseRecord, isRemoved: Bool, photo: MediaFile? = nil, at: Instant, in database: Database
  ) throws {
    guard let activity = found.subject.activityID, let day = found.subject.day else { return nil }
    var comments: [String] = []
    for comment in try ReportStore.copies(of: found.id, in: database).lazy.compactMap(\.comment)
    where comments.count < Self.maxComments && !comments.contains(comment) {
      comments.append(comment)
    }
    self.init(
      accountID: found.accused, activityID: activity, day: day, isRemoved: isRemoved, comment: comments.first,
      earlierComments: comments.count > 1 ? Array(comments.dropFirst()) : nil,
      photoTags: try ReportStore.photoTags(of: found.id, in: database), photo: photo, at: at,
      removedAt: isRemoved ? nil : found.decision?.at)
  }
}

/// A case as it is kept.
struct ModerationCaseRecord: Sendable {
  let id: ID<ModerationCase>
  let subject: ReportSubject
  let accused: AccountID
  let decision: ModerationDecision?
}

extension ModerationCaseRecord {
  init(_ row: Row) {
    id = row["case_id"]
    subject = ReportSubject(row["subject_kind"], row["subject_id"], row["subject_day"])
    accused = row["accused_account"]
    decision = (row["outcome"] as ModerationOutcome?).map { outcome in
      ModerationDecision(
        outcome: outcome, removesContent: row["removes_content"], reason: row["reason"], note: row["note"], until: row["until"],
        administratorAccountID: row["decided_by"], at: row["decided_at"])
    }
  }
}

/// Marks ids of things of several kinds that can be reported.
enum ReportSubjectMark {}

extension ReportSubject {
  /// Names the thing among those of its kind.
  var key: ID<ReportSubjectMark> {
    let ids = [
      accountID?.bytes, messageID?.bytes, taskID?.bytes, taskCommentID?.bytes, taskAttachmentID?.bytes, activityID?.bytes,
      teamID?.bytes, taskLinkID?.bytes, taskPartID?.bytes, taskSeriesID?.bytes,
    ]
    guard let bytes = ids.compactMap({ $0 }).first,
      let id = ID<ReportSubjectMark>(bytes: bytes)
    else {
      preconditionFailure("each subject has the id of its kind")
    }
    return id
  }

  /// What a kind, a key and, for entries, a day name.
  init(_ kind: ReportSubjectKind, _ key: ID<ReportSubjectMark>, _ day: LocalDay?) {
    switch kind {
    case .account: self = ReportSubject(kind: kind, accountID: AccountID(bytes: key.bytes))
    case .photo: self = ReportSubject(kind: kind, accountID: AccountID(bytes: key.bytes))
    case .message: self = ReportSubject(kind: kind, messageID: ID<ChatMessage>(bytes: key.bytes))
    case .task: self = ReportSubject(kind: kind, taskID: ID<SharedTask>(bytes: key.bytes))
    case .taskComment: self = ReportSubject(kind: kind, taskCommentID: ID<TaskComment>(bytes: key.bytes))
    case .taskAttachment: self = ReportSubject(kind: kind, taskAttachmentID: ID<TaskAttachment>(bytes: key.bytes))
    case .entry, .entryPhoto: self = ReportSubject(kind: kind, activityID: ActivityID(bytes: key.bytes), day: day)
    case .team: self = ReportSubject(kind: kind, teamID: ID<Team>(bytes: key.bytes))
    case .taskLink: self = ReportSubject(kind: kind, taskLinkID: ID<TaskLink>(bytes: key.bytes))
    case .taskPart: self = ReportSubject(kind: kind, taskPartID: ID<TaskPart>(bytes: key.bytes))
    case .taskSeries: self = ReportSubject(kind: kind, taskSeriesID: ID<TaskSeries>(bytes: key.bytes))
    }
  }
}

extension ModerationCase {
  /// From a row of ``ModerationCaseStore/columns``.
  init(_ row: Row) throws {
    let record = ModerationCaseRecord(row)
    let reasons = (row["reasons"] as String).split(at: ",").compactMap { ReportReason(rawValue: String($0)) }
    self.init(
      id: record.id, subject: record.subject, accountID: record.accused, username: row["username"], nickname: row["nickname"],
      photoURL: row.photoURL(of: "accused_account"), reportCount: row["report_count"],
      reasons: ReportReason.allCases.filter { reasons.contains($0) }, content: try ReportedContent(copy: row["copy"]),
      reportedAt: row["reported_at"], decision: record.decision, appeal: Appeal(row))
  }
}

extension Appeal {
  /// From a row of ``ModerationCaseStore/columns``; nil where it has none.
  init?(_ row: Row) {
    guard let text = row["appeal_text"] as String? else { return nil }
    self.init(
      text: text, at: row["appealed_at"], outcome: row["appeal_outcome"], reason: row["appeal_reason"], note: row["appeal_note"],
      administratorAccountID: row["appeal_decided_by"], decidedAt: row["appeal_decided_at"])
  }
}

extension ReportedContent {
  /// A copy in the table's form; nil where it was deleted.
  init?(copy: String?) throws {
    guard let copy else { return nil }
    self = try .decode(Array(copy.utf8))
  }
}
