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

  /// Takes one change in. What is wrong with it is told in the result; only what befalls the store is thrown.
  func take(_ change: OfflineChange) throws -> OfflineChangeResult {
    let (database, name) = (transaction.database, ChangeName(id: change.id, device: change.deviceID))
    var result = OfflineChangeResult(id: change.id, deviceID: change.deviceID, outcome: .repeated)
    let goal: PlannedGoal
    var superseded: [EntryField]?
    var write: EntryWrite?
    do {
      goal = try Activities.goal(change.activityID, of: account, on: change.day, in: database)
      superseded = try ChangeNames.superseded(name, of: goal.activity, change.day, in: database)
      // What was taken in once is not judged again by what holds now.
      if superseded == nil { write = try self.write(change, goal) }
    } catch {
      guard error is Failure || error is any FailureCode else { throw error }
      result.outcome = .refused
      result.refusal = refusal(Failure(error))
      return result
    }
    if let write {
      let (applied, late) = try take(write, name, madeAt: change.madeAt, goal)
      try ChangeNames.keep(name, superseded: late, of: goal.activity, change.day, transaction)
      result.outcome = applied.isEmpty ? .superseded : .applied
      superseded = late
    }
    result.supersededFields = superseded?.isEmpty == true ? nil : superseded
    result.entry = try Entries.find(goal.activity, change.day, in: database)?.entry(of: goal)
    return result
  }

  /// Lets a change count where nothing later does.
  ///
  /// - Returns: the fields in which it counts, and those of which later writes were there.
  private func take(
    _ write: EntryWrite, _ name: ChangeName, madeAt: Instant, _ goal: PlannedGoal
  ) throws -> (applied: [EntryField], late: [EntryField]) {
    let before = try EntryRegisters.load(goal.activity, goal.day, in: transaction.database)
    var after = before
    let (applied, lost) = after.merge(write, at: WriteStamp(min(madeAt, transaction.now), name), isLast: false)
    try after.save(over: before, losing: lost, goal, of: account, transaction)
    return (applied, lost.filter { $0.cause == .late }.map(\.value.field))
  }

  /// What the change writes.
  ///
  /// - Throws: why it cannot be taken.
  private func write(_ change: OfflineChange, _ goal: PlannedGoal) throws -> EntryWrite {
    let problems = change.problems
    guard problems.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    if change.isDeleted == true {
      // The account may have travelled west from the day of its entry.
      guard try goal.day <= today || exists(goal) else { throw EntryFailure.inFuture.with(["day": .text(goal.day.description)]) }
      return .deletion
    }
    var write = EntryWrite(comment: change.comment.trimmed, location: change.location)
    let takesAway = try !change.hasProgress && write.isRemoval && exists(goal)
    if !takesAway { try goal.requireOpen(today: today) }
    if change.location.value != nil { try Accounts.requireConsent(.location, of: account, in: transaction.database) }
    if change.hasProgress {
      // A limit is kept by doing nothing, which says nothing of how much there was.
      guard change.isDone == nil || !goal.measure.isLimit else {
        throw Failure.field("isDone", FieldRule("not_for_goal", ["kind": .text(goal.measure.kind.rawValue)]))
      }
      // From nothing, so that the result does not depend on what came before.
      write.progress = try goal.measure.set(
        0,
        to: RecordEntry.Input(
          activityID: change.activityID, day: .day(change.day), isDone: change.isDone, amount: change.amount,
          durationSeconds: change.durationSeconds))
    }
    return write
  }

  private func exists(_ goal: PlannedGoal) throws -> Bool {
    try Entries.find(goal.activity, goal.day, in: transaction.database) != nil
  }

  private func refusal(_ failure: Failure) -> ChangeRefusal {
    ChangeRefusal(
      code: failure.code, message: words.text("failure.\(failure.code)", language, failure.parameters) ?? failure.code,
      fields: failure.fields.map { problem in
        ChangeRefusal.Field(
          field: problem.field, code: problem.code,
          message: words.text("field.\(problem.code)", language, problem.parameters) ?? problem.code)
      })
  }
}

extension OfflineChange {
  fileprivate var hasProgress: Bool { isDone != nil || amount != nil || durationSeconds != nil }
}

extension FieldEdit<String> {
  /// The text without blanks at its ends; one that is nothing else removes what is there.
  var trimmed: FieldEdit {
    guard let value else { return self }
    let text = value.trimmed
    return text.isEmpty ? .remove : .set(text)
  }
}
