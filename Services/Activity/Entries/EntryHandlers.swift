import ActivityContract
import GRDB
import IdentityContract
import Images
import Operations
import ServiceKit
import Storage

/// Entries: recorded, read, changed and deleted.
struct EntryHandlers: Sendable {
  let calendars: AccountCalendars
  let pictures: PictureProcessor

  /// What is known of an entry's form before the transaction.
  struct Form: Sendable {
    var findings: FieldFindings
    var picture: Picture?
  }

  func prepareForm(_ input: RecordEntry.Input, _ call: AccountCall) async throws -> Form {
    try await prepare(input, call) { _, _ in }
  }

  func prepareNewForm(_ input: CreateEntry.Input, _ call: AccountCall) async throws -> Form {
    try await prepare(input, call, unless: EntryHandlers.expectNone)
  }

  /// Decodes the picture of a form.
  ///
  /// - Parameter refused: throws where nothing may be written on the form's day.
  private func prepare(
    _ input: RecordEntry.Input, _ call: AccountCall,
    unless refused: @escaping @Sendable (PlannedGoal, Database) throws -> Void
  ) async throws -> Form {
    try input.found.require("activityID", "day")
    if input.location != nil { try await Accounts.catchUp(on: .location, call) }
    var form = Form(findings: FieldFindings(input.found))
    guard let photo = input.photo, input.found.areRight("photo") else { return form }
    // Without such an activity, or with an existing entry, no picture is decoded.
    try await call.read { try refused(calendars.goal(input.activityID, input.day, call, in: $0), $0) }
    form.picture = try await form.findings.gather(awaiting: {
      try await pictures.picture(photo.bytes, field: "photo", of: call.account)
    })
    return form
  }

  func record(_ input: RecordEntry.Input, _ form: Form, _ call: AccountCall, _ transaction: Transaction) throws -> Entry {
    let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
    return try EntryHandlers.write(input, form, goal, today: today, call.account, transaction)
  }

  func create(_ input: CreateEntry.Input, _ form: Form, _ call: AccountCall, _ transaction: Transaction) throws -> Entry {
    let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
    try EntryHandlers.expectNone(goal, in: transaction.database)
    return try EntryHandlers.write(input, form, goal, today: today, call.account, transaction)
  }

  @Sendable
  private static func expectNone(_ goal: PlannedGoal, in database: Database) throws {
    guard try EntryStore.find(goal.activity, goal.day, in: database) != nil else { return }
    throw EntryFailure.exists.with(["day": .text(goal.day.description)])
  }

  private static func write(
    _ input: RecordEntry.Input, _ form: Form, _ goal: PlannedGoal, today: LocalDay, _ account: AccountID,
    _ transaction: Transaction
  ) throws -> Entry {
    var findings = form.findings
    var entry: StoredEntry?
    if input.found.areRight("isDone", "amount", "durationSeconds") {
      entry = try findings.gather {
        try EntryStore.change(goal, of: account, today: today, transaction) { measure, progress in
          try measure.set(progress ?? 0, to: input)
        }
      }
    }
    try findings.end()
    guard let entry else { throw EntryFailure.notFound }
    let details = EntryWrite(input, form.picture)
    if details.isEmpty { return entry.entry(of: goal) }
    return try EntryStore.writeDetails(
      details, picture: form.picture, over: entry, goal, of: account, today: today, transaction)
  }

  func increment(_ input: IncrementEntry.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Entry {
    let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
    return try EntryStore.change(goal, of: call.account, today: today, transaction) { measure, progress in
      let sum = try measure.add(input, to: progress ?? 0)
      // Subtracting from a day without an entry records nothing: an entry of 0 would prevent a new one from being created.
      return progress == nil && sum == 0 ? nil : sum
    }.entry(of: goal)
  }

  func get(_ input: GetEntry.Input, _ call: AccountCall, _ database: Database) throws -> Entry {
    let goal = try calendars.goal(input.activityID, input.day, call, in: database)
    return try EntryStore.required(goal, in: database).entry(of: goal)
  }

  func prepareEdit(_ input: UpdateEntry.Input, _ call: AccountCall) async throws {
    try input.found.require("activityID", "day")
    if input.location.value != nil { try await Accounts.catchUp(on: .location, call) }
  }

  func update(_ input: UpdateEntry.Input, _ prepared: Void, _ call: AccountCall, _ transaction: Transaction) throws -> Entry {
    let (goal, today) = try calendars.goal(input.activityID, input.day, call, transaction)
    var entry = try EntryStore.required(goal, in: transaction.database)
    var findings = FieldFindings(input.found)
    if let progress = input.progress, input.found.areRight("isDone", "amount", "durationSeconds") {
      try findings.gather {
        entry = try EntryStore.change(goal, of: call.account, today: today, transaction) { measure, before in
          try measure.set(before ?? 0, to: progress)
        }
      }
    }
    try findings.end()
    let details = EntryWrite(comment: input.comment, location: input.location)
    return try EntryStore.writeDetails(details, over: entry, goal, of: call.account, today: today, transaction)
  }

  func delete(_ input: DeleteEntry.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    // Another account's activity is not found.
    let (goal, _) = try calendars.goal(input.activityID, input.day, call, transaction)
    if let entry = try EntryStore.find(goal.activity, goal.day, in: transaction.database) {
      try EntryStore.write(.deletion, over: entry, goal, of: call.account, transaction)
    }
    return Empty()
  }
}

extension EntryWrite {
  /// The details of a form besides the progress; fields that are left out keep their values.
  fileprivate init(_ input: RecordEntry.Input, _ picture: Picture?) {
    self.init(
      comment: input.comment.map { .set($0) } ?? .keep, location: input.location.map { .set($0) } ?? .keep,
      photo: picture.map { .set($0.tag) } ?? .keep)
  }
}

extension UpdateEntry.Input {
  /// The edit's progress; nil where it has none.
  fileprivate var progress: RecordEntry.Input? {
    guard isDone != .keep || amount != .keep || durationSeconds != .keep else { return nil }
    return RecordEntry.Input(
      activityID: activityID, day: day, isDone: isDone.value, amount: amount.value, durationSeconds: durationSeconds.value)
  }
}
