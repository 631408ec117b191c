import ActivityContract
import Operations
import Storage

/// Takes back what was done last to an entry's progress (ACT-7): the entry is then as if that write had not been made, stamps included.
///
/// One step back is taken each time, for as many as the entry's history has; the first write of all leaves nothing recorded. What was
/// deleted comes back whole, but for its photo.
enum EntryUndo {
  static func undo(_ goal: PlannedGoal, of account: AccountID, _ transaction: Transaction) throws {
    let (activity, day, database) = (goal.activity, goal.day, transaction.database)
    try EntryHistory.settle(activity, day, transaction)
    let before = try EntryRegisters.load(activity, day, in: database)
    let last = try EntryHistory.lastUndoable(of: activity, day, in: database)
    let wasDeleted = last.contains { $0.write.cause == .deleted }
    var after = before
    var lost: [LostWrite] = []
    if let progress = before.progress {
      // What was deleted before this progress was written stays deleted until the next step.
      let restored = wasDeleted ? [] : last
      after.progress = nil
      after.restore(restored)
      lost.append(LostWrite(value: .progress(progress.value), stamp: progress.stamp, cause: .undone))
      try EntryHistory.remove(restored, of: activity, day, in: database)
    } else if wasDeleted {
      after.restore(last)
      after.deletion = nil
      if let deletion = before.deletion { lost.append(LostWrite(value: .deletion, stamp: deletion, cause: .undone)) }
      try EntryHistory.remove(last, of: activity, day, in: database)
    } else {
      throw EntryFailure.nothingToUndo
    }
    try after.save(over: before, losing: lost, goal, of: account, transaction)
  }
}

extension EntryRegisters {
  /// Gives fields that are empty what was lost.
  fileprivate mutating func restore(_ kept: [EntryHistory.Kept]) {
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
