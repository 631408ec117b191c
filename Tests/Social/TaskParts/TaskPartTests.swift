import IdentityContract
import InProcess
import NotificationsContract
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Parts of tasks, assigned to one participant or to none (TASK-1)")
struct TaskPartTests {
  @Test(
    "A part's assignee is notified and marks it as done alone, and an unassigned one can be done by any participant")
  func assigned() async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let sand = try await ana.send(
        CreateTaskPart.self,
        .init(
          taskID: task.id, title: TaskName(text: "Sand"), description: TaskDescription(text: "The hull"), assigneeID: ben.id))
      let sweep = try await ana.send(CreateTaskPart.self, .init(taskID: task.id, title: TaskName(text: "Sweep")))
      #expect(sand.assignee?.accountID == ben.id && !sand.canComplete && sweep.canComplete && sweep.assignee == nil)
      let named = NamedTaskPart(taskID: task.id, partID: sand.id)
      for other in [ana, eva] { #expect(try await other.failure(CompleteTaskPart.self, named) == "forbidden") }
      let done = try await ben.send(CompleteTaskPart.self, named)
      #expect(done.doneBy?.accountID == ben.id && done.doneAt != nil && done.canComplete)
      #expect(try await ben.send(CompleteTaskPart.self, named) == done)
      #expect(try await eva.send(CompleteTaskPart.self, .init(taskID: task.id, partID: sweep.id)).doneBy?.accountID == eva.id)
      let parts = try await ana.details(of: task).parts
      #expect(parts.map(\.title.description) == ["Sand", "Sweep"] && parts.map(\.doneBy?.accountID) == [ben.id, eva.id])
      #expect(try await ben.send(ReopenTaskPart.self, named).doneAt == nil)
      let notices = try await services.notices(of: ben).filter { $0.kind.rawValue == "taskPartAssigned" }
      #expect(notices.count == 1 && notices.first?.text.contains("Sand") == true)
      #expect(try await !services.notices(of: eva).map(\.kind.rawValue).contains("taskPartAssigned"))
    }
  }

  @Test("Only a task's creator can add, change, assign and remove parts, to participants, while it is open")
  func permissions() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben])
      let create = CreateTaskPart.Input(taskID: task.id, title: try TaskName(text: "Sand"))
      let part = try await ana.send(CreateTaskPart.self, create)
      let named = NamedTaskPart(taskID: task.id, partID: part.id)
      let edit = UpdateTaskPart.Input(taskID: task.id, partID: part.id, assigneeID: .set(ben.id))
      for (person, code) in [(ben, "forbidden"), (eva, "not_found")] {
        #expect(try await person.failure(CreateTaskPart.self, create) == code)
        #expect(try await person.failure(UpdateTaskPart.self, edit) == code)
        #expect(try await person.failure(DeleteTaskPart.self, named) == code)
      }
      #expect(try await eva.failure(CompleteTaskPart.self, named) == "not_found")
      let stranger = UpdateTaskPart.Input(taskID: task.id, partID: part.id, assigneeID: .set(eva.id))
      #expect(try await ana.failure(UpdateTaskPart.self, stranger) == "invalid_fields")
      #expect(try await ana.send(UpdateTaskPart.self, edit).assignee?.accountID == ben.id)
      let another = try await services.makeTask(by: ana)
      let elsewhere = NamedTaskPart(taskID: another.id, partID: part.id)
      #expect(try await ana.failure(DeleteTaskPart.self, elsewhere) == "not_found")
      let bare = UpdateTaskPart.Input(
        taskID: task.id, partID: part.id, title: .set(try TaskName(text: "Scrape")), assigneeID: .set(nil))
      let changed = try await ana.send(UpdateTaskPart.self, bare)
      #expect(changed.title.description == "Scrape" && changed.assignee == nil)
      _ = try await ana.send(DeleteTaskPart.self, named)
      #expect(try await ben.details(of: task).parts.isEmpty)
      for _ in 0..<TaskPartRules.maxParts { _ = try await ana.send(CreateTaskPart.self, create) }
      #expect(try await ana.failure(CreateTaskPart.self, create) == "too_many_task_parts")
      for person in [ana, ben] { try await person.confirm(task) }
      #expect(try await ana.failure(CreateTaskPart.self, create) == "task_completed")
    }
  }

  @Test("Assigning parts to and from a participant repeatedly notifies it a limited number of times a day")
  func flood() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let part = try await ana.send(CreateTaskPart.self, .init(taskID: task.id, title: TaskName(text: "Sand")))
      func assign(_ person: Person?) async throws {
        _ = try await ana.send(
          UpdateTaskPart.self, .init(taskID: task.id, partID: part.id, assigneeID: .set(person?.id)))
      }
      func notices() async throws -> Int {
        try await services.published(TaskNoticeCreated.self).count { $0.accountID == ben.id }
      }
      for _ in 0..<TaskRules.maxNotices + 5 {
        try await assign(ben)
        try await assign(nil)
      }
      // Of its enrolment it was notified, too.
      #expect(try await notices() == TaskRules.maxNotices)
      // Others are not affected.
      try await assign(eva)
      #expect(try await services.published(TaskNoticeCreated.self).last?.accountID == eva.id)
      services.clock.advance(days: 1)
      try await assign(ben)
      #expect(try await notices() == TaskRules.maxNotices + 1)
      #expect(try await ana.details(of: task).parts.first?.assignee?.accountID == ben.id)
    }
  }

  @Test("A participant who leaves or is deleted loses its parts, and those that it completed stay done")
  func leaving() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      var parts: [TaskPart] = []
      for person in [ben, eva] {
        parts.append(
          try await ana.send(
            CreateTaskPart.self, .init(taskID: task.id, title: TaskName(text: "PLANTED"), assigneeID: person.id)))
      }
      _ = try await eva.send(CompleteTaskPart.self, .init(taskID: task.id, partID: parts[1].id))
      try await ben.optOut(of: task)
      #expect(try await ana.details(of: task).parts.map(\.assignee?.accountID) == [nil, eva.id])
      for person in [eva, ana] {
        try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: person.id, at: .now))
        let store = services.store(of: .social)
        try await store.hasErased(person.id)
        #expect(try await store.traces(of: person.id).filter { $0.hasPrefix("task_parts") }.isEmpty)
      }
      let left = try await services.makeTask(by: ben)
      #expect(try await ben.details(of: left).parts.isEmpty)
    }
  }
}
