import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Undoes the last write of an entry's progress (ACT-7): the entry is then as if that write had not been made, including its stamps and
/// what the same write said of comment, location and photo.
///
/// Each call undoes one step, as far back as the entry's history goes. Undoing the very first write leaves only what later writes recorded
/// on their own. A deleted entry is restored whole, except for its photo, which is not kept, and for its location unless the account
/// consents to it at present.
enum EntryUndo {
  /// - Returns: the entry after the undo; nil where nothing is left of it.
  static func undo(_ goal: PlannedGoal, of account: AccountID, _ transaction: Transaction) throws -> StoredEntry? {
    let (activity, day, database) = (goal.activity, goal.day, transaction.database)
    var entry = try EntryStore.find(activity, day, in: database)
    try EntryChangeStore.settle(entry, activity, day, transaction)
    entry?.previous = nil
    let before = try EntryRegisters.load(entry, activity, day, in: database)
    var after = before
    let undone: [LostWrite]
    let earlier: [EntryChangeStore.Kept]
    if let last = before.progress?.stamp {
      undone = after.takeBack(last)
      earlier = try undone.compactMap { try EntryChangeStore.overwritten($0.value.field, of: activity, day, in: database) }
    } else {
      earlier = try EntryChangeStore.deletedLast(of: activity, day, in: database)
      guard !earlier.isEmpty else { throw EntryFailure.nothingToUndo }
      undone = before.deletion.map { [LostWrite(value: .deletion, stamp: $0, cause: .undone)] } ?? []
      after.deletion = nil
    }
    let mayLocate = try Accounts.hasConsent(.location, of: account, in: database)
    let back = earlier.filter { $0.write.value.comesBack(mayLocate: mayLocate) }
    after.restore(back)
    try EntryChangeStore.remove(back, of: activity, day, in: database)
    try EntryChangeStore.passBy(
      earlier.filter { !$0.write.value.comesBack(mayLocate: mayLocate) }, of: activity, day, in: database)
    return try after.save(over: before, of: entry, losing: undone, goal, of: account, transaction)
  }
}

extension LostWrite.Value {
  fileprivate func comesBack(mayLocate: Bool) -> Bool {
    switch self {
    case .progress, .comment, .location(nil): true
    case .location: mayLocate
    case .photo, .deletion: false
    }
  }
}

extension EntryRegisters {
  /// Empties the fields that one write had set.
  fileprivate mutating func takeBack(_ stamp: WriteStamp) -> [LostWrite] {
    let values = [
      take(\.progress, stamp).map(LostWrite.Value.progress), take(\.comment, stamp).map(LostWrite.Value.comment),
      take(\.location, stamp).map(LostWrite.Value.location), take(\.photo, stamp).map(LostWrite.Value.photo),
    ]
    return values.compactMap(\.self).map { LostWrite(value: $0, stamp: stamp, cause: .undone) }
  }

  private mutating func take<Value>(
    _ field: WritableKeyPath<EntryRegisters, Register<Value>?>, _ stamp: WriteStamp
  ) -> Value? {
    guard let register = self[keyPath: field], register.stamp == stamp else { return nil }
    self[keyPath: field] = nil
    return register.value
  }

  /// Restores lost values to fields that are empty.
  fileprivate mutating func restore(_ kept: [EntryChangeStore.Kept]) {
    for write in kept.map(\.write) {
      switch write.value {
      case .progress(let value): progress = progress ?? Register(value: value, stamp: write.stamp)
      case .comment(let value): comment = comment ?? Register(value: value, stamp: write.stamp)
      case .location(let value): location = location ?? Register(value: value, stamp: write.stamp)
      case .photo, .deletion: break
      }
    }
  }
}
