import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Cases: listed, read and decided by administrators.
struct ModerationCaseHandlers: Sendable {
  let removed: RemovedContent
  /// Where the contents of attachments lie.
  let files: TaskAttachmentFiles

  static func queue(
    _ input: ListModerationCases.Input, _ call: AccountCall, _ database: Database
  ) throws -> Page<ModerationCase> {
    let page = try call.page(input)
    let rows = try ModerationCaseStore.queue(
      input.kind, for: call.account, after: page.after, limit: page.fetchLimit, in: database)
    return try page.page(of: rows, key: { $0["sequence"] as Int64 }) { try ModerationCase($0) }
  }

  static func get(
    _ input: GetModerationCase.Input, _ call: AccountCall, _ database: Database
  ) throws -> GetModerationCase.Output {
    typealias Output = GetModerationCase.Output
    let found = try ModerationCaseStore.view(input.caseID, in: database)
    // Who reported one is not for oneself to read.
    guard found.accountID != call.account else { throw ModerationFailure.aboutOneself }
    return Output(
      moderationCase: found, reports: try ReportStore.list(of: found.id, limit: Output.maxReports, in: database),
      earlierDecisions: try ModerationCaseStore.decisions(
        against: found.accountID, but: found.id, limit: Output.maxDecisions, in: database))
  }

  static func photo(_ input: GetReportedPhoto.Input, _ call: AccountCall, _ database: Database) throws -> MediaFile {
    try requireOfAnother(input.reportID, call, database)
    guard let photo = try ReportStore.photo(of: input.reportID, in: database) else { throw Failure(RequestFailure.notFound) }
    return photo
  }

  func fileChunk(_ input: DownloadReportedFileChunk.Input, _ call: AccountCall) async throws -> DownloadReportedFileChunk.Output {
    let found = try await call.read { database in
      try Self.requireOfAnother(input.reportID, call, database)
      return try ReportStore.file(of: input.reportID, in: database)
    }
    guard let file = found else {
      throw Failure(RequestFailure.notFound)
    }
    return try await files.chunk(of: file.sha256, file.totalBytes, from: input.offset, for: call.account)
  }

  private static func requireOfAnother(_ report: ID<Report>, _ call: AccountCall, _ database: Database) throws {
    guard try ReportStore.accused(in: report, database) != call.account else { throw ModerationFailure.aboutOneself }
  }

  /// All accounts that administer, as identity knows them at this moment: the caller's token may be older than its dismissal.
  static func administrators(_ input: some Document, _ call: AccountCall) async throws -> Set<AccountID> {
    let administrators = Set(try await call.request(ListAdministrators.self, Empty()).accountIDs)
    guard administrators.contains(call.account) else { throw Failure(RequestFailure.forbidden) }
    return administrators
  }

  func decide(
    _ input: DecideModerationCase.Input, _ administrators: Set<AccountID>, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ModerationCase {
    let found = try ModerationCaseStore.require(input.caseID, in: transaction.database)
    let decision = try ModerationCaseRules.decide(
      input, found, by: call.account, among: administrators,
      reporters: try ReportStore.reporters(of: found.id, among: administrators, in: transaction.database), at: transaction.now)
    try ModerationCaseStore.decide(found.id, decision, transaction)
    if decision.removesContent { try removed.remove(found, transaction) }
    if let until = decision.until, let reason = decision.reason {
      try SuspensionStore.suspend(found.accused, until: until, reason, in: found.id, transaction)
    }
    if let reason = decision.reason {
      try transaction.publish(
        SanctionImposed(
          caseID: found.id, accountID: found.accused, kind: found.subject.kind, outcome: decision.outcome,
          isContentRemoved: decision.removesContent, reason: reason, until: decision.until, at: decision.at))
    }
    try ReportStore.publishDecided(found.id, limit: ReportRules.publishedAtOnce, transaction)
    try ModerationRecordStore.add(.decided, found, decision, note: decision.note, by: call.account, transaction)
    return try ModerationCaseStore.view(found.id, in: transaction.database)
  }
}

extension PageRequest {
  /// For lists by growing number: only rows above it belong to the page.
  var after: Int64 {
    get throws(Failure) {
      try cursor { text throws(FieldRule) in
        guard let number = Int64(text) else { throw PageCursor.invalid }
        return number
      } ?? 0
    }
  }
}
