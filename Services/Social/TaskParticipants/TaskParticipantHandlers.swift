import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The participants of tasks: enrolled, removed, opted out.
struct TaskParticipantHandlers: Sendable {
  let completions: TaskCompletionWriter
  let links: TaskLinkKeys

  /// Finds the named people, at identity if their events have not arrived yet.
  static func people(_ input: AddTaskParticipants.Input, _ call: AccountCall) async throws -> NamedPeople {
    try await NamedPeople.find(input.participants, call)
  }

  func add(
    _ input: AddTaskParticipants.Input, _ people: NamedPeople, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TaskDetails {
    let (account, database) = (call.account, transaction.database)
    try input.found.require("taskID")
    let task = try TaskStore.find(input.taskID, answeredForBy: account, in: database)
    let (others, problems) = try people.enrolling(by: account, at: transaction.now, database) {
      try TaskParticipantStore.hasOptedOut($0, of: task.id, in: database)
    }
    try FieldFindings(input.found.with(problems)).end()
    try TaskRules.expectOpen(task.state)
    let present = Set(try TaskParticipantStore.accounts(of: task.id, in: database))
    let added = others.filter { !present.contains($0) }
    guard present.count + added.count <= TaskRules.maxParticipants else { throw TaskParticipantRules.tooMany }
    if !added.isEmpty { try TaskStore.enrol(added, in: task.id, task.sequence, task.text.name, by: account, transaction) }
    return try TaskStore.details(task.id, for: account, links, in: database)
  }

  func remove(
    _ input: RemoveTaskParticipant.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TaskDetails {
    let database = transaction.database
    let task = try TaskStore.find(input.taskID, answeredForBy: call.account, in: database)
    guard let participant = try TaskParticipantStore.find(task.id, input.accountID, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    try TaskRules.expectOpen(task.state)
    try TaskParticipantRules.checkRemoval(
      isCreator: input.accountID == call.account, isConfirmed: participant.confirmedAt != nil)
    try TaskParticipantStore.leave(task.id, input.accountID, by: call.account, isRemoval: true, transaction)
    try TaskStore.notify(input.accountID, of: .removed, task.id, task.text.name, by: call.account, transaction)
    return try TaskStore.details(task.id, for: call.account, links, in: database)
  }

  func optOut(_ input: OptOutOfTask.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let (task, participant) = try TaskStore.find(input.taskID, for: call.account, in: transaction.database)
    try TaskRules.expectOpen(task.state)
    guard task.creator != call.account else { throw TaskFailure.creatorStays }
    if participant.confirmedAt != nil { try completions.write(.withdrawn, of: call.account, in: task, transaction) }
    try TaskParticipantStore.leave(task.id, call.account, by: call.account, transaction)
    if let responsible = try TaskStore.responsible(for: task, in: transaction.database) {
      try TaskStore.notify(responsible, of: .optedOut, task.id, task.text.name, by: call.account, transaction)
    }
    return Empty()
  }
}
