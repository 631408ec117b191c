import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@Suite("Help in tasks (TASK-7)")
struct TaskHelpTests {
  private func request(_ task: SharedTask, by person: Person, key: String? = nil) async throws -> TaskHelp {
    try await person.send(RequestTaskHelp.self, .init(taskID: task.id), key: key)
  }

  private func offer(_ task: SharedTask, by person: Person) async throws -> TaskHelp {
    try await person.send(OfferTaskHelp.self, .init(taskID: task.id))
  }

  private func thank(_ helper: Person, for help: TaskHelp, by person: Person) async throws -> TaskHelp {
    try await person.send(
      ThankForTaskHelp.self, .init(taskID: help.taskID, helpID: help.id, accountID: helper.id))
  }

  @Test("UC11: a request for help is registered, shown with the task, and all other participants are notified")
  func requesting() async throws {
    try await ServicesInProcess.withPeople(2, notified: true) { services, people in
      let (ana, ben) = (people[0], people[1])
      let eva = try await services.register(language: .spanish)
      let name = try services.usernames(of: [ben])[0]
      let task = try await services.makeTask("Paint", by: ana, with: [ben, eva])
      let help = try await request(task, by: ben)
      #expect(help.kind == .request && help.person.accountID == ben.id && help.closedAt == nil)
      for person in [ana, ben, eva] { #expect(try await person.details(of: task).help == [help]) }
      func texts(_ person: Person) async throws -> [String] {
        try await services.notices(of: person).filter { $0.links.taskHelpID != nil }.map(\.text)
      }
      #expect(try await texts(ana) == ["\(name) asks for help with “Paint”."])
      #expect(try await texts(eva) == ["\(name) pide ayuda con «Paint»."])
      #expect(try await texts(ben) == [])
      let links = try #require(try await services.notices(of: ana).first).links
      #expect(links.taskHelpID?.bytes == help.id.bytes && links.taskID?.bytes == task.id.bytes && links.accountID == ben.id)
    }
  }

  @Test("UC12: help can be offered unasked, and all other participants are notified")
  func offering() async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let name = try services.usernames(of: [eva])[0]
      let task = try await services.makeTask("Paint", by: ana, with: [ben, eva])
      let help = try await offer(task, by: eva)
      #expect(help.kind == .offer)
      for person in [ana, ben] {
        #expect(try await services.notices(of: person).first?.text == "\(name) offers help with “Paint”.")
      }
      #expect(try await services.notices(of: eva).allSatisfy { $0.links.taskHelpID == nil })
    }
  }

  @Test("UC11, UC12, alternative: requests and offers of help are refused if nobody else takes part")
  func noOthers() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      try await ben.optOut(of: task)
      #expect(try await ana.failure(RequestTaskHelp.self, .init(taskID: task.id)) == "no_other_participants")
      #expect(try await ana.failure(OfferTaskHelp.self, .init(taskID: task.id)) == "no_other_participants")
    }
  }

  private func helpInInbox(_ isOn: Bool?) -> [NotificationChoice] { [.init(category: .help, .inbox, isOn: isOn)] }

  @Test("UC13: a participant who has muted help is not notified, and still sees it in the task")
  func muted() async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      _ = try await eva.send(UpdateNotificationPreferences.self, .init(choices: helpInInbox(false)))
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let help = [try await request(task, by: ben), try await offer(task, by: ana)]
      func links(_ person: Person) async throws -> [[UInt8]] {
        try await services.notices(of: person).compactMap { $0.links.taskHelpID?.bytes }
      }
      #expect(try await links(eva) == [])
      #expect(try await links(ana) == [help[0].id.bytes])
      #expect(try await links(ben) == [help[1].id.bytes])
      #expect(try await eva.details(of: task).help.map(\.id) == help.map(\.id))
      _ = try await eva.send(UpdateNotificationPreferences.self, .init(choices: helpInInbox(nil)))
      let other = try await services.makeTask(by: ana, with: [eva])
      let last = try await request(other, by: ana)
      #expect(try await links(eva) == [last.id.bytes])
    }
  }

  @Test("Participants separated from the requester by a block are not notified")
  func blocked() async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      try await eva.block(ben)
      try await services.hasReceived(.notifications, of: .social)
      _ = try await request(task, by: ben)
      #expect(try await services.notices(of: eva).allSatisfy { $0.links.taskHelpID == nil })
      #expect(try await services.notices(of: ana).contains { $0.links.taskHelpID != nil })
    }
  }

  @Test("A participant has at most one open request and one open offer of help in a task, and new ones after closing")
  func oneOpen() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      let other = try await services.makeTask(by: ana, with: [ben])
      let first = try await request(task, by: ben, key: "one")
      #expect(try await request(task, by: ben, key: "one") == first)
      let name = NamedTask(taskID: task.id)
      #expect(try await ben.failure(RequestTaskHelp.self, name) == "help_already_requested")
      // Others', of another task and of the other kind are their own.
      _ = try await request(task, by: ana)
      _ = try await request(other, by: ben)
      _ = try await offer(task, by: ben)
      #expect(try await ben.failure(OfferTaskHelp.self, name) == "help_already_offered")
      let closing = NamedTaskHelp(taskID: task.id, helpID: first.id)
      #expect(try await ana.failure(CloseTaskHelp.self, closing) == "forbidden")
      let closed = try await ben.send(CloseTaskHelp.self, closing)
      #expect(closed.closedAt != nil)
      #expect(try await ben.send(CloseTaskHelp.self, closing) == closed)
      #expect(try await ana.details(of: task).help.count == 2)
      _ = try await request(task, by: ben)
    }
  }

  @Test("Requests and offers of help notify the others at most ten times a day, and again the next day")
  func repeated() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let task = try await services.makeTask(by: people[0], with: [people[1]])
      let named = NamedTask(taskID: task.id)
      for number in 0..<10 {
        let help =
          number % 2 == 0
          ? try await people[1].send(RequestTaskHelp.self, named) : try await people[1].send(OfferTaskHelp.self, named)
        _ = try await people[1].send(CloseTaskHelp.self, .init(taskID: task.id, helpID: help.id))
      }
      #expect(try await people[1].failure(RequestTaskHelp.self, named) == "asked_for_help_too_often")
      #expect(try await people[1].failure(OfferTaskHelp.self, named) == "asked_for_help_too_often")
      #expect(try await people[0].failure(RequestTaskHelp.self, named) == nil)
      services.clock.advance(days: 1)
      #expect(try await people[1].failure(RequestTaskHelp.self, named) == nil)
    }
  }

  @Test("Many concurrent requests for help by one participant make one")
  func together() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let task = try await services.makeTask(by: people[0], with: [people[1]])
      try await services.together(5, writingTo: .social) { _ in
        let code = try await people[1].failure(RequestTaskHelp.self, .init(taskID: task.id))
        #expect([nil, "help_already_requested"].contains(code))
      }
      #expect(try await people[0].details(of: task).help.count == 1)
    }
  }

  @Test("Open requests and offers of help are closed when their author leaves, or the task is completed or cancelled")
  func closed() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let left = try await request(task, by: eva)
      let done = try await request(task, by: ben)
      try await eva.optOut(of: task)
      #expect(try await ana.details(of: task).help.map(\.id) == [done.id])
      let change = try await services.published(TaskHelpChanged.self).last { $0.help.id == left.id }
      #expect(change?.help.closedAt != nil)
      for person in [ana, ben] { try await person.confirm(task) }
      #expect(try await ana.details(of: task).help == [])
      #expect(try await ben.failure(RequestTaskHelp.self, .init(taskID: task.id)) == "task_completed")
      let other = try await services.makeTask(by: ana, with: [ben])
      _ = try await offer(other, by: ben)
      _ = try await ana.send(CancelTask.self, .init(taskID: other.id))
      #expect(try await ben.details(of: other).help == [])
      #expect(try await ben.failure(OfferTaskHelp.self, .init(taskID: other.id)) == "task_cancelled")
    }
  }

  @Test("Comments can answer a request for help of the same task, and not of another one")
  func answers() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let other = try await services.makeTask(by: ana, with: [ben])
      let help = try await request(task, by: ana)
      // Ben and Ana are no friends.
      let answer = try await ben.comment("Hold the brush level", on: task, about: help)
      #expect(answer.helpID == help.id)
      #expect(try await eva.details(of: task).comments.map(\.helpID) == [help.id])
      let input = CreateTaskComment.Input(taskID: other.id, text: try ChatText(text: "Here?"), helpID: help.id)
      #expect(try await ben.failure(CreateTaskComment.self, input) == "not_found")
    }
  }

  @Test("The requester of help thanks those who answered or offered, who are notified, and count as helpers once a task")
  func thanks() async throws {
    try await ServicesInProcess.withPeople(4, notified: true) { services, people in
      let (ana, ben, eva, leo) = (people[0], people[1], people[2], people[3])
      let name = try services.usernames(of: [ana])[0]
      let task = try await services.makeTask("Paint", by: ana, with: [ben, eva, leo])
      _ = try await offer(task, by: eva)
      let help = try await request(task, by: ana)
      _ = try await ben.comment("Hold the brush level", on: task, about: help)
      let thanked = try await thank(ben, for: help, by: ana)
      #expect(thanked.thankedAccountIDs == [ben.id])
      #expect(try await thank(ben, for: help, by: ana) == thanked)
      _ = try await ana.send(CloseTaskHelp.self, .init(taskID: task.id, helpID: help.id))
      // Also after it was closed.
      #expect(Set(try await thank(eva, for: help, by: ana).thankedAccountIDs) == [ben.id, eva.id])
      #expect(try await services.published(TaskHelpGiven.self).map(\.accountID) == [ben.id, eva.id])
      #expect(try await services.notices(of: ben).map(\.text).first == "\(name) thanks you for your help with “Paint”.")
      // Thanked by another in the same task, it is notified, and has given help once.
      let second = try await request(task, by: leo)
      _ = try await ben.comment("As I said", on: task, about: second)
      _ = try await thank(ben, for: second, by: leo)
      #expect(try await services.published(TaskHelpGiven.self).count == 2)
      #expect(try await services.notices(of: ben).filter { $0.kind == "taskHelpThanked" }.count == 2)
      let given = try await services.snapshot(of: .social).filter { $0.name == TaskHelpGiven.spec.name }
        .map { try TaskHelpGiven.decode($0.body) }
      #expect(Set(given) == Set(try await services.published(TaskHelpGiven.self)))
    }
  }

  @Test("Thanks for another's request, for an offer, to oneself, or to those who have not helped are refused")
  func wrongThanks() async throws {
    try await ServicesInProcess.withPeople(4) { services, people in
      let (ana, ben, eva, mia) = (people[0], people[1], people[2], people[3])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let help = try await request(task, by: ana)
      let offered = try await offer(task, by: ana)
      _ = try await ben.comment("Hold the brush level", on: task, about: help)
      _ = try await ana.comment("How?", on: task, about: help)
      func code(_ helper: Person, _ help: TaskHelp, _ person: Person) async throws -> String? {
        try await person.failure(
          ThankForTaskHelp.self, .init(taskID: task.id, helpID: help.id, accountID: helper.id))
      }
      #expect(try await code(ben, help, eva) == "forbidden")
      #expect(try await code(ben, offered, ana) == "forbidden")
      #expect(try await code(ana, help, ana) == "has_not_helped")
      #expect(try await code(eva, help, ana) == "has_not_helped")
      #expect(try await code(mia, help, ana) == "not_found")
      #expect(try await services.published(TaskHelpGiven.self).isEmpty)
    }
  }

  @Test("Help is unknown to strangers and former participants, and needs a verified address")
  func strangers() async throws {
    try await ServicesInProcess.withPeople(4) { services, people in
      let (ana, ben, eva, mia) = (people[0], people[1], people[2], people[3])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let help = try await request(task, by: ana)
      try await eva.optOut(of: task)
      func codes(_ person: Person) async throws -> [String?] {
        [
          try await person.failure(RequestTaskHelp.self, .init(taskID: task.id)),
          try await person.failure(OfferTaskHelp.self, .init(taskID: task.id)),
          try await person.failure(ThankForTaskHelp.self, .init(taskID: task.id, helpID: help.id, accountID: ben.id)),
          try await person.failure(CloseTaskHelp.self, .init(taskID: task.id, helpID: help.id)),
        ]
      }
      for person in [eva, mia] { #expect(try await codes(person).allSatisfy { $0 == "not_found" }) }
      let newcomer = try await services.register(isVerified: false)
      _ = try await ana.send(
        AddTaskParticipants.self, .init(taskID: task.id, participants: try services.usernames(of: [newcomer])))
      #expect(try await codes(newcomer) == Array(repeating: "verification_required", count: 3) + ["forbidden"])
    }
  }

  @Test("A deleted account's requests and offers of help are removed, and the help given to it still counts")
  func erasure() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ben, with: [ana])
      let help = try await request(task, by: ana)
      let answer = try await ben.comment("Hold the brush level", on: task, about: help)
      _ = try await thank(ben, for: help, by: ana)
      let store = services.store(of: .social)
      try await services.delete(ana, receivedBy: .social)
      #expect(try await store.traces(of: ana.id).filter { $0.hasPrefix("task") } == [])
      let details = try await ben.details(of: task)
      #expect(details.help == [] && details.comments.map(\.id) == [answer.id] && details.comments[0].helpID == nil)
      #expect(try await store.rows("task_help_given") == 1)
      try await services.delete(ben, receivedBy: .social)
      #expect(try await store.traces(of: ben.id).filter { $0.hasPrefix("task") } == [])
      for table in ["task_help_given", "tasks"] { #expect(try await store.rows(table) == 0) }
    }
  }
}
