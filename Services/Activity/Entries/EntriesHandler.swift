import ActivityContract
import GRDB
import IdentityContract
import Images
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the reading and writing of entries.
  mutating func serveEntries(_ calendars: AccountCalendars, _ desk: PictureDesk) {
    serve(
      RecordEntry.self,
      prepare: { input, call in
        try await calendars.prepare(input, call)
        if input.location != nil { try await Accounts.catchUp(on: .location, call) }
        guard let photo = input.photo else { return Picture?.none }
        // Where there is no such activity, no picture is decoded.
        _ = try await call.read { try calendars.goal(input.activityID, input.day, call, in: $0) }
        return try await desk.picture(photo.bytes, field: "photo")
      },
      write: { input, picture, call, transaction in
        let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
        let entry = try Entries.change(goal, of: call.account, today: today, transaction) { measure, progress in
          try measure.set(progress, to: input)
        }
        let details = EntryWrite(input, picture)
        guard !details.isEmpty else { return entry }
        return try calendars.write(details, picture: picture, goal, today: today, call, transaction)
      })

    serve(IncrementEntry.self, prepare: calendars.prepare) { input, _, call, transaction in
      let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
      return try Entries.change(goal, of: call.account, today: today, transaction) { measure, progress in
        try measure.add(input, to: progress)
      }
    }

    serve(GetEntry.self, prepare: calendars.prepare) { input, _, call, database in
      let goal = try calendars.goal(input.activityID, input.day, call, in: database)
      return try Entries.required(goal, in: database)
    }

    serve(
      EditEntry.self,
      prepare: { input, call in
        try await calendars.prepare(input, call)
        if input.location.value != nil { try await Accounts.catchUp(on: .location, call) }
      },
      write: { input, _, call, transaction in
        let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
        _ = try Entries.required(goal, in: transaction.database)
        if let progress = input.progress {
          _ = try Entries.change(goal, of: call.account, today: today, transaction) { measure, before in
            try measure.set(before, to: progress)
          }
        }
        let details = EntryWrite(comment: input.comment.trimmed, location: input.location)
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

extension AccountCalendars {
  /// What the caller's activity asks for on a day that it names.
  func goal(_ activity: ActivityID, _ day: DayName, _ call: Call, in database: Database) throws -> PlannedGoal {
    let account = try call.account
    let today = try calendar(of: account, in: database).day(of: call.now)
    return try Activities.goal(activity, of: account, on: day.resolved(today: today), in: database)
  }

  /// The same for a write, with the caller's today.
  func goal(
    _ activity: ActivityID, _ day: DayName, _ call: Call, _ transaction: Transaction
  ) throws -> (goal: PlannedGoal, today: LocalDay) {
    let account = try call.account
    let today = try self.today(of: account, transaction)
    return (
      try Activities.goal(activity, of: account, on: day.resolved(today: today), in: transaction.database), today
    )
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
  /// What a form holds beside the progress; a comment of nothing but blanks is none.
  fileprivate init(_ input: RecordEntry.Input, _ picture: Picture?) {
    let comment = input.comment?.trimmed ?? ""
    self.init(
      comment: comment.isEmpty ? .keep : .set(comment), location: input.location.map { .set($0) } ?? .keep,
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
