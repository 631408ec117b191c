import ActivityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// What moderators decide about entries.
struct ReportedEntrySubscriptions: Sendable {
  let calendars: AccountCalendars

  /// Takes away what was reported, as its owner would; what was written since the decision stays, and so do another comment and another
  /// photo. A granted appeal gives the comment back where the removal took it away, which its stamp says, and its owner has written nothing since.
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
    var after: StoredEntry? = entry
    let own = try EntryRegisters.load(entry, event.activityID, event.day, in: database).comment
    if let comment = event.comment, let own {
      if event.isRemoved, own.value == comment, own.stamp.at <= event.at {
        after = try EntryStore.write(
          EntryWrite(comment: .set(nil)), over: after, goal, of: account, at: event.at, transaction)
      } else if !event.isRemoved, own.value == nil, own.stamp == event.removedAt.map({ WriteStamp($0) }) {
        after = try EntryStore.write(EntryWrite(comment: .set(comment)), over: after, goal, of: account, transaction)
      }
    }
    if event.isRemoved, let tag = after?.photoTag, event.photoTags.contains(tag) {
      try EntryStore.write(EntryWrite(photo: .set(nil)), over: after, goal, of: account, transaction)
    }
  }
}
