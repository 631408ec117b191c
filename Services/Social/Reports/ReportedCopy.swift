import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// A copy of reported content, made by the server itself: a reporter only names the content.
struct ReportedCopy: Sendable {
  let accused: AccountID
  var content: ReportedContent
  var photo: MediaFile?
  /// The content of a file, which stands among those of attachments.
  var file: FileHash?

  /// What it weighs in the store.
  var bytes: Int { (content.text?.utf8.count ?? 0) + (content.comment?.utf8.count ?? 0) + (photo?.content.bytes.count ?? 0) }

  /// What its file weighs.
  var fileBytes: Int { content.file?.totalBytes ?? 0 }

  /// A copy of other services' content; nil for social's own.
  ///
  /// - Throws: `not_found` where the content does not exist, or the caller cannot see it.
  static func ofOthers(_ input: CreateReport.Input, _ call: AccountCall) async throws -> ReportedCopy? {
    switch input.subject.kind {
    case .account, .photo: try await account(input, call)
    case .entry, .entryPhoto: try await entry(input.subject, call)
    case .message, .task, .taskPart, .taskSeries, .taskComment, .taskAttachment, .team, .taskLink: nil
    }
  }

  /// A copy of an entry, from activity: its activity's title, its text and its photo; only the photo where that is reported.
  private static func entry(_ subject: ReportSubject, _ call: AccountCall) async throws -> ReportedCopy {
    guard let activity = subject.activityID, let day = subject.day else { throw Failure(RequestFailure.notFound) }
    let found = try await call.request(
      GetReportedEntry.self, .init(readerAccountID: call.account, activityID: activity, day: day))
    if subject.kind == .entryPhoto, found.photo == nil { throw Failure(RequestFailure.notFound) }
    let owner = try await Accounts.resolve(found.accountID, call)
    let content = ReportedContent(
      username: owner?.username, nickname: owner?.nickname?.description, text: found.title, writtenAt: found.recordedAt,
      photoTag: found.photo?.tag, comment: subject.kind == .entry ? found.comment : nil)
    return ReportedCopy(accused: found.accountID, content: content, photo: found.photo)
  }

  /// A copy of an account as others see it, or of its photo, from identity.
  ///
  /// - Throws: `not_found` where there is no such account, or no photo.
  private static func account(_ input: CreateReport.Input, _ call: AccountCall) async throws -> ReportedCopy? {
    guard let account = input.subject.accountID else { return nil }
    let found = try await call.request(GetReportedAccount.self, .init(accountID: account))
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
      writtenAt: message.sentAt, photoTag: photo?.tag, photoWidth: message.photo?.width, photoHeight: message.photo?.height)
    return ReportedCopy(accused: message.fromAccountID, content: content, photo: photo)
  }

  /// A copy of a task: its name, followed by its description.
  ///
  /// If its creator was deleted, the participant who may edit it since then is responsible for it.
  ///
  /// - Throws: `not_found` unless the reader takes part in it.
  static func task(_ id: ID<SharedTask>, for reader: AccountID, in database: Database) throws -> ReportedCopy {
    let task = try TaskStore.find(id, for: reader, in: database).task
    guard let accused = try TaskStore.responsible(for: task, in: database) else { throw Failure(RequestFailure.notFound) }
    return try copy(text(task.text.name, task.text.description), writtenAt: nil, by: accused, in: database)
  }

  /// A copy of a part of a task: its title, followed by its description. Its author is responsible for it, and if that account was deleted,
  /// the participant who may edit it since then.
  ///
  /// - Throws: `not_found` unless the reader takes part in its task.
  static func taskPart(_ id: ID<TaskPart>, for reader: AccountID, in database: Database) throws -> ReportedCopy {
    guard let part = try TaskPartStore.find(id, in: database) else { throw Failure(RequestFailure.notFound) }
    let task = try TaskStore.find(part.task, for: reader, in: database).task
    guard let accused = try part.author ?? TaskStore.responsible(for: task, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return try copy(text(part.text.title, part.text.description), writtenAt: nil, by: accused, in: database)
  }

  /// A copy of a recurring task: its name, followed by its description.
  ///
  /// - Throws: `not_found` unless the reader takes part in it and its creator still exists, who has no successor.
  static func taskSeries(_ id: ID<TaskSeries>, for reader: AccountID, in database: Database) throws -> ReportedCopy {
    let series = try TaskSeriesStore.find(id, for: reader, in: database)
    guard let creator = series.creator else { throw Failure(RequestFailure.notFound) }
    return try copy(
      text(series.terms.text.name, series.terms.text.description), writtenAt: nil, by: creator, in: database)
  }

  /// The text of a task's copy.
  static func text(_ name: TaskName, _ description: TaskDescription?) -> String {
    [name.description, description?.description].compactMap { $0 }.joined(separator: "\n\n")
  }

  /// A copy of what every visitor of a task's public link sees. The link's owner is responsible for it.
  ///
  /// - Throws: `not_found` for a link that does not work.
  static func taskLink(_ id: ID<TaskLink>, at now: Instant, in database: Database) throws -> ReportedCopy {
    guard let owner = try TaskLinkStore.owner(of: id, in: database),
      let task = try TaskLinkStore.publicTask(id, at: now, in: database)
    else { throw Failure(RequestFailure.notFound) }
    return try copy(text(task.name, task.description), writtenAt: nil, by: owner, in: database)
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

  /// A copy of a file attached to a task: its name and its content. For a file attached by the task's token, the account that made the
  /// token is responsible.
  ///
  /// - Throws: `not_found` unless the reader takes part in the task, and an account responsible for the file still exists.
  static func taskAttachment(
    _ id: ID<TaskAttachment>, for reader: AccountID, _ access: TaskAccess, in database: Database
  ) throws -> ReportedCopy {
    guard let found = try TaskAttachmentStore.find(id, in: database), let accused = found.account ?? found.charged else {
      throw Failure(RequestFailure.notFound)
    }
    try access.require(found.task, reader, in: database)
    let attachment = try TaskAttachmentStore.view(id, for: reader, isCreator: false, in: database)
    var copy = try copy(nil, writtenAt: attachment.attachedAt, by: accused, in: database)
    copy.content.file = ReportedFile(name: found.name, mediaType: attachment.mediaType, totalBytes: found.totalBytes)
    copy.file = found.sha256
    return copy
  }

  /// A copy of a team's name, which everybody sees in the list of teams.
  ///
  /// - Throws: `not_found` where there is no such team.
  static func team(_ id: ID<Team>, in database: Database) throws -> ReportedCopy {
    guard let name = try TeamStore.name(of: id, in: database), let owner = try TeamMemberStore.owner(of: id, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return try copy(name.description, writtenAt: nil, by: owner, in: database)
  }

  private static func copy(
    _ text: String?, writtenAt: Instant?, by writer: AccountID, in database: Database
  ) throws -> ReportedCopy {
    let known = try Accounts.find(writer, in: database)
    let content = ReportedContent(
      username: known?.username, nickname: known?.nickname?.description, text: text, writtenAt: writtenAt)
    return ReportedCopy(accused: writer, content: content, photo: nil)
  }
}
