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
    let goal: PlannedGoal
    let write: EntryWrite
    do {
      goal = try Activities.goal(change.activityID, of: account, on: change.day, in: transaction.database)
      write = try self.write(change, goal)
    } catch {
      guard error is Failure || error is any FailureCode else { throw error }
      return OfflineChangeResult(
        id: change.id, deviceID: change.deviceID, outcome: .refused, refusal: refusal(Failure(error)))
    }
    let name = ChangeName(id: change.id, device: change.deviceID)
    let before = try EntryRegisters.load(goal.activity, change.day, in: transaction.database)
    var result = OfflineChangeResult(id: change.id, deviceID: change.deviceID, outcome: .repeated)
    let isKnown =
      try before.stamps.contains { $0.change == name }
      || EntryHistory.knows(name, of: goal.activity, change.day, in: transaction.database)
    if !isKnown {
      var after = before
      let (applied, lost) = after.merge(write, at: WriteStamp(min(change.madeAt, transaction.now), name), isLast: false)
      try after.save(over: before, losing: lost, goal, of: account, transaction)
      let late = lost.filter { $0.cause == .late }.map(\.value.field)
      result.outcome = applied.isEmpty ? .superseded : .applied
      result.supersededFields = applied.isEmpty || late.isEmpty ? nil : late
    }
    result.entry = try Entries.find(goal.activity, change.day, in: transaction.database)?.entry(of: goal)
    return result
  }

  /// What the change writes.
  ///
  /// - Throws: why it cannot be taken.
  private func write(_ change: OfflineChange, _ goal: PlannedGoal) throws -> EntryWrite {
    let problems = change.problems
    guard problems.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    // What is paused or skipped by now may have been recorded before.
    guard change.day <= today else { throw EntryFailure.inFuture.with(["day": .text(change.day.description)]) }
    if change.isDeleted == true, PlannableDays.all.contains(change.day) { return .deletion }
    try goal.requireOpen(today: today)
    var write = EntryWrite(comment: change.comment.trimmed, location: change.location)
    if change.location.value != nil { try Accounts.requireConsent(.location, of: account, in: transaction.database) }
    if change.isDone != nil || change.amount != nil || change.durationSeconds != nil {
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

  private func refusal(_ failure: Failure) -> ChangeRefusal {
    var parameters = failure.parameters
    if case .text(let reason)? = parameters["reason"], let text = words.text("reason.\(reason)", language, parameters) {
      parameters["reason"] = .text(text)
    }
    return ChangeRefusal(
      code: failure.code, message: words.text("failure.\(failure.code)", language, parameters) ?? failure.code,
      fields: failure.fields.map { problem in
        ChangeRefusal.Field(
          field: problem.field, code: problem.code,
          message: words.text("field.\(problem.code)", language, problem.parameters) ?? problem.code)
      })
  }
}

extension FieldEdit<String> {
  /// The text without blanks at its ends; one that is nothing else removes what is there.
  var trimmed: FieldEdit {
    guard let value else { return self }
    let text = value.trimmed
    return text.isEmpty ? .remove : .set(text)
  }
}
