import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The decided cases as the account concerned sees them; nothing about the reporters is read.
enum SanctionStore {
  private static let sanctions = """
    SELECT \(ModerationCaseStore.columns), s.ended_at AS suspension_ended_at
    FROM moderation_cases c \(ModerationCaseStore.joins) LEFT JOIN suspensions s ON s.case_id = c.case_id
    WHERE c.outcome <> 'nothing'
    """

  /// Decisions against an account, newest first.
  static func list(of account: AccountID, before sequence: Int64, limit: Int, in database: Database) throws -> [Row] {
    let statement = try database.cachedStatement(
      sql: "\(sanctions) AND c.accused_account = ? AND c.sequence < ? ORDER BY c.sequence DESC LIMIT ?")
    return try Row.fetchAll(statement, arguments: [account, sequence, limit])
  }

  /// One decision.
  ///
  /// - Throws: `not_found` if there is none.
  static func view(_ id: ID<ModerationCase>, at now: Instant, in database: Database) throws -> Sanction {
    let statement = try database.cachedStatement(sql: "\(sanctions) AND c.case_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { throw Failure(RequestFailure.notFound) }
    return try Sanction(row, at: now)
  }
}

extension Sanction {
  /// From a row of ``ModerationCaseStore/columns`` that has an outcome, with the end of the suspension.
  init(_ row: Row, at now: Instant) throws {
    let found = try ModerationCase(row)
    guard let decision = found.decision, let reason = decision.reason else { throw Failure(RequestFailure.notFound) }
    let state: AppealRules.State = found.appeal == nil ? .none : found.appeal?.outcome == nil ? .waiting : .decided
    let end = SuspensionRules.end(
      of: decision, endedAt: row["suspension_ended_at"],
      grantedAt: found.appeal?.outcome == .granted ? found.appeal?.decidedAt : nil,
      now: now)
    self.init(
      caseID: found.id, subject: found.subject, content: found.content, outcome: decision.outcome,
      isContentRemoved: decision.removesContent, reason: reason, at: decision.at, until: decision.until,
      end: end?.kind, endedAt: end?.at,
      canAppeal: AppealRules.canAppeal(decision, state, at: now),
      appeal: found.appeal.map { appeal in
        OwnAppeal(
          text: appeal.text, at: appeal.at, outcome: appeal.outcome, reason: appeal.reason, decidedAt: appeal.decidedAt)
      })
  }
}
