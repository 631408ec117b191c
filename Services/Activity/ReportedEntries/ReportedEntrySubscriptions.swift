import ActivityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Applies moderators' decisions about entries.
struct ReportedEntrySubscriptions: Sendable {
  let calendars: AccountCalendars

  /// Removes the reported comment and photo, as the owner would; what was written after the decision stays, and so do a different comment
  /// and a different photo. A granted appeal restores what the removal took away, as its stamp shows, where the owner has written nothing
  /// since.
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
    let before = try EntryRegisters.load(entry, event.activityID, event.day, in: database)
    if event.isRemoved {
      try remove(event, from: entry, before, goal, transaction)
    } else {
      try restore(event, to: entry, before, goal, transaction)
    }
  }

  private func remove(
    _ event: EntryRemovalChanged, from entry: StoredEntry, _ before: EntryRegisters, _ goal: PlannedGoal,
    _ transaction: Transaction
  ) throws {
    var after: StoredEntry? = entry
    if let own = before.comment, own.stamp.at <= event.at, let number = own.value.flatMap(event.comments.firstIndex) {
      after = try EntryStore.write(
        EntryWrite(comment: .set(nil)), over: after, goal, of: event.accountID, at: Self.instant(event.at, number), transaction)
    }
    if let own = before.photo, own.stamp.at <= event.at, let number = own.value.flatMap(event.photoTags.firstIndex) {
      try EntryStore.write(
        EntryWrite(photo: .set(nil)), over: after, goal, of: event.accountID, at: Self.instant(event.at, number), transaction)
    }
  }

  private func restore(
    _ event: EntryRemovalChanged, to entry: StoredEntry, _ before: EntryRegisters, _ goal: PlannedGoal, _ transaction: Transaction
  ) throws {
    guard let removedAt = event.removedAt else { return }
    var after: StoredEntry? = entry
    if let own = before.comment, own.value == nil, let number = Self.number(own.stamp, removedAt, event.comments) {
      after = try EntryStore.write(
        EntryWrite(comment: .set(event.comments[number])), over: after, goal, of: event.accountID, transaction)
    }
    if let photo = event.photo, let own = before.photo, own.value == nil,
      let number = Self.number(own.stamp, removedAt, event.photoTags), event.photoTags[number] == photo.tag
    {
      try EntryStore.write(EntryWrite(photo: .set(photo.tag)), over: after, goal, of: event.accountID, transaction)
      try EntryPhotoStore.restore(photo, event.activityID, event.day, in: transaction.database)
    }
  }

  /// The instant of a removal encodes in its milliseconds which of several versions it removed, so that this one is restored.
  private static func instant(_ removedAt: Instant, _ number: Int) -> Instant {
    Instant(milliseconds: removedAt.milliseconds + Int64(number))
  }

  /// The index of the version that a write removed; nil where the write is not the removal.
  private static func number(_ stamp: WriteStamp, _ removedAt: Instant, _ versions: [String]) -> Int? {
    versions.indices.first { stamp == WriteStamp(instant(removedAt, $0)) }
  }
}
