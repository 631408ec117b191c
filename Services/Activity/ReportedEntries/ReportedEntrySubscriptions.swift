import ActivityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// What moderators decide about entries.
struct ReportedEntrySubscriptions: Sendable {
  let calendars: AccountCalendars

  /// Takes away what was reported, as its owner would; what was written since the decision stays, and so does another photo. What a granted
  /// appeal gives back comes back where its owner has written nothing since.
  func removalChanged(_ event: EntryRemovalChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let (account, database) = (event.accountID, transaction.database)
    guard try !database.isErased(account), let entry = try EntryStore.find(event.activityID, event.day, in: database) else {
      return
    }
    let goal: PlannedGoal
    do {
      let today = try calendars.day(of: transaction.now, account, in: database)
      goal = try ActivityStore.goal(event.activityID, of: account, on: event.day, today: today, in: database)
    } catch ActivityFailure.notFound {
      return
    }
    let registers = try EntryRegisters.load(entry, event.activityID, event.day, in: database)
    var (comment, photo): (Patch<String?>, Patch<String?>) = (.keep, .keep)
    if event.isRemoved {
      if event.comment != nil, let own = registers.comment, own.value != nil, own.stamp.at <= event.at { comment = .set(nil) }
      if let tag = entry.photoTag, event.photoTags.contains(tag) { photo = .set(nil) }
    } else if let removed = event.comment, let own = registers.comment, own.value == nil {
      comment = .set(removed)
    }
    let write = EntryWrite(comment: comment, photo: photo)
    if !write.isEmpty { try EntryStore.write(write, over: entry, goal, of: account, transaction) }
  }
}
