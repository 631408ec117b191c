import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@Suite("Participants of tasks (TASK-1, TASK-3, TASK-5)")
struct TaskParticipantTests {
  @Test("A task's creator enrols more participants, each once; existing ones stay as they are")
  func add() async throws {
    try await ServicesInProcess.withPeople(4) { services, people in
      let (ana, ben, eva, leo) = (people[0], people[1], people[2], people[3])
      let task = try await services.makeTask(by: ana, with: [ben])
      try await ben.confirm(task)
      let input = AddTaskParticipants.Input(taskID: task.id, participants: try services.usernames(of: [ben, eva, leo, eva]))
      let details = try await ana.send(AddTaskParticipants.self, input)
      #expect(details.participants.map(\.person.accountID) == [ana.id, ben.id, eva.id, leo.id])
      #expect(details.task.participantCount == 4 && details.task.confirmedCount == 1)
      let published = try await services.published(TaskNoticeCreated.self).filter { $0.notice == .enrolled }
      #expect(published.map(\.accountID) == [ben.id, eva.id, leo.id] && published.allSatisfy { $0.byAccountID == ana.id })
      // Again changes and publishes nothing.
      let count = try await services.published(by: .social).count
      #expect(try await ana.send(AddTaskParticipants.self, input) == details)
      #expect(try await services.published(by: .social).count == count)
      #expect(try await ben.failure(AddTaskParticipants.self, input) == "forbidden")
    }
  }

  @Test("All usernames that are unknown, or cannot be enrolled, are named at once when participants are added")
  func addingFaults() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      try await services.change(ben, receivedBy: .social) { $0.taskEnrollment = .nobody }
      let task = try await services.makeTask(by: ana)
      let names = try services.usernames(of: [ben]) + [Username(text: "no.one"), Username(text: "no.body")]
      #expect(
        try await ana.refusedFields(AddTaskParticipants.self, .init(taskID: task.id, participants: names)) == [
          "participants[0] enrollment_not_allowed", "participants[1] unknown_user", "participants[2] unknown_user",
        ])
    }
  }

  @Test("UC6: a participant enrolled by another can opt out after confirming, and the task leaves its list")
  func optOut() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      try await ben.optOut(of: task)
      #expect(try await ben.tasks().isEmpty)
      #expect(try await ana.details(of: task).participants.map(\.person.accountID) == [ana.id, eva.id])
      let change = try await services.lastChange(of: task, for: ben)
      #expect(change?.isParticipant == false && change?.isConfirmed == false)
      #expect(try await services.lastChange(of: task, for: eva)?.participantCount == 2)
      // Opting out again finds nothing.
      #expect(try await ben.failure(OptOutOfTask.self, .init(taskID: task.id, confirm: true)) == "not_found")
    }
  }

  @Test("UC6, alternative: opting out of a task without confirming it changes nothing")
  func notConfirmed() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      for confirm in [false, nil] {
        #expect(
          try await ben.refusedFields(OptOutOfTask.self, .init(taskID: task.id, confirm: confirm)) == [
            "confirm opt_out_not_confirmed"
          ])
      }
      #expect(try await ben.tasks() == ["Paint"])
    }
  }

  @Test("UC6: a task's creator cannot opt out, since nobody has enrolled it")
  func ownTask() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let task = try await services.makeTask(by: people[0], with: [people[1]])
      #expect(
        try await people[0].failure(OptOutOfTask.self, .init(taskID: task.id, confirm: true)) == "task_creator_stays")
    }
  }

  @Test("UC6: a participant who opted out cannot be enrolled again, and is named as such")
  func optedOut() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      try await ben.optOut(of: task)
      let names = try services.usernames(of: [ben])
      #expect(
        try await ana.refusedFields(AddTaskParticipants.self, .init(taskID: task.id, participants: names)) == [
          "participants[0] opted_out"
        ])
      #expect(try await ben.failure(GetTask.self, .init(taskID: task.id)) == "not_found")
    }
  }

  @Test("A removed participant can be enrolled again, and starts over")
  func again() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      _ = try await ana.remove(ben, from: task)
      let left = try #require(try await services.lastChange(of: task, for: ben))
      _ = try await ana.send(
        AddTaskParticipants.self, .init(taskID: task.id, participants: try services.usernames(of: [ben])))
      let details = try await ben.details(of: task)
      #expect(!details.task.isConfirmed && details.task.participantCount == 2 && details.task.confirmedCount == 0)
      let change = try #require(try await services.lastChange(of: task, for: ben))
      #expect(change.isParticipant && change.revision > left.revision)
    }
  }

  @Test("Only a task's creator can remove participants, and not itself or those who have confirmed")
  func remove() async throws {
    try await ServicesInProcess.withPeople(4) { services, people in
      let (ana, ben, eva, mia) = (people[0], people[1], people[2], people[3])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      func code(_ person: Person, _ other: Person) async throws -> String? {
        try await person.failure(RemoveTaskParticipant.self, .init(taskID: task.id, accountID: other.id))
      }
      #expect(try await code(ben, eva) == "forbidden")
      #expect(try await code(ana, ana) == "task_creator_stays")
      #expect(try await code(ana, mia) == "not_found")
      try await ben.confirm(task)
      #expect(try await code(ana, ben) == "participant_confirmed")
      let details = try await ana.remove(eva, from: task)
      #expect(details.participants.map(\.person.accountID) == [ana.id, ben.id] && details.task.state == .open)
      #expect(try await services.lastChange(of: task, for: eva)?.isParticipant == false)
      #expect(try await code(ana, eva) == "not_found")
    }
  }

  @Test(
    "Enrolling, removing and opting out notify the others concerned in their language, and not the acting account"
  )
  func notices() async throws {
    try await ServicesInProcess.withPeople(2, notified: true) { services, people in
      let (ana, ben) = (people[0], people[1])
      let eva = try await services.register(language: .spanish)
      let names = try services.usernames(of: [ana, ben])
      let task = try await services.makeTask("Paint", by: ana, with: [ben, eva])
      try await ben.optOut(of: task)
      try await ana.remove(eva, from: task)
      #expect(
        try await services.notices(of: eva).map(\.text) == [
          "\(names[0]) te ha quitado de «Paint».", "\(names[0]) te ha inscrito en «Paint».",
        ])
      #expect(try await services.notices(of: ben).map(\.text) == ["\(names[0]) has enrolled you in “Paint”."])
      let own = try await services.notices(of: ana)
      #expect(own.map(\.text) == ["\(names[1]) does not take part in “Paint” any more."])
      #expect(own[0].kind == "taskOptedOut" && own[0].links.accountID == ben.id)
      #expect(own[0].links.taskID?.bytes == task.id.bytes)
    }
  }
}
