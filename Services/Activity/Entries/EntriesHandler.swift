import ActivityContract
import GRDB
import IdentityContract
import Images
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the reading and writing of entries.
  mutating func serveEntries(_ calendars: AccountCalendars, _ processor: PictureProcessor) {
    serveForm(RecordEntry.self, calendars, processor)
    serveForm(CreateEntry.self, isNew: true, calendars, processor)

    serve(IncrementEntry.self, prepare: calendars.prepare) { input, _, call, transaction in
      let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
      return try Entries.change(goal, of: call.account, today: today, transaction) { measure, progress in
        let sum = try measure.add(input, to: progress ?? 0)
        // Where there is nothing to take from, nothing is recorded: an entry of 0 would keep the day from being recorded as a new one.
        return progress == nil && sum == 0 ? nil : sum
      }
    }

    serve(GetEntry.self, prepare: calendars.prepare) { input, _, call, database in
      let goal = try calendars.goal(input.activityID, input.day, call, in: database)
      return try Entries.required(goal, in: database)
    }

    serve(
      EditEntry.self,
      prepare: { input, call in
        try input.found.require("activityID", "day")
        try await calendars.prepare(input, call)
        if input.location.value != nil { try await Accounts.catchUp(on: .location, call) }
      },
      write: { input, _, call, transaction in
        let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
        _ = try Entries.required(goal, in: transaction.database)
        var findings = FieldFindings(input.found)
        if let progress = input.progress, input.found.areRight("isDone", "amount", "durationSeconds") {
          try findings.gather {
            _ = try Entries.change(goal, of: call.account, today: today, transaction) { measure, before in
              try measure.set(before ?? 0, to: progress)
            }
          }
        }
        try findings.end()
        let details = EntryWrite(comment: input.comment, location: input.location)
        return try calendars.write(details, goal, today: today, call, transaction)
      })

    serve(DeleteEntry.self, prepare: calendars.prepare) { input, _, call, transaction in
      // Another account's is not found.
      let (goal, _) = try calendars.goal(input.activityID, input.day, call, transaction)
      if try Entries.find(goal.activity, goal.day, in: transaction.database) != nil {
        try Entries.write(.deletion, goal, of: call.account, transaction)
      }
      return Empty()
    }
  }
}

extension ServiceDefinition {
  /// Serves an operation that takes the form of an entry.
  ///
  /// - Parameter isNew: whether there must be no entry yet.
  private mutating func serveForm<O: Operation>(
    _ operation: O.Type, isNew: Bool = false, _ calendars: AccountCalendars, _ processor: PictureProcessor
  ) where O.Input == RecordEntry.Input, O.Output == Entry {
    @Sendable func expectNone(_ goal: PlannedGoal, in database: Database) throws {
      guard isNew, try Entries.find(goal.activity, goal.day, in: database) != nil else { return }
      throw EntryFailure.exists.with(["day": .text(goal.day.description)])
    }
    serve(
      operation,
      prepare: { input, call in
        try input.found.require("activityID", "day")
        try await calendars.prepare(input, call)
        if input.location != nil { try await Accounts.catchUp(on: .location, call) }
        var findings = FieldFindings(input.found)
        guard let photo = input.photo, input.found.areRight("photo") else { return (picture: Picture?.none, findings: findings) }
        // Where there is no such activity, or an entry already, no picture is decoded.
        try await call.read { try expectNone(calendars.goal(input.activityID, input.day, call, in: $0), in: $0) }
        let picture = try await findings.gather(awaiting: {
          try await processor.picture(photo.bytes, field: "photo", of: call.account)
        })
        return (picture, findings)
      },
      write: { input, prepared, call, transaction in
        let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
        try expectNone(goal, in: transaction.database)
        var (picture, findings) = prepared
        var entry: Entry?
        if input.found.areRight("isDone", "amount", "durationSeconds") {
          entry = try findings.gather {
            try Entries.change(goal, of: call.account, today: today, transaction) { measure, progress in
              try measure.set(progress ?? 0, to: input)
            }
          }
        }
        try findings.end()
        let details = EntryWrite(input, picture)
        if let entry, details.isEmpty { return entry }
        return try calendars.write(details, picture: picture, goal, today: today, call, transaction)
      })
  }
}

extension AccountCalendars {
  /// What the caller's activity asks for on a day that it names.
  func goal(_ activity: ActivityID, _ day: DayName, _ call: Call, in database: Database) throws -> PlannedGoal {
    let account = try call.account
    let today = try calendar(of: account, in: database).day(of: call.now)
    return try Activities.goal(activity, of: account, on: day.resolved(today: today), today: today, in: database)
  }

  /// The same for a write, with the caller's today.
  func goal(
    _ activity: ActivityID, _ day: DayName, _ call: Call, _ transaction: Transaction
  ) throws -> (goal: PlannedGoal, today: LocalDay) {
    let account = try call.account
    let today = try self.today(of: account, transaction)
    let day = day.resolved(today: today)
    return (try Activities.goal(activity, of: account, on: day, today: today, in: transaction.database), today)
  }

  /// Writes what an entry has beside its progress, on a day on which it may be written and with the consent that it needs.
  func write(
    _ details: EntryWrite, picture: Picture? = nil, _ goal: PlannedGoal, today: LocalDay, _ call: Call, _ transaction: Transaction
  ) throws -> Entry {
    let account = try call.account
    try goal.requireOpen(to: details, today: today)
    if details.location.value != nil { try Accounts.requireConsent(.location, of: account, in: transaction.database) }
    if !details.isEmpty { try Entries.write(details, picture: picture, goal, of: account, transaction) }
    return try Entries.required(goal, in: transaction.database)
  }
}

extension Entries {
  /// The entry of a day as clients see it.
  ///
  /// - Throws: `entry_not_found` where nothing was recorded.
  static func required(_ goal: PlannedGoal, in database: Database) throws -> Entry {
    guard let entry = try find(goal.activity, goal.day, in: database) else { throw EntryFailure.notFound }
    return entry.entry(of: goal)
  }
}

extension EntryWrite {
  /// What a form holds beside the progress; what it leaves out stays as it is.
  fileprivate init(_ input: RecordEntry.Input, _ picture: Picture?) {
    self.init(
      comment: input.comment.map { .set($0) } ?? .keep, location: input.location.map { .set($0) } ?? .keep,
      photo: picture.map { .set($0.tag) } ?? .keep)
  }
}

extension EditEntry.Input {
  /// What it says of the progress; nil for nothing.
  fileprivate var progress: RecordEntry.Input? {
    guard isDone != nil || amount != nil || durationSeconds != nil else { return nil }
    return RecordEntry.Input(
      activityID: activityID, day: day, isDone: isDone, amount: amount, durationSeconds: durationSeconds)
  }
}
