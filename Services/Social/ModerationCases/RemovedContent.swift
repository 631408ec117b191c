import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Removes content in the transaction of a moderators' decision, and restores it when an appeal is granted: social's own content at once,
/// that of other services by an event.
struct RemovedContent: Sendable {
  /// Who learns that an attachment is gone.
  let access: TaskAccess

  func remove(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    switch found.subject.kind {
    // The rules exclude this case.
    case .account: return
    case .task: try removeTask(found, transaction)
    case .taskPart: try RemovedTaskText.removePart(found, transaction)
    case .taskSeries: try RemovedTaskText.removeSeries(found, transaction)
    case .taskLink:
      if let link = found.subject.taskLinkID { try TaskLinkStore.close(link, transaction) }
    case .photo: try removePhotos(found, transaction)
    case .message:
      guard let id = found.subject.messageID, let message = try MessageStore.find(id, for: found.accused, in: database),
        message.message.removedAt == nil
      else { return }
      let photo = message.message.photo
      let content = ReportedContent(
        text: message.message.text?.description,
        photoTag: photo == nil ? nil : try MessagePhotoStore.read(of: id, in: database).tag, photoWidth: photo?.width,
        photoHeight: photo?.height)
      try MessageStore.remove(message, transaction)
      try ModerationCaseStore.keepRemoved(content, by: found.id, transaction)
    case .taskComment:
      guard let (comment, task) = try comment(found, in: database), comment.removedAt == nil else { return }
      try TaskCommentStore.remove(comment, from: task, transaction)
      try ModerationCaseStore.keepRemoved(ReportedContent(text: comment.text?.description), by: found.id, transaction)
    case .taskAttachment:
      guard let id = found.subject.taskAttachmentID, let file = try TaskAttachmentStore.find(id, in: database) else { return }
      try RemovedAttachmentStore.keep(id, by: found.id, transaction)
      try TaskAttachmentStore.delete(file, access, transaction)
    case .entry, .entryPhoto:
      guard let event = try EntryRemovalChanged(found, isRemoved: true, at: transaction.now, in: database) else { return }
      try transaction.publish(event)
    case .team:
      // The neutral text of a removal, in any language, is not removed again: so the original text can still be restored.
      guard let team = found.subject.teamID, let name = try TeamStore.name(of: team, in: database),
        !Self.neutralTeamNames.contains(name.description),
        try ReportStore.copies(of: found.id, in: database).contains(where: { $0.text == name.description })
      else { return }
      try TeamStore.rename(team, try neutralName(of: team, in: database), transaction)
      try ModerationCaseStore.keepRemoved(ReportedContent(text: name.description), by: found.id, transaction)
    }
  }

  /// Publishes the removal of the account's photos in a case, and notes which of them it had then.
  private func removePhotos(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let tags = try ReportStore.photoTags(of: found.id, in: transaction.database)
    let present = try Accounts.find(found.accused, in: transaction.database)?.photoURL
    if let tag = tags.first(where: { PhotoURL(account: found.accused, tag: $0) == present }) {
      try ModerationCaseStore.keepRemoved(ReportedContent(photoTag: tag), by: found.id, transaction)
    }
    for tag in tags {
      try transaction.publish(PhotoRemovalDecided(accountID: found.accused, photoTag: tag, at: transaction.now))
    }
  }

  /// Takes a task's texts away, unless they were changed since they were reported, and closes the public links to it.
  private func removeTask(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    guard let id = found.subject.taskID, let task = try TaskStore.find(id, in: database) else { return }
    try TaskLinkStore.close(to: id, transaction)
    let text = ReportedCopy.text(task.text.name, task.text.description)
    guard !Self.isNeutral(task.text), try ReportStore.copies(of: found.id, in: database).contains(where: { $0.text == text })
    else { return }
    let neutral = TaskText(
      name: try neutralTaskName(for: found.accused, in: database), description: nil, dueDay: task.text.dueDay)
    try TaskStore.edit(id, neutral, transaction)
    let kept = ReportedContent(text: task.text.name.description, comment: task.text.description?.description)
    try ModerationCaseStore.keepRemoved(kept, by: found.id, transaction)
  }

  /// Restores exactly what the case of a granted appeal removed, unless something else has replaced it.
  func restore(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    guard let decision = found.decision, decision.removesContent else { return }
    switch found.subject.kind {
    case .entry, .entryPhoto: return try restoreEntry(found, transaction)
    case .taskAttachment:
      guard let id = try RemovedAttachmentStore.restore(by: found.id, transaction),
        let file = try TaskAttachmentStore.find(id, in: database)
      else { return }
      return try TaskAttachmentStore.publish(
        .attached, id, of: file.task, (file.account, file.name), access, transaction)
    case .taskLink:
      if let link = found.subject.taskLinkID { try TaskLinkStore.open(link, closedAt: decision.at, transaction) }
      return
    case .task:
      if let task = found.subject.taskID { try TaskLinkStore.open(to: task, closedAt: decision.at, transaction) }
    case .account, .photo, .message, .taskPart, .taskSeries, .taskComment, .team: break
    }
    guard let removed = try ModerationCaseStore.removed(by: found.id, in: database) else { return }
    switch found.subject.kind {
    case .account, .entry, .entryPhoto, .taskAttachment, .taskLink: return
    case .taskPart, .taskSeries: try RemovedTaskText.restore(found, removed, transaction)
    case .photo:
      guard let tag = removed.photoTag, let photo = try ReportStore.photo(tag, in: found.id, database) else { return }
      try transaction.publish(PhotoRestorationDecided(accountID: found.accused, photo: photo, at: transaction.now))
    case .task:
      guard let id = found.subject.taskID, let task = try TaskStore.find(id, in: database), Self.isNeutral(task.text),
        let name = removed.text
      else { return }
      let text = TaskText(
        name: try TaskName(text: name), description: try removed.comment.map { try TaskDescription(text: $0) },
        dueDay: task.text.dueDay)
      try TaskStore.edit(id, text, transaction)
    case .message:
      guard let id = found.subject.messageID, let message = try MessageStore.find(id, for: found.accused, in: database),
        message.message.removedAt == decision.at
      else { return }
      let photo = try removed.photoTag.flatMap { try ReportStore.photo($0, in: found.id, database) }
      try MessageStore.restore(message, removed, photo, transaction)
    case .taskComment:
      guard let (comment, task) = try comment(found, in: database), comment.removedAt == decision.at,
        let text = try removed.text.map({ try ChatText(text: $0) })
      else { return }
      try TaskCommentStore.restore(comment, text, in: task, transaction)
    case .team:
      guard let team = found.subject.teamID, let text = removed.text else { return }
      try TeamStore.rename(team, try TeamName(text: text), transaction)
    }
  }

  private func comment(
    _ found: ModerationCaseRecord, in database: Database
  ) throws -> (TaskComment, TaskStore.Stored)? {
    guard let id = found.subject.taskCommentID, let comment = try TaskCommentStore.find(id, for: found.accused, in: database),
      let task = try TaskStore.find(comment.taskID, in: database)
    else { return nil }
    return (comment, task)
  }

  /// The most photos of an entry that one appeal restores: the last ones reported.
  private static let maxPhotos = 8

  /// Activity knows the content of its entries, and what a removal took from them.
  private func restoreEntry(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    let photos: [MediaFile?] = try ReportStore.photos(of: found.id, limit: Self.maxPhotos, in: database)
    for photo in photos.isEmpty ? [nil] : photos {
      let event = try EntryRemovalChanged(found, isRemoved: false, photo: photo, at: transaction.now, in: database)
      if let event { try transaction.publish(event) }
    }
  }

  private static let neutralTeamNames = ["Team", "Equipo"]

  /// What a team is called whose name was removed, in its owner's language.
  private func neutralName(of team: ID<Team>, in database: Database) throws -> TeamName {
    let owner = try TeamMemberStore.owner(of: team, in: database).flatMap { try Accounts.find($0, in: database) }
    return try TeamName(text: Self.neutralTeamNames[owner?.language == .spanish ? 1 : 0])
  }

  /// What a task is called whose name was removed, in the language of who made it.
  private func neutralTaskName(for creator: AccountID, in database: Database) throws -> TaskName {
    try TaskName(text: Self.neutralTaskNames[try Accounts.find(creator, in: database)?.language == .spanish ? 1 : 0])
  }

  private static let neutralTaskNames = ["Task", "Tarea"]

  /// Whether a task says nothing but what a removal has written.
  private static func isNeutral(_ text: TaskText) -> Bool {
    neutralTaskNames.contains(text.name.description) && text.description == nil
  }
}
