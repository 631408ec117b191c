import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Removes what moderators decided to remove, in the transaction of the decision, and gives texts back that a granted appeal clears: what is
/// social's own at once, what is another service's by an event.
struct RemovedContent: Sendable {
  /// Who learns that an attachment is gone.
  let access: TaskAccess

  func remove(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    switch found.subject.kind {
    // Rules let nobody come here.
    case .account, .task: return
    case .photo:
      for tag in try ReportStore.photoTags(of: found.id, in: database) {
        try transaction.publish(PhotoRemovalDecided(accountID: found.accused, photoTag: tag, at: transaction.now))
      }
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
      try TaskAttachmentStore.delete(file, access, transaction)
    case .entry, .entryPhoto:
      guard let event = try EntryRemovalChanged(found, isRemoved: true, at: transaction.now, in: database) else { return }
      try transaction.publish(event)
    case .team:
      guard let team = found.subject.teamID, let name = try TeamStore.name(of: team, in: database),
        try ReportStore.copies(of: found.id, in: database).contains(where: { $0.text == name.description })
      else { return }
      try TeamStore.rename(team, try neutralName(of: team, in: database), transaction)
      try ModerationCaseStore.keepRemoved(ReportedContent(text: name.description), by: found.id, transaction)
    }
  }

  /// Gives back exactly the text that was removed by a case whose appeal is granted, where nothing else came in its place.
  func restore(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    guard let decision = found.decision, decision.removesContent else { return }
    // Activity knows what stands in its entries.
    if found.subject.kind == .entry,
      let event = try EntryRemovalChanged(found, isRemoved: false, at: transaction.now, in: database)
    {
      return try transaction.publish(event)
    }
    guard let removed = try ModerationCaseStore.removed(by: found.id, in: database) else { return }
    switch found.subject.kind {
    case .account, .task, .photo, .entry, .entryPhoto, .taskAttachment: return
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

  /// What a team is called whose name was removed, in its owner's language.
  private func neutralName(of team: ID<Team>, in database: Database) throws -> TeamName {
    let owner = try TeamMemberStore.owner(of: team, in: database).flatMap { try Accounts.find($0, in: database) }
    return try TeamName(text: owner?.language == .spanish ? "Equipo" : "Team")
  }
}
