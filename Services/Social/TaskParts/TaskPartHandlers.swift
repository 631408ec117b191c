import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Parts of tasks: made, edited, assigned, removed, marked as done.
struct TaskPartHandlers: Sendable {
  let rules: TaskRules

  func create(_ input: CreateTaskPart.Input, _ call: AccountCall, _ transaction: Transaction) throws -> TaskPart {
    let (account, database) = (call.account, transaction.database)
    let task = try Self.openTask(input.taskID, madeBy: account, in: database)
    guard try TaskPartStore.count(of: task.id, in: database) < TaskPartRules.maxParts else {
      throw TaskPartFailure.tooMany.with(["max": .number(TaskPartRules.maxParts)])
    }
    try Self.checkAssignee(input.assigneeID, in: task.id, database)
    let text = TaskPartText(title: input.title, description: input.description)
    try rules.checkSpace(stored: TaskSpaceStore.bytes(of: account, in: database), adding: text.bytes)
    let id = try TaskPartStore.add(text, to: task, assignee: input.assigneeID, by: account, transaction)
    return try TaskPartStore.view(id, of: task.id, for: account, in: database)
  }

  func update(_ input: UpdateTaskPart.Input, _ call: AccountCall, _ transaction: Transaction) throws -> TaskPart {
    let (account, database) = (call.account, transaction.database)
    let task = try Self.openTask(input.taskID, madeBy: account, in: database)
    let part = try TaskPartStore.find(input.partID, of: task.id, in: database)
    let text = TaskPartText(
      title: input.title.applied(to: part.text.title), description: input.description.applied(to: part.text.description))
    let assignee = input.assigneeID.applied(to: part.assignee)
    if assignee != part.assignee { try Self.checkAssignee(assignee, in: task.id, database) }
    try rules.checkSpace(
      stored: TaskSpaceStore.bytes(of: account, in: database), adding: text.bytes - part.text.bytes)
    if text != part.text || assignee != part.assignee {
      try TaskPartStore.edit(part, of: task, text, assignee: assignee, by: account, transaction)
    }
    return try TaskPartStore.view(part.id, of: task.id, for: account, in: database)
  }

  static func remove(_ input: NamedTaskPart, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let task = try openTask(input.taskID, madeBy: call.account, in: transaction.database)
    let part = try TaskPartStore.find(input.partID, of: task.id, in: transaction.database)
    try TaskPartStore.remove(part.id, of: task.id, transaction)
    return Empty()
  }

  static func complete(_ input: NamedTaskPart, _ call: AccountCall, _ transaction: Transaction) throws -> TaskPart {
    try setDone(true, input, call, transaction)
  }

  static func reopen(_ input: NamedTaskPart, _ call: AccountCall, _ transaction: Transaction) throws -> TaskPart {
    try setDone(false, input, call, transaction)
  }

  private static func setDone(
    _ isDone: Bool, _ input: NamedTaskPart, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TaskPart {
    let (account, database) = (call.account, transaction.database)
    let task = try TaskStore.find(input.taskID, for: account, in: database).task
    let part = try TaskPartStore.find(input.partID, of: task.id, in: database)
    guard TaskPartRules.mayComplete(account, assignee: part.assignee) else { throw Failure(RequestFailure.forbidden) }
    try TaskRules.expectOpen(task.state)
    if part.isDone != isDone { try TaskPartStore.setDone(isDone, part.id, of: task.id, by: account, transaction) }
    return try TaskPartStore.view(part.id, of: task.id, for: account, in: database)
  }

  private static func openTask(
    _ id: ID<SharedTask>, madeBy account: AccountID, in database: Database
  ) throws -> TaskStore.Stored {
    let task = try TaskStore.find(id, answeredForBy: account, in: database)
    try TaskRules.expectOpen(task.state)
    return task
  }

  private static func checkAssignee(_ assignee: AccountID?, in task: ID<SharedTask>, _ database: Database) throws {
    guard let assignee, try TaskParticipantStore.find(task, assignee, in: database) == nil else { return }
    throw Failure.field("assigneeID", FieldRule("not_a_participant"))
  }
}
