import IdentityContract
import InProcess
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Moderation of tasks and their public pages (SOC-8, TASK-6)")
struct TaskLinkReportTests {
  /// A task of Ana's that she and Ben have completed, with Ben's public link to it.
  private func complete(_ people: Moderating) async throws -> (task: SharedTask, link: TaskLink) {
    let services = people.services
    let task = try await services.call(
      CreateTask.self,
      .init(
        name: TaskName(text: "Paint"), description: TaskDescription(text: "you fool"), participants: [people.ben.username]),
      as: people.ana.caller)
    for person in [people.ana, people.ben] {
      _ = try await services.call(ConfirmTaskCompletion.self, .init(taskID: task.id), as: person.caller)
    }
    return (task, try await services.call(CreateTaskLink.self, .init(taskID: task.id), as: people.ben.caller))
  }

  private func isOpen(_ link: TaskLink, _ people: Moderating) async throws -> Bool {
    let anybody = Caller(kind: .anonymous)
    return try await people.services.refusal(GetPublicTask.self, .init(key: link.key), as: anybody) == nil
  }

  @Test(
    "A public page can be reported by its link without revealing its owner; moderators close it, and an appeal reopens it"
  )
  func page() async throws {
    try await Moderating.running { people in
      let services = people.services
      let (task, link) = try await complete(people)
      let seen = try await services.call(GetPublicTask.self, .init(key: link.key), as: Caller(kind: .anonymous))
      #expect(seen.taskLinkID == link.id)
      #expect(try await people.refusal(.taskLink(ID()), by: people.eva) == "not_found")
      #expect(try await people.refusal(.taskLink(link.id), by: people.ben) == "report_of_oneself")
      let report = try await people.report(.taskLink(link.id), by: people.eva)
      #expect(report.accountID == nil && report.username == nil && report.subject == .taskLink(link.id))
      let waiting = try #require(try await people.queue(.taskLink).first)
      #expect(waiting.accountID == people.ben.account && waiting.content?.text == "Paint")
      let decided = try await people.decide(.removed)
      #expect(try await !isOpen(link, people))
      let create = CreateTaskLink.Input(taskID: task.id)
      #expect(try await services.refusal(CreateTaskLink.self, create, as: people.ben.caller) == "task_link_closed")
      #expect(try await services.call(ListTaskLinks.self, .init(), as: people.ben.caller).items.map(\.isClosed) == [true])
      // Others have links of their own.
      let other = try await services.call(CreateTaskLink.self, create, as: people.ana.caller)
      #expect(try await isOpen(other, people))
      try await people.grantAppeal(decided.id, of: people.ben)
      #expect(try await isOpen(link, people))
    }
  }

  @Test("A task removed by moderators has no name, description or public page until an appeal is granted")
  func task() async throws {
    try await Moderating.running { people in
      let services = people.services
      let (task, link) = try await complete(people)
      try await people.report(.task(task.id), by: people.ben)
      let decided = try await people.decide(.removed)
      func shown() async throws -> SharedTask {
        try await services.call(GetTask.self, .init(taskID: task.id), as: people.ben.caller).task
      }
      let neutral = try await shown()
      #expect(neutral.name.description == "Task" && neutral.description == nil && neutral.state == .completed)
      #expect(try await !isOpen(link, people))
      let create = CreateTaskLink.Input(taskID: task.id)
      #expect(try await services.refusal(CreateTaskLink.self, create, as: people.ana.caller) == "task_link_closed")
      try await people.grantAppeal(decided.id, of: people.ana)
      let again = try await shown()
      #expect(again.name == task.name && again.description == task.description)
      #expect(try await isOpen(link, people))
    }
  }

  @Test("A task edited since its report or its removal keeps its texts")
  func edited() async throws {
    try await Moderating.running { people in
      let services = people.services
      let task = try await services.call(
        CreateTask.self, .init(name: TaskName(text: "you fool"), participants: [people.ben.username]), as: people.ana.caller)
      func edit(_ name: String) async throws {
        let input = UpdateTask.Input(taskID: task.id, name: .set(try TaskName(text: name)))
        _ = try await services.call(UpdateTask.self, input, as: people.ana.caller)
      }
      func name() async throws -> String {
        try await services.call(GetTask.self, .init(taskID: task.id), as: people.ben.caller).task.name.description
      }
      try await people.report(.task(task.id), by: people.ben)
      try await edit("Paint")
      try await people.decide(.removed)
      #expect(try await name() == "Paint")
      try await edit("you fool")
      try await people.report(.task(task.id), by: people.ben)
      let decided = try await people.decide(.removed)
      #expect(try await name() == "Task")
      try await edit("Draw")
      try await people.grantAppeal(decided.id, of: people.ana)
      #expect(try await name() == "Draw")
    }
  }

  @Test("The public page of a banned account is closed, whatever was reported", arguments: [true, false])
  func banned(isCreator: Bool) async throws {
    try await Moderating.running { people in
      let services = people.services
      let (_, link) = try await complete(people)
      let accused = isCreator ? people.ana : people.ben
      try await people.report(.account(accused.account), by: people.eva)
      try await people.decide(.banned)
      var event = accused.event
      (event.suspendedUntil, event.revision) = (.endOfTime, event.revision + 1)
      try await services.publish(.identity, event)
      try await services.hasReceived(.social, of: .identity)
      #expect(try await !isOpen(link, people))
    }
  }
}
