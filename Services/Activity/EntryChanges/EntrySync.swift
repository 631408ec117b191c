import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Takes in changes that devices made while they were offline (ACT-17).
struct EntrySync {
  let account: AccountID
  let today: LocalDay
  let transaction: Transaction
  let words: Words
  let language: Language

  /// Takes one change in. Its problems are reported in the result; only errors of the store are thrown.
  func take(_ change: OfflineChange) throws -> OfflineChangeResult {
    let (database, name) = (transaction.database, change.name)
    var result = OfflineChangeResult(id: change.id, deviceID: change.deviceID, outcome: .repeated)
    var problems = ChangeProblems()
    let planned = try problems.gather {
      try ActivityStore.goal(change.activityID, of: account, on: change.day, today: today, in: database)
    }
    var superseded: [EntryField]?
    if planned != nil { superseded = try problems.gather { try ChangeNameStore.superseded(change, in: database) } ?? nil }
    // A change that was already taken in is not evaluated again by the present rules.
    let write = superseded == nil ? try self.write(change, planned, &problems) : nil
    guard problems.isEmpty, let goal = planned else {
      result.outcome = .refused
      result.refusal = problems.refusal(words, language)
      return result
    }
    if let write {
      let (applied, late) = try take(write, name, madeAt: change.madeAt, goal)
      try ChangeNameStore.keep(change, superseded: late, transaction)
      result.outcome = applied.isEmpty ? .superseded : .applied
      superseded = late
    }
    result.supersededFields = superseded?.isEmpty == true ? nil : superseded
    result.entry = try EntryStore.find(goal.activity, change.day, in: database)?.entry(of: goal)
    return result
  }

  /// Merges a change into its entry.
  ///
  /// - Returns: the fields in which it counts, and those of which later writes existed.
  private func take(
    _ write: EntryWrite, _ name: ChangeName, madeAt: Instant, _ goal: PlannedGoal
  ) throws -> (applied: [EntryField], late: [EntryField]) {
    let entry = try EntryStore.find(goal.activity, goal.day, in: transaction.database)
    let before = try EntryRegisters.load(entry, goal.activity, goal.day, in: transaction.database)
    var after = before
    let (applied, lost) = after.merge(write, at: WriteStamp(min(madeAt, transaction.now), name), isLast: false)
    try after.save(over: before, of: entry, losing: lost, goal, of: account, transaction)
    return (applied, lost.filter { $0.cause == .late }.map(\.value.field))
  }

  /// Returns what the change writes, if it has no problem.
  ///
  /// - Parameter goal: nil where there is no such activity.
  private func write(
    _ change: OfflineChange, _ goal: PlannedGoal?, _ problems: inout ChangeProblems
  ) throws -> EntryWrite {
    problems.add(change.problems)
    var progress: Int?
    if let goal, change.saysProgress, problems.areRight("isDone", "amount", "durationSeconds") {
      progress = try problems.gather { try self.progress(of: change, goal.measure) }
    }
    let isDeletion = change.isDeleted == true
    let write = isDeletion ? .deletion : EntryWrite(progress: progress, comment: change.comment, location: change.location)
    if let goal, problems.areRight("day") {
      try problems.gather {
        if isDeletion {
          // The account may have travelled west since the day of its entry.
          guard try goal.day <= today || exists(goal) else {
            throw EntryFailure.inFuture.with(["day": .text(goal.day.description)])
          }
        } else {
          let takesAway = try !change.saysProgress && write.isRemoval && exists(goal)
          if !takesAway { try goal.requireOpen(today: today) }
        }
      }
    }
    if !isDeletion, change.location.value != nil {
      try problems.gather { try Accounts.requireConsent(.location, of: account, in: transaction.database) }
    }
    return write
  }

  /// The progress that the change sets: starts from zero, so that it does not depend on earlier progress.
  private func progress(of change: OfflineChange, _ measure: GoalMeasure) throws(Failure) -> Int {
    // A limit is kept by doing nothing, so `isDone` leaves its amount unknown.
    guard change.isDone != true || !measure.isLimit else { throw Failure.field("isDone", measure.doneByLimit) }
    return try measure.set(
      0,
      to: RecordEntry.Input(
        activityID: change.activityID, day: .day(change.day), isDone: change.isDone, amount: change.amount,
        durationSeconds: change.durationSeconds))
  }

  private func exists(_ goal: PlannedGoal) throws -> Bool {
    try EntryStore.find(goal.activity, goal.day, in: transaction.database) != nil
  }
}

extension OfflineChange {
  /// Whether the change sets the progress.
  fileprivate var saysProgress: Bool { isDone != nil || amount != nil || durationSeconds != nil }

  /// The change's name.
  var name: ChangeName { ChangeName(id: id, device: deviceID) }
}
