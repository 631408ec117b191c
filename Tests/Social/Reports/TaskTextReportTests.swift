import IdentityContract
import InProcess
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Reports of task parts and recurring tasks (SOC-8, TASK-1)")
struct TaskTextReportTests {
  /// A daily task of Ana's with Ben, with a part in today's occurrence.
  private func make(
    _ people: Moderating, name: String = "Bins", part: String = "you fool"
  ) async throws -> (series: TaskSeries, part: TaskPart) {
    let services = people.services
    let input = CreateTaskSeries.Input(
      name: try TaskName(text: name), description: try TaskDescription(text: "All of them"), participants: [people.ben.username],
      schedule: .daily)
    let series = try await services.call(CreateTaskSeries.self, input, as: people.ana.caller)
    let task = try #require(try await tasks(people).first)
    let part = try await services.call(
      CreateTaskPart.self,
      .init(
        taskID: task.id, title: TaskName(text: part), description: TaskDescription(text: "The hull"),
        assigneeID: people.ben.account),
      as: people.ana.caller)
    return (series, part)
  }

  /// What Ben sees, the newest first.
  private func tasks(_ people: Moderating) async throws -> [SharedTask] {
    try await people.services.call(ListTasks.self, .init(), as: people.ben.caller).items
  }

  /// The parts of Ben's tasks, as `title: description`, the newest first.
  private func parts(_ people: Moderating) async throws -> [String] {
    var found: [String] = []
    for task in try await tasks(people) {
      found += try await people.services.call(GetTask.self, .init(taskID: task.id), as: people.ben.caller).parts.map {
        "\($0.title): \($0.description?.description ?? "")"
      }
    }
    return found
  }

  @Test("Only participants can report a part and a recurring task, with a copy, and not their own")
  func copies() async throws {
    try await Moderating.running { people in
      let (series, part) = try await make(people)
      for subject in [ReportSubject.taskPart(part.id), .taskSeries(series.id), .taskPart(ID()), .taskSeries(ID())] {
        #expect(try await people.refusal(subject, by: people.eva) == "not_found")
      }
      for subject in [ReportSubject.taskPart(part.id), .taskSeries(series.id)] {
        #expect(try await people.refusal(subject, by: people.ana) == "report_of_oneself")
        #expect(try await people.report(subject, by: people.ben).accountID == people.ana.account)
        #expect(try await people.refusal(subject, by: people.ben) == "already_reported")
      }
      let queue = try await people.queue()
      #expect(queue.map(\.subject) == [.taskPart(part.id), .taskSeries(series.id)])
      #expect(queue.map(\.content?.text) == ["you fool\n\nThe hull", "Bins\n\nAll of them"])
      // Who left it sees it no more.
      let leave = OptOutOfTaskSeries.Input(seriesID: series.id, confirm: true)
      _ = try await people.services.call(OptOutOfTaskSeries.self, leave, as: people.ben.caller)
      try await people.decide(.nothing)
      try await people.decide(.nothing)
      for subject in [ReportSubject.taskPart(part.id), .taskSeries(series.id)] {
        #expect(try await people.refusal(subject, by: people.ben) == "not_found")
      }
    }
  }

  @Test("A part removed by moderators recurs without its text until an appeal is granted, and newer text stays")
  func part() async throws {
    try await Moderating.running { people in
      let services = people.services
      let (_, part) = try await make(people)
      try await services.pass(days: 1)
      #expect(try await parts(people) == ["you fool: The hull", "you fool: The hull"])
      try await people.report(.taskPart(part.id), by: people.ben)
      let decided = try await people.decide(.removed)
      #expect(try await parts(people) == ["Part: ", "Part: "])
      try await services.pass(days: 1)
      #expect(try await parts(people) == ["Part: ", "Part: ", "Part: "])
      let newest = try #require(try await tasks(people).first)
      let details = try await services.call(GetTask.self, .init(taskID: newest.id), as: people.ana.caller)
      let edit = UpdateTaskPart.Input(
        taskID: newest.id, partID: try #require(details.parts.first).id, title: .set(try TaskName(text: "Sand")))
      _ = try await services.call(UpdateTaskPart.self, edit, as: people.ana.caller)
      try await people.grantAppeal(decided.id, of: people.ana)
      #expect(try await parts(people) == ["Sand: ", "you fool: The hull", "you fool: The hull"])
    }
  }

  @Test("A part changed since its report keeps its text, and so does an equal part of somebody else")
  func otherParts() async throws {
    try await Moderating.running { people in
      let services = people.services
      let (_, part) = try await make(people)
      let task = try #require(try await tasks(people).first)
      try await people.report(.taskPart(part.id), by: people.ben)
      let edit = UpdateTaskPart.Input(taskID: task.id, partID: part.id, title: .set(try TaskName(text: "Sand")))
      _ = try await services.call(UpdateTaskPart.self, edit, as: people.ana.caller)
      let decided = try await people.decide(.removed)
      #expect(try await parts(people) == ["Sand: The hull"])
      try await people.grantAppeal(decided.id, of: people.ana)
      #expect(try await parts(people) == ["Sand: The hull"])
    }
  }

  @Test(
    "A recurring task removed by moderators recurs without its text until an appeal is granted, and newer text stays")
  func series() async throws {
    try await Moderating.running { people in
      let services = people.services
      let (series, _) = try await make(people, name: "you fool")
      func texts() async throws -> [String] {
        let shown = try await services.call(GetTaskSeries.self, .init(seriesID: series.id), as: people.ben.caller)
        let all = [(shown.name, shown.description)] + (try await tasks(people)).map { ($0.name, $0.description) }
        return all.map { "\($0): \($1?.description ?? "")" }
      }
      try await people.report(.taskSeries(series.id), by: people.ben)
      let decided = try await people.decide(.removed)
      #expect(try await texts() == ["Task: ", "Task: "])
      try await services.pass(days: 1)
      #expect(try await texts() == ["Task: ", "Task: ", "Task: "])
      // Another schedule is no other text.
      let edit = UpdateTaskSeries.Input(seriesID: series.id, schedule: .set(.weekdays([1, 2, 3, 4, 5, 6, 7])))
      _ = try await services.call(UpdateTaskSeries.self, edit, as: people.ana.caller)
      let newest = try #require(try await tasks(people).first)
      let renamed = UpdateTask.Input(taskID: newest.id, name: .set(try TaskName(text: "Glass")))
      _ = try await services.call(UpdateTask.self, renamed, as: people.ana.caller)
      try await services.pass(days: 1)
      #expect(try await texts() == ["Task: ", "Task: ", "Glass: ", "Task: "])
      try await people.grantAppeal(decided.id, of: people.ana)
      #expect(
        try await texts() == ["you fool: All of them", "you fool: All of them", "Glass: ", "you fool: All of them"])
    }
  }

  @Test("After a task's creator is deleted, the participant who edits it is responsible for its text")
  func heir() async throws {
    try await Moderating.running { people in
      let services = people.services
      let task = try await services.call(
        CreateTask.self,
        .init(name: TaskName(text: "Paint"), participants: [people.ben.username, people.eva.username]), as: people.ana.caller)
      let part = try await services.call(
        CreateTaskPart.self, .init(taskID: task.id, title: TaskName(text: "Sand")), as: people.ana.caller)
      try await services.publish(
        .identity, AccountDeleted(deletionID: AccountDeletionID(), accountID: people.ana.account, at: services.clock.now))
      try await services.hasReceived(.social, of: .identity)
      try await services.store(of: .social).hasErased(people.ana.account)
      let heir = [people.ben, people.eva].sorted { $0.account < $1.account }
      let edit = UpdateTask.Input(taskID: task.id, name: .set(try TaskName(text: "you fool")))
      _ = try await services.call(UpdateTask.self, edit, as: heir[0].caller)
      for subject in [ReportSubject.task(task.id), .taskPart(part.id)] {
        #expect(try await people.report(subject, by: heir[1]).accountID == heir[0].account)
        try await people.decide(.removed)
      }
      let seen = try await services.call(GetTask.self, .init(taskID: task.id), as: heir[1].caller)
      #expect(seen.task.name.description == "Task" && seen.parts.map(\.title.description) == ["Part"])
    }
  }
}
