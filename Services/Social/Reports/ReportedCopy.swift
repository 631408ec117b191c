import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// A copy of what is reported, which the server makes itself: whoever reports says only what it is.
struct ReportedCopy: Sendable {
  let accused: AccountID
  let content: ReportedContent
  let photo: MediaFile?

  /// What it weighs in the store.
  var bytes: Int { (content.text?.utf8.count ?? 0) + (photo?.content.bytes.count ?? 0) }

  /// A copy of an account as others see it, or of its photo, from identity.
  ///
  /// - Throws: `not_found` where there is no such account, or no photo.
  static func account(_ input: CreateReport.Input, _ call: AccountCall) async throws -> ReportedCopy? {
    guard let account = input.subject.accountID else { return nil }
    let found = try await call.request(ReadReportedAccount.self, .init(accountID: account))
    if input.subject.kind == .photo, found.photo == nil { throw Failure(RequestFailure.notFound) }
    let content = ReportedContent(
      username: found.username, nickname: found.nickname?.description, photoTag: found.photo?.tag)
    return ReportedCopy(accused: account, content: content, photo: found.photo)
  }

  /// A copy of a message, with its photo.
  ///
  /// - Throws: `not_found` unless it was written to that account, or by it, and is there still.
  static func message(_ id: ID<ChatMessage>, for reader: AccountID, in database: Database) throws -> ReportedCopy {
    guard let message = try MessageStore.find(id, for: reader, in: database)?.message, message.removedAt == nil else {
      throw Failure(RequestFailure.notFound)
    }
    let writer = try Accounts.find(message.fromAccountID, in: database)
    let photo = message.photo == nil ? nil : try MessagePhotoStore.read(of: message.id, in: database)
    let content = ReportedContent(
      username: writer?.username, nickname: writer?.nickname?.description, text: message.text?.description,
      writtenAt: message.sentAt, photoTag: photo?.tag)
    return ReportedCopy(accused: message.fromAccountID, content: content, photo: photo)
  }

  /// A copy of a task: its name, and its description behind it.
  ///
  /// - Throws: `not_found` unless the reader takes part in it and who made it is there still.
  static func task(_ id: ID<SharedTask>, for reader: AccountID, in database: Database) throws -> ReportedCopy {
    let task = try TaskStore.find(id, for: reader, in: database).task
    guard let creator = task.creator else { throw Failure(RequestFailure.notFound) }
    let texts = [task.text.name.description, task.text.description?.description].compactMap { $0 }
    return try copy(texts.joined(separator: "\n\n"), writtenAt: nil, by: creator, in: database)
  }

  /// A copy of a comment on a task.
  ///
  /// - Throws: `not_found` unless the reader takes part in the task, and the comment is there still.
  static func taskComment(_ id: ID<TaskComment>, for reader: AccountID, in database: Database) throws -> ReportedCopy {
    guard let comment = try TaskCommentStore.find(id, for: reader, in: database), let text = comment.text else {
      throw Failure(RequestFailure.notFound)
    }
    _ = try TaskStore.find(comment.taskID, for: reader, in: database)
    return try copy(text.description, writtenAt: comment.createdAt, by: comment.author.accountID, in: database)
  }

  private static func copy(
    _ text: String, writtenAt: Instant?, by writer: AccountID, in database: Database
  ) throws -> ReportedCopy {
    let known = try Accounts.find(writer, in: database)
    let content = ReportedContent(
      username: known?.username, nickname: known?.nickname?.description, text: text, writtenAt: writtenAt)
    return ReportedCopy(accused: writer, content: content, photo: nil)
  }
}
