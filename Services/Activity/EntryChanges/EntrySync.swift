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
    let (database, name) = (transaction.database, change.name)
    var result = OfflineChangeResult(id: change.id, deviceID: change.deviceID, outcome: .repeated)
    let goal: PlannedGoal
    var superseded: [EntryField]?
    var write: EntryWrite?
    do {
      goal = try Activities.goal(change.activityID, of: account, on: change.day, today: today, in: database)
      superseded = try ChangeNames.superseded(change, in: database)
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
      try ChangeNames.keep(change, superseded: late, transaction)
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
    let fields = ["isDone", "amount", "durationSeconds"]
    var findings = FieldFindings(change.problems)
    var progress: Int?
    if change.saysProgress, !findings.problems.contains(where: { fields.contains($0.field) }) {
      progress = try findings.gather { try self.progress(of: change, goal.measure) }
    }
    try findings.end()
    if change.isDeleted == true {
      // The account may have travelled west from the day of its entry.
      guard try goal.day <= today || exists(goal) else { throw EntryFailure.inFuture.with(["day": .text(goal.day.description)]) }
      return .deletion
    }
    let write = EntryWrite(progress: progress, comment: change.comment, location: change.location)
    let takesAway = try !change.saysProgress && write.isRemoval && exists(goal)
    if !takesAway { try goal.requireOpen(today: today) }
    if change.location.value != nil { try Accounts.requireConsent(.location, of: account, in: transaction.database) }
    return write
  }

  /// The progress that the change sets: from nothing, so that it does not depend on what came before.
  private func progress(of change: OfflineChange, _ measure: GoalMeasure) throws(Failure) -> Int {
    // A limit is kept by doing nothing, which says nothing of how much there was.
    guard change.isDone != true || !measure.isLimit else { throw Failure.field("isDone", measure.doneByLimit) }
    return try measure.set(
      0,
      to: RecordEntry.Input(
        activityID: change.activityID, day: .day(change.day), isDone: change.isDone, amount: change.amount,
        durationSeconds: change.durationSeconds))
  }

  private func exists(_ goal: PlannedGoal) throws -> Bool {
    try Entries.find(goal.activity, goal.day, in: transaction.database) != nil
  }

  private func refusal(_ failure: Failure) -> ChangeRefusal {
    let what = ["failure.\(failure.code)", "failure.\(failure.code).suggestion"].compactMap {
      words.text($0, language, failure.parameters)
    }
    return ChangeRefusal(
      code: failure.code, message: what.isEmpty ? failure.code : what.joined(separator: " "),
      fields: failure.fields.map { problem in
        ChangeRefusal.Field(
          field: problem.field, code: problem.code,
          message: words.text("field.\(problem.code)", language, problem.parameters) ?? problem.code,
          suggestion: words.text("field.\(problem.code).suggestion", language, problem.parameters))
      })
  }
}

extension OfflineChange {
  /// Whether it says anything of the progress.
  fileprivate var saysProgress: Bool { isDone != nil || amount != nil || durationSeconds != nil }

  /// What names it.
  var name: ChangeName { ChangeName(id: id, device: deviceID) }
}
