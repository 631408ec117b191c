import InProcess
import NotificationsContract
import NotificationsService
import Operations
import SocialContract
import SocialService
import Storage

extension ServicesInProcess {
  /// Runs social, and what others make of its events if that is asked for, with so many people.
  static func withPeople<T>(
    _ count: Int, notified: Bool = false, settings: [String: String] = [:], language: Language = .english,
    _ body: (_ services: ServicesInProcess, _ people: [Person]) async throws -> T
  ) async throws -> T {
    let builds: [Build] = [{ Social.service($0) }] + (notified ? [{ try Notifications.service($0) }] : [])
    return try await running(builds, settings: settings) { services in
      var people: [Person] = []
      for _ in 0..<count { people.append(try await services.register(language: language)) }
      try await services.hasReceived(.social, of: .identity)
      return try await body(services, people)
    }
  }

  /// What people are called.
  func usernames(of people: [Person]) throws -> [Username] { try people.map { try identity.username(of: $0.id) } }

  /// A task of one person with others.
  func makeTask(
    _ name: String = "Paint", by person: Person, with others: [Person] = [], description: String? = nil, dueDay: String? = nil,
    key: String? = nil
  ) async throws -> SharedTask {
    try await person.send(
      CreateTask.self,
      .init(
        name: TaskName(text: name), description: try description.map { try TaskDescription(text: $0) },
        participants: try usernames(of: others), dueDay: try dueDay.map { try LocalDay(text: $0) }), key: key)
  }

  /// What a person was notified of, the newest first.
  func notices(of person: Person) async throws -> [NotificationsContract.Notification] {
    try await hasReceived(.notifications, of: .social)
    return try await person.send(ListNotifications.self, .init()).items
  }

  /// What was published last of a task for an account.
  func lastChange(of task: SharedTask, for person: Person) async throws -> TaskChanged? {
    try await published(TaskChanged.self).last { $0.taskID == task.id && $0.accountID == person.id }
  }
}

extension Person {
  /// A task with all that its screen shows.
  func details(of task: SharedTask) async throws -> TaskDetails { try await send(GetTask.self, .init(taskID: task.id)) }

  /// The names of its tasks.
  func tasks(_ state: TaskState? = nil) async throws -> [String] {
    try await send(ListTasks.self, .init(state: state)).items.map(\.name.description)
  }

  @discardableResult
  func confirm(_ task: SharedTask) async throws -> SharedTask {
    try await send(ConfirmTaskCompletion.self, .init(taskID: task.id))
  }

  @discardableResult
  func withdraw(_ task: SharedTask) async throws -> SharedTask {
    try await send(WithdrawTaskCompletion.self, .init(taskID: task.id))
  }

  func optOut(of task: SharedTask) async throws {
    _ = try await send(OptOutOfTask.self, .init(taskID: task.id, confirm: true))
  }

  @discardableResult
  func remove(_ other: Person, from task: SharedTask) async throws -> TaskDetails {
    try await send(RemoveTaskParticipant.self, .init(taskID: task.id, accountID: other.id))
  }

  /// Comments on a task.
  @discardableResult
  func comment(
    _ text: String, on task: SharedTask, about help: TaskHelp? = nil, key: String? = nil
  ) async throws -> TaskComment {
    try await send(
      CreateTaskComment.self, .init(taskID: task.id, text: ChatText(text: text), helpID: help?.id), key: key)
  }

  /// Blocks another.
  func block(_ other: Person) async throws { _ = try await send(CreateBlock.self, .init(accountID: other.id)) }

  /// What each operation on a task comes to for somebody who may not see it: the codes, by the operation's name.
  func refusals(of task: ID<SharedTask>) async throws -> [String: String?] {
    let named = NamedTask(taskID: task)
    return [
      "get": try await failure(GetTask.self, named),
      "edit": try await failure(UpdateTask.self, .init(taskID: task, name: .set(TaskName(text: "Taken")))),
      "cancel": try await failure(CancelTask.self, named),
      "add": try await failure(AddTaskParticipants.self, .init(taskID: task, participants: [])),
      "remove": try await failure(RemoveTaskParticipant.self, .init(taskID: task, accountID: id)),
      "optOut": try await failure(OptOutOfTask.self, .init(taskID: task, confirm: true)),
      "confirm": try await failure(ConfirmTaskCompletion.self, named),
      "withdraw": try await failure(WithdrawTaskCompletion.self, named),
    ]
  }
}
