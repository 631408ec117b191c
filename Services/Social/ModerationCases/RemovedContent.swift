import GRDB
import Operations
import SocialContract
import Storage

/// Removes what moderators decided to remove, in the transaction of the decision: what is social's own at once, what is another service's by
/// an event.
enum RemovedContent {
  static func remove(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    switch found.subject.kind {
    // Rules let nobody come here.
    case .account, .task: return
    case .photo:
      for tag in try ReportStore.photoTags(of: found.id, in: transaction.database) {
        try transaction.publish(PhotoRemovalDecided(accountID: found.accused, photoTag: tag, at: transaction.now))
      }
    case .message:
      guard let id = found.subject.messageID,
        let message = try MessageStore.find(id, for: found.accused, in: transaction.database), message.message.removedAt == nil
      else { return }
      try MessageStore.remove(message, transaction)
    case .taskComment:
      guard let id = found.subject.taskCommentID,
        let comment = try TaskCommentStore.find(id, for: found.accused, in: transaction.database), comment.removedAt == nil,
        let task = try TaskStore.find(comment.taskID, in: transaction.database)
      else { return }
      try TaskCommentStore.remove(comment, from: task, transaction)
    }
  }
}
