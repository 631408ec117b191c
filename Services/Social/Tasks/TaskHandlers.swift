import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Tasks: made, listed, shown, edited and cancelled.
struct TaskHandlers: Sendable {
  let rules: TaskRules
  let completions: TaskCompletionWriter
  let links: TaskLinkKeys
  private let words = Words(Contract.social.words)

  init(rules: TaskRules, completions: TaskCompletionWriter, links: TaskLinkKeys) {
    self.rules = rules
    self.completions = completions
    self.links = links
  }

  /// Finds the named people, at identity if their events have not arrived yet.
  static func people(_ input: CreateTask.Input, _ call: AccountCall) async throws -> NamedPeople {
    try await NamedPeople.find(input.participants ?? [], call)
  }

  func create(
    _ input: CreateTask.Input, _ people: NamedPeople, _ call: AccountCall, _ transaction: Transaction
  ) throws -> SharedTask {
    let (account, database) = (call.account, transaction.database)
    let (named, problems) = try people.enrolling(by: account, at: transaction.now, database)
    let rule = TaskRules.brokenRule(ofDueDay: input.dueDay, createdAt: transaction.now, now: transaction.now)
    try FieldFindings(input.found.with(problems + (rule.map { [FieldProblem(field: "dueDay", $0)] } ?? []))).end()
    let members = try input.teamID.map { try TeamTaskStore.enrolled(in: $0, by: account, at: transaction.now, database) } ?? []
    let others = members + named.filter { !members.contains($0) }
    guard others.count < TaskRules.maxParticipants else { throw TaskParticipantRules.tooMany }
    guard try TaskStore.countOpen(by: account, in: database) < TaskRules.maxOpen else {
      throw TaskFailure.tooMany.with(["max": .number(TaskRules.maxOpen)])
    }
    if let team = input.teamID { try TeamTaskStore.checkCount(of: team, in: database) }
    let text = TaskText(name: input.name, description: input.description, dueDay: input.dueDay)
    try rules.checkSpace(stored: TaskSpaceStore.bytes(of: account, in: database), adding: text.bytes)
    let id = try TaskStore.add(text, by: account, with: others, as: TaskOrigin(team: input.teamID), transaction)
    return try TaskStore.view(id, for: account, in: database)
  }

  func list(_ input: ListTasks.Input, _ call: AccountCall, _ database: Database) throws -> ListTasks.Output {
    let page = try TaskStore.list(for: call.account, state: input.state, call.page(input), in: database)
    guard page.items.isEmpty else { return ListTasks.Output(page) }
    let key = input.state.map { "tasks.empty.\($0)" } ?? "tasks.empty"
    return ListTasks.Output(page, message: words.text(key, call.language))
  }

  func get(_ input: NamedTask, _ call: AccountCall, _ database: Database) throws -> TaskDetails {
    try TaskStore.details(input.taskID, for: call.account, links, in: database)
  }

  func update(_ input: UpdateTask.Input, _ call: AccountCall, _ transaction: Transaction) throws -> SharedTask {
    let (account, database) = (call.account, transaction.database)
    let task = try TaskStore.find(input.taskID, answeredForBy: account, in: database)
    try TaskRules.expectOpen(task.state)
    let text = TaskText(
      name: input.name.applied(to: task.text.name), description: input.description.applied(to: task.text.description),
      dueDay: input.dueDay.applied(to: task.text.dueDay))
    if text.dueDay != task.text.dueDay,
      let rule = TaskRules.brokenRule(ofDueDay: text.dueDay, createdAt: task.createdAt, now: transaction.now)
    {
      throw Failure.field("dueDay", rule)
    }
    if text != task.text {
      try rules.checkSpace(
        stored: TaskSpaceStore.bytes(of: account, in: database), adding: text.bytes - task.text.bytes)
      // What moderators removed before does not come back in its place.
      try ModerationCaseStore.forgetRemoved(.task(task.id), transaction)
      try TaskStore.edit(task.id, text, transaction)
    }
    return try TaskStore.view(task.id, for: account, in: database)
  }

  func cancel(_ input: NamedTask, _ call: AccountCall, _ transaction: Transaction) throws -> SharedTask {
    let task = try TaskStore.find(input.taskID, answeredForBy: call.account, in: transaction.database)
    if try TaskRules.isCancelled(task.state) {
      try completions.cancel(task, transaction)
      try TaskStore.cancel(task, by: call.account, transaction)
    }
    return try TaskStore.view(task.id, for: call.account, in: transaction.database)
  }
}
