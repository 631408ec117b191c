import InProcess
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Tasks of a deleted creator, and due days (TASK-1, TASK-3)")
struct TaskResponsibilityTests {
  @Test("After its creator is deleted, the longest participant can edit a task, enrol and remove others, and cancel it")
  func longest() async throws {
    try await ServicesInProcess.withPeople(4) { services, people in
      let (ana, ben, eva, mia) = (people[0], people[1], people[2], people[3])
      let task = try await services.makeTask(by: ana, with: [ben])
      services.clock.advance(seconds: 60)
      _ = try await ana.send(AddTaskParticipants.self, .init(taskID: task.id, participants: try services.usernames(of: [eva])))
      #expect(try await ana.details(of: task).task.canEdit)
      #expect(try await !ben.details(of: task).task.canEdit)
      #expect(try await ben.failure(CancelTask.self, .init(taskID: task.id)) == "forbidden")
      try await services.delete(ana, receivedBy: .social)
      let seen = try await ben.details(of: task).task
      #expect(seen.canEdit && !seen.isCreator && seen.creator == nil)
      #expect(try await !eva.details(of: task).task.canEdit)
      #expect(try await ben.send(ListTasks.self, .init()).items.map(\.canEdit) == [true])
      let name = try TaskName(text: "Varnish")
      #expect(try await eva.failure(UpdateTask.self, .init(taskID: task.id, name: .set(name))) == "forbidden")
      #expect(try await ben.send(UpdateTask.self, .init(taskID: task.id, name: .set(name))).name == name)
      _ = try await ben.send(AddTaskParticipants.self, .init(taskID: task.id, participants: try services.usernames(of: [mia])))
      try await ben.remove(mia, from: task)

      // The next one follows, when that one leaves.
      try await ben.optOut(of: task)
      #expect(try await eva.details(of: task).task.canEdit)
      #expect(try await eva.send(CancelTask.self, .init(taskID: task.id)).state == .cancelled)
    }
  }

  @Test("A deleted creator's task can be completed by the others, and ends when the last one opts out")
  func others() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let (task, other) = (
        try await services.makeTask(by: ana, with: [ben, eva]), try await services.makeTask("Sail", by: ana, with: [ben, eva])
      )
      try await services.delete(ana, receivedBy: .social)
      try await ben.confirm(task)
      #expect(try await eva.confirm(task).state == .completed)
      try await ben.optOut(of: other)
      try await eva.optOut(of: other)
      #expect(try await services.store(of: .social).rows("tasks") == 1)
    }
  }

  @Test("A due day that is too early or too late is refused with field and rule, for a new and for an edited task")
  func dueDay() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      for day in ["2026-11-19", "2036-11-22", "9999-12-31"] {
        let input = CreateTask.Input(name: try TaskName(text: "Paint"), dueDay: try LocalDay(text: day))
        #expect(try await people[0].refusedFields(CreateTask.self, input) == ["dueDay due_day_out_of_range"])
      }
      #expect(try await people[0].tasks().isEmpty)
      let task = try await services.makeTask(by: people[0], dueDay: "2026-11-20")
      let input = UpdateTask.Input(taskID: task.id, dueDay: .set(try LocalDay(text: "2026-11-19")))
      #expect(try await people[0].refusedFields(UpdateTask.self, input) == ["dueDay due_day_out_of_range"])
      // What stands there already does not keep other things from being changed.
      services.clock.advance(days: 2)
      let edited = try await people[0].send(
        UpdateTask.self,
        .init(taskID: task.id, name: .set(TaskName(text: "Varnish")), dueDay: .set(LocalDay(text: "2026-11-20"))))
      #expect(edited.name.description == "Varnish" && edited.dueDay == task.dueDay)
    }
  }
}
