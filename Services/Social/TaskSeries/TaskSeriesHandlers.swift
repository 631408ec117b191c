import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Recurring tasks: made, listed, shown, edited, ended and left.
struct TaskSeriesHandlers: Sendable {
  let rules: TaskRules
  let series: TaskSeriesStore

  /// Finds the named people, at identity if their events have not arrived yet.
  static func people(_ input: CreateTaskSeries.Input, _ call: AccountCall) async throws -> NamedPeople {
    try await NamedPeople.find(input.participants ?? [], call)
  }

  static func people(_ input: AddTaskSeriesParticipants.Input, _ call: AccountCall) async throws -> NamedPeople {
    try await NamedPeople.find(input.participants, call)
  }

  func create(
    _ input: CreateTaskSeries.Input, _ people: NamedPeople, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TaskSeries {
    let (account, database) = (call.account, transaction.database)
    let (named, problems) = try people.enrolling(by: account, at: transaction.now, database)
    let today = try series.calendars.today(of: account, transaction)
    let startDay = input.startDay ?? today
    var findings = FieldFindings(input.found.with(problems))
    if startDay < today, input.found.areRight("startDay") {
      findings.add("startDay", FieldRule("before_today", ["day": .text(today.description)]))
    } else if let endDay = input.endDay, endDay < startDay, input.found.areRight("startDay", "endDay") {
      findings.add("endDay", PlannableDays.mayNotEndBefore(startDay))
    }
    let planned = PlannedDays(input.schedule, anchor: startDay)
    var next: LocalDay?
    if input.found.areRight("schedule", "startDay", "endDay") {
      next = TaskSeriesRules.firstDay(planned, from: startDay, until: input.endDay)
      if next == nil, findings.problems.isEmpty { findings.add("schedule", FieldRule("no_planned_day")) }
    }
    try findings.end()
    let members = try input.teamID.map { try TeamTaskStore.enrolled(in: $0, by: account, at: transaction.now, database) } ?? []
    let others = members + named.filter { !members.contains($0) }
    guard let next, others.count < TaskRules.maxParticipants else { throw TaskParticipantRules.tooMany }
    guard try TaskSeriesStore.countActive(by: account, in: database) < TaskSeriesRules.maxActive else {
      throw TaskSeriesFailure.tooMany.with(["max": .number(TaskSeriesRules.maxActive)])
    }
    let terms = TaskSeriesTerms(
      text: TaskText(name: input.name, description: input.description, dueDay: nil),
      planned: planned, endDay: input.endDay)
    try checkSpace(of: account, adding: terms.text.bytes, database)
    let id = try series.add(terms, from: startDay, next: next, by: account, with: others, of: input.teamID, transaction)
    return try TaskSeriesStore.view(id, for: account, in: database)
  }

  private func checkSpace(of account: AccountID, adding added: Int, _ database: Database) throws {
    try rules.checkSpace(stored: TaskSpaceStore.bytes(of: account, in: database), adding: added)
  }

  static func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<TaskSeries> {
    try TaskSeriesStore.list(for: call.account, call.page(input), in: database)
  }

  static func get(_ input: NamedTaskSeries, _ call: AccountCall, _ database: Database) throws -> TaskSeries {
    try TaskSeriesStore.view(input.seriesID, for: call.account, in: database)
  }

  func update(_ input: UpdateTaskSeries.Input, _ call: AccountCall, _ transaction: Transaction) throws -> TaskSeries {
    let (account, database) = (call.account, transaction.database)
    let stored = try TaskSeriesStore.find(input.seriesID, madeBy: account, in: database)
    guard stored.nextDay != nil else { throw TaskSeriesFailure.ended }
    let (old, today) = (stored.terms, try series.calendars.today(of: account, transaction))
    let schedule = input.schedule.applied(to: old.planned.schedule)
    // A schedule that stays the same counts on as before.
    let isSame = PlannedDays(schedule, anchor: old.planned.anchor) == old.planned
    let terms = TaskSeriesTerms(
      text: TaskText(
        name: input.name.applied(to: old.text.name), description: input.description.applied(to: old.text.description),
        dueDay: nil),
      planned: isSame ? old.planned : PlannedDays(schedule, anchor: max(stored.startDay, today)),
      endDay: input.endDay.applied(to: old.endDay))
    if let endDay = terms.endDay, endDay < stored.startDay {
      throw Failure.field("endDay", PlannableDays.mayNotEndBefore(stored.startDay))
    }
    if terms != old {
      try checkSpace(of: account, adding: terms.text.bytes - old.text.bytes, database)
      try series.edit(stored, terms, today: today, transaction)
      // A last day that is over ends it.
      if try TaskSeriesStore.find(stored.id, madeBy: account, in: database).nextDay == nil {
        try TaskSeriesStore.notifyEnd(of: stored, by: account, transaction)
      }
    }
    return try TaskSeriesStore.view(stored.id, for: account, in: database)
  }

  static func end(_ input: NamedTaskSeries, _ call: AccountCall, _ transaction: Transaction) throws -> TaskSeries {
    let stored = try TaskSeriesStore.find(input.seriesID, madeBy: call.account, in: transaction.database)
    if stored.nextDay != nil { try TaskSeriesStore.end(stored, by: call.account, transaction) }
    return try TaskSeriesStore.view(stored.id, for: call.account, in: transaction.database)
  }

  static func optOut(_ input: OptOutOfTaskSeries.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let stored = try TaskSeriesStore.find(input.seriesID, for: call.account, in: transaction.database)
    guard stored.creator != call.account else { throw TaskSeriesFailure.creatorStays }
    try TaskSeriesStore.leave(stored, call.account, by: call.account, transaction)
    return Empty()
  }

  static func addParticipants(
    _ input: AddTaskSeriesParticipants.Input, _ people: NamedPeople, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TaskSeries {
    let (account, database) = (call.account, transaction.database)
    try input.found.require("seriesID")
    let stored = try TaskSeriesStore.find(input.seriesID, madeBy: account, in: database)
    let (others, problems) = try people.enrolling(by: account, at: transaction.now, database) {
      try TaskSeriesStore.hasOptedOut($0, of: stored.id, in: database)
    }
    try FieldFindings(input.found.with(problems)).end()
    guard stored.nextDay != nil else { throw TaskSeriesFailure.ended }
    let present = Set(try TaskSeriesStore.accounts(of: stored.id, in: database))
    let added = others.filter { !present.contains($0) }
    guard present.count + added.count <= TaskRules.maxParticipants else { throw TaskParticipantRules.tooMany }
    try TaskSeriesStore.enrol(added, in: stored, by: account, transaction)
    return try TaskSeriesStore.view(stored.id, for: account, in: database)
  }

  static func removeParticipant(
    _ input: RemoveTaskSeriesParticipant.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TaskSeries {
    let (account, database) = (call.account, transaction.database)
    let stored = try TaskSeriesStore.find(input.seriesID, madeBy: account, in: database)
    guard input.accountID != account else { throw TaskSeriesFailure.creatorStays }
    guard try TaskSeriesStore.accounts(of: stored.id, in: database).contains(input.accountID) else {
      throw Failure(RequestFailure.notFound)
    }
    try TaskSeriesStore.leave(stored, input.accountID, by: account, transaction)
    return try TaskSeriesStore.view(stored.id, for: account, in: database)
  }
}
