import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@Suite("Creating, editing and cancelling tasks (TASK-1)")
struct TaskTests {
  @Test("UC3: a task with name, description and participants is created for each of them, the creator included")
  func create() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(
        " Paint the boat ", by: ana, with: [ben, eva], description: "Two coats.\nThe door, too.", dueDay: "2026-12-01")
      #expect(task.name.description == "Paint the boat" && task.description?.description == "Two coats.\nThe door, too.")
      #expect(task.dueDay?.description == "2026-12-01" && task.state == .open && task.isCreator)
      #expect(task.participantCount == 3 && task.confirmedCount == 0 && task.confirmedPercent == 0 && !task.isConfirmed)
      for person in people {
        #expect(try await person.tasks() == ["Paint the boat"])
        let details = try await person.details(of: task)
        #expect(details.task.creator?.accountID == ana.id && details.task.isCreator == (person.id == ana.id))
        #expect(details.participants.map(\.person.accountID) == [ana.id, ben.id, eva.id])
        #expect(details.participants.map(\.isCreator) == [true, false, false])
      }
      let alone = try await services.makeTask("Alone", by: ben)
      #expect(alone.participantCount == 1 && alone.description == nil && alone.dueDay == nil)
    }
  }

  @Test("UC3: a task is created once for one idempotency key")
  func once() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let first = try await services.makeTask(by: people[0], with: [people[1]], key: "one")
      #expect(try await services.makeTask(by: people[0], with: [people[1]], key: "one") == first)
      #expect(try await people[1].tasks() == ["Paint"])
    }
  }

  @Test("UC3: a refused task names all faults at once: unknown usernames, those not to be enrolled, and invalid fields")
  func faults() async throws {
    try await ServicesInProcess.withPeople(4) { services, people in
      let (ana, ben, eva, leo) = (people[0], people[1], people[2], people[3])
      try await services.change(eva, receivedBy: .social) { $0.taskEnrollment = .nobody }
      try await services.change(leo, receivedBy: .social) { $0.taskEnrollment = .friends }
      let names = try services.usernames(of: [ben, eva, leo])
      let json = """
        {"name":" ","participants":["nobody.here","\(names[0])","\(names[1])","No!","\(names[2])","no.one"],"dueDay":"soon"}
        """
      let failure = await #expect(throws: Failure.self) { _ = try await ana.send(CreateTask.self, json: Array(json.utf8)) }
      #expect(
        Set(failure?.fields.map { "\($0.field) \($0.code)" } ?? []) == [
          "name empty", "dueDay not_a_day", "participants[0] unknown_user", "participants[2] enrollment_not_allowed",
          "participants[3] invalid_username", "participants[4] enrollment_not_allowed", "participants[5] unknown_user",
        ])
      let named = failure?.fields.first { $0.field == "participants[2]" }
      #expect(named?.parameters["username"] == .text(names[1].description))
      #expect(try await ana.tasks().isEmpty)
    }
  }

  @Test("A person can be enrolled in tasks by everyone, by friends only, or by nobody, as its settings say")
  func enrollment() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      try await services.befriend(ana, ben)
      for (setting, allowed) in [
        (TaskEnrollment.everyone, [true, true]), (.friends, [true, false]), (.nobody, [false, false]),
      ] {
        try await services.change(ben, receivedBy: .social) { $0.taskEnrollment = setting }
        for (person, isAllowed) in zip([ana, eva], allowed) {
          let input = CreateTask.Input(
            name: try TaskName(text: "Paint"), participants: try services.usernames(of: [ben]))
          #expect(
            try await person.refusedFields(CreateTask.self, input)
              == (isAllowed ? [] : ["participants[0] enrollment_not_allowed"]), "\(setting)")
        }
      }
    }
  }

  @Test("Blocked, blocking, suspended and deleted people look unknown to a new task, and repeated names count once")
  func hidden() async throws {
    try await ServicesInProcess.withPeople(6) { services, people in
      let (ana, ben) = (people[0], people[1])
      let names = try services.usernames(of: people)
      try await ana.block(people[2])
      try await people[3].block(ana)
      try await services.change(people[4], receivedBy: .social) { $0.suspendedUntil = .endOfTime }
      try await services.delete(people[5], receivedBy: .social)
      let input = CreateTask.Input(name: try TaskName(text: "Paint"), participants: Array(names[2...5]))
      #expect(
        try await ana.refusedFields(CreateTask.self, input)
          == [0, 1, 2].map { "participants[\($0)] unknown_user" } + ["participants[3] unknown_user"])
      let task = try await ana.send(
        CreateTask.self, .init(name: try TaskName(text: "Paint"), participants: [names[1], names[0], names[1]]))
      #expect(try await ana.details(of: task).participants.map(\.person.accountID) == [ana.id, ben.id])
    }
  }

  @Test("Enrolling people in a task reveals no more than username, nickname and photo")
  func shown() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let tag = String(repeating: "a", count: 32)
      try await services.change(ben, receivedBy: .social) {
        $0.nickname = try Nickname(text: "Benny")
        $0.photoTag = tag
      }
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let shown = try await eva.details(of: task).participants[1].person
      let name = try services.usernames(of: [ben])[0]
      #expect(
        shown
          == TaskPerson(accountID: ben.id, username: name, nickname: "Benny", photoURL: PhotoURL(account: ben.id, tag: tag)))
      // Nor the photo, where one of the two blocks the other.
      try await ben.block(eva)
      #expect(try await eva.details(of: task).participants[1].person.photoURL == nil)
      #expect(try await ana.details(of: task).participants[1].person.photoURL != nil)
    }
  }

  @Test("A task has at most 50 participants, and a creator at most 1,000 open tasks")
  func bounds() async throws {
    try await ServicesInProcess.withPeople(51) { services, people in
      let ana = people[0]
      let input = CreateTask.Input(
        name: try TaskName(text: "Paint"), participants: try services.usernames(of: Array(people.dropFirst())))
      #expect(try await ana.failure(CreateTask.self, input) == "too_many_participants")
      let task = try await services.makeTask(by: ana, with: Array(people[1..<50]))
      #expect(task.participantCount == 50)
      let more = AddTaskParticipants.Input(taskID: task.id, participants: try services.usernames(of: [people[50]]))
      #expect(try await ana.failure(AddTaskParticipants.self, more) == "too_many_participants")
      let account = ana.id
      try await services.store(of: .social).write {
        try $0.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
            INSERT INTO tasks (task_id, creator_account, name, state, participant_count, confirmed_count, created_at, changed_at,
              revision)
            SELECT randomblob(16), ?, 'Other', 'open', 1, 0, 0, 0, 1 FROM n
            """, arguments: [account])
      }
      let next = CreateTask.Input(name: try TaskName(text: "Next"))
      #expect(try await ana.failure(CreateTask.self, next) == "too_many_tasks")
      _ = try await ana.send(CancelTask.self, .init(taskID: task.id))
      #expect(try await ana.failure(CreateTask.self, next) == nil)
    }
  }

  @Test("Texts of tasks count among their author's bytes, and fewer when they are shortened")
  func space() async throws {
    // A character of 7 bytes makes descriptions large.
    let text = String(repeating: "a\u{0301}\u{0302}\u{0303}", count: 2000)
    let fitting = (1 << 20) / (text.utf8.count + 1)
    try await ServicesInProcess.withPeople(2, settings: ["racha.tasks.bytesPerAccount": "\(1 << 20)"]) { services, people in
      let (ana, ben) = (people[0], people[1])
      var tasks: [SharedTask] = []
      for _ in 0..<fitting { tasks.append(try await services.makeTask("P", by: ana, with: [ben], description: text)) }
      let failure = await #expect(throws: Failure.self) {
        _ = try await services.makeTask("P", by: ana, description: text)
      }
      #expect(failure?.code == "task_space_full" && failure?.parameters["max"] == .number(1))
      // Others' bytes are their own.
      _ = try await services.makeTask("P", by: ben, with: [ana], description: text)
      _ = try await ana.send(UpdateTask.self, .init(taskID: tasks[0].id, description: .set(nil)))
      _ = try await services.makeTask("P", by: ana, description: text)
      let again = UpdateTask.Input(taskID: tasks[0].id, description: .set(try TaskDescription(text: text)))
      #expect(try await ana.failure(UpdateTask.self, again) == "task_space_full")
    }
  }

  @Test("A task's creator edits given fields, null clears one, the rest stays, and each participant gets an event")
  func edit() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben], description: "Two coats", dueDay: "2026-12-01")
      let edited = try await ana.send(
        UpdateTask.self, .init(taskID: task.id, name: .set(TaskName(text: "Varnish")), dueDay: .set(nil)))
      #expect(edited.name.description == "Varnish" && edited.description?.description == "Two coats" && edited.dueDay == nil)
      let events = try await services.published(TaskChanged.self)
      #expect(Set(events.suffix(2).map(\.accountID)) == [ana.id, ben.id])
      #expect(events.suffix(2).allSatisfy { $0.name.description == "Varnish" && $0.revision > events[0].revision })
      // The same again changes and publishes nothing.
      _ = try await ana.send(UpdateTask.self, .init(taskID: task.id, name: .set(TaskName(text: "Varnish"))))
      #expect(try await services.published(TaskChanged.self).count == events.count)
      #expect(try await ben.failure(UpdateTask.self, .init(taskID: task.id, name: .set(TaskName(text: "Mine")))) == "forbidden")
      #expect(
        try await ana.refusedFields(UpdateTask.self, .init(taskID: task.id, description: .set(TaskDescription(text: "x")))) == [])
    }
  }

  @Test("A cancelled task leaves the list of open tasks, and can no longer change")
  func cancel() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben])
      #expect(try await ben.failure(CancelTask.self, .init(taskID: task.id)) == "forbidden")
      let cancelled = try await ana.send(CancelTask.self, .init(taskID: task.id))
      #expect(cancelled.state == .cancelled && cancelled.cancelledAt != nil && cancelled.completedAt == nil)
      #expect(try await ana.send(CancelTask.self, .init(taskID: task.id)) == cancelled)
      #expect(try await ben.tasks().isEmpty)
      #expect(try await ben.tasks(.cancelled) == ["Paint"])
      #expect(try await services.lastChange(of: task, for: ben)?.state == .cancelled)
      let refusals = try await ana.refusals(of: task.id)
      #expect(refusals["edit"] == "task_cancelled" && refusals["confirm"] == "task_cancelled")
      #expect(refusals["withdraw"] == "task_cancelled" && refusals["cancel"] == .some(nil))
      let more = AddTaskParticipants.Input(taskID: task.id, participants: try services.usernames(of: [eva]))
      #expect(try await ana.failure(AddTaskParticipants.self, more) == "task_cancelled")
      #expect(try await ben.failure(OptOutOfTask.self, .init(taskID: task.id, confirm: true)) == "task_cancelled")
    }
  }

  @Test("Creating, editing and enrolling in tasks need a verified address; confirming, opting out and cancelling do not")
  func unverified() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      let eva = try await services.register(isVerified: false)
      let task = try await services.makeTask(by: people[0], with: [eva])
      let input = CreateTask.Input(name: try TaskName(text: "Mine"))
      #expect(try await eva.failure(CreateTask.self, input) == "verification_required")
      let edit = UpdateTask.Input(taskID: task.id, name: .set(try TaskName(text: "Mine")))
      #expect(try await eva.failure(UpdateTask.self, edit) == "verification_required")
      let more = AddTaskParticipants.Input(taskID: task.id, participants: [])
      #expect(try await eva.failure(AddTaskParticipants.self, more) == "verification_required")
      #expect(try await eva.failure(CancelTask.self, .init(taskID: task.id)) == "forbidden")
      try await eva.confirm(task)
      try await eva.withdraw(task)
      try await eva.optOut(of: task)
    }
  }

  @Test("A task is unknown to strangers and former participants, and refused to suspended ones, whatever they try")
  func strangers() async throws {
    try await ServicesInProcess.withPeople(5) { services, people in
      let (ana, ben, eva, leo, mia) = (people[0], people[1], people[2], people[3], people[4])
      let task = try await services.makeTask(by: ana, with: [ben, eva, leo])
      try await ben.optOut(of: task)
      try await ana.remove(eva, from: task)
      for person in [ben, eva, mia] {
        for id in [task.id, ID<SharedTask>()] {
          #expect(try await person.refusals(of: id).allSatisfy { $0.value == "not_found" }, "\(person.id)")
        }
        #expect(try await person.tasks().isEmpty)
      }
      try await services.change(leo, receivedBy: .social) { $0.suspendedUntil = .endOfTime }
      #expect(try await leo.refusals(of: task.id).allSatisfy { $0.value == "account_suspended" })
      #expect(try await ana.details(of: task).task.participantCount == 2)
    }
  }

  @Test("A blocked participant still sees and confirms a task, which is not only between the two")
  func blocked() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      try await ana.block(ben)
      #expect(try await ben.confirm(task).confirmedCount == 1)
      #expect(try await ana.confirm(task).state == .completed)
    }
  }

  @Test("A deleted creator's task keeps its title without the name, and a task without participants is removed")
  func deletedCreator() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      let alone = try await services.makeTask("PLANTED alone", by: ana, description: "PLANTED")
      let store = services.store(of: .social)
      try await services.delete(ana, receivedBy: .social)
      #expect(try await store.traces(of: ana.id).filter { $0.hasPrefix("task") } == [])
      for (table, count) in [("tasks", 1), ("task_participants", 1), ("task_space", 0)] {
        #expect(try await store.rows(table) == count)
      }
      let left = try await ben.details(of: task)
      #expect(left.task.name.description == "Paint" && left.task.creator == nil && !left.task.isCreator)
      #expect(left.participants.map(\.person.accountID) == [ben.id] && !left.participants[0].isCreator)
      #expect(left.task.canEdit)
      #expect(try await ben.failure(GetTask.self, .init(taskID: alone.id)) == "not_found")
      // What is left over ends with the last one.
      try await ben.optOut(of: task)
      #expect(try await store.rows("tasks") == 0)
    }
  }
}
