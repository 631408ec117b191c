import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Reports: sent, and listed for who sent them.
struct ReportHandlers: Sendable {
  let access: TaskAccess

  /// Messages, tasks with their comments and files, and teams are social's own; they are copied in the transaction that keeps the report.
  func send(
    _ input: CreateReport.Input, _ copied: ReportedCopy?, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Report {
    let (reporter, database) = (call.account, transaction.database)
    let copy = try copied ?? own(input.subject, reporter, at: transaction.now, in: database)
    // For a blocked account the blocker does not exist; but messages that it received are its own.
    if copied != nil, try BlockStore.hasBlocked(copy.accused, reporter, in: database) { throw Failure(RequestFailure.notFound) }
    // Identity may have answered just before it was deleted.
    if try database.isErased(copy.accused) { throw Failure(RequestFailure.notFound) }
    let earlier = try ReportStore.earlier(
      of: reporter, input.subject, of: copy.accused, at: transaction.now, in: database)
    try ReportRules.send(
      from: reporter, about: copy.accused, earlier, bytes: copy.bytes, fileBytes: copy.fileBytes, at: transaction.now)
    let found = try ModerationCaseStore.findOrOpen(input.subject, of: copy.accused, transaction)
    let id = try ReportStore.add(input, copy, from: reporter, to: found, transaction)
    return try ReportStore.view(id, in: database)
  }

  private func own(_ subject: ReportSubject, _ reporter: AccountID, at now: Instant, in database: Database) throws -> ReportedCopy
  {
    if let message = subject.messageID { return try ReportedCopy.message(message, for: reporter, in: database) }
    if let task = subject.taskID { return try ReportedCopy.task(task, for: reporter, in: database) }
    if let part = subject.taskPartID { return try ReportedCopy.taskPart(part, for: reporter, in: database) }
    if let series = subject.taskSeriesID { return try ReportedCopy.taskSeries(series, for: reporter, in: database) }
    if let file = subject.taskAttachmentID {
      return try ReportedCopy.taskAttachment(file, for: reporter, access, in: database)
    }
    if let team = subject.teamID { return try ReportedCopy.team(team, in: database) }
    if let link = subject.taskLinkID { return try ReportedCopy.taskLink(link, at: now, in: database) }
    guard let comment = subject.taskCommentID else { throw Failure(RequestFailure.notFound) }
    return try ReportedCopy.taskComment(comment, for: reporter, in: database)
  }

  static func list(_ input: ListOwnReports.Input, _ call: AccountCall, _ database: Database) throws -> Page<Report> {
    let page = try call.page(input)
    let rows = try ReportStore.list(of: call.account, before: page.before, limit: page.fetchLimit, in: database)
    return page.page(of: rows, key: { $0["sequence"] as Int64 }, item: Report.init)
  }
}
