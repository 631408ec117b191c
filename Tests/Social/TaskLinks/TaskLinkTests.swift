import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Public links to completed tasks (TASK-6, UC8)")
struct TaskLinkTests {
  /// Runs social with Ana, Ben and Eva, and a task of Ana's that she and Ben have completed.
  private func running(
    _ body: (ServicesInProcess, _ task: SharedTask, _ people: [Person]) async throws -> Void
  ) async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let task = try await services.makeTask("Paint the boat", by: people[0], with: [people[1]], description: "Two coats.")
      for person in people.prefix(2) { try await person.confirm(task) }
      try await body(services, task, people)
    }
  }

  private func anybody(_ services: ServicesInProcess) -> Person {
    Person(bus: services.gateway, caller: Caller(kind: .anonymous))
  }

  private func open(_ link: TaskLink, _ services: ServicesInProcess) async throws -> PublicTask {
    try await anybody(services).send(GetPublicTask.self, .init(key: link.key))
  }

  private func refusal(_ key: String, _ services: ServicesInProcess) async throws -> String? {
    try await anybody(services).failure(GetPublicTask.self, .init(key: key))
  }

  private func part(of person: Person, _ services: ServicesInProcess, _ language: Language = .english) async throws -> ProfilePart
  {
    try await person.asGateway.send(GetTaskProfilePart.self, .init(accountID: person.id, language: language))
  }

  @Test(
    "UC8: a completed task's link shows its name, the day and the number of others, and only chosen details"
  )
  func seen() async throws {
    try await running { services, task, people in
      let link = try await people[0].send(CreateTaskLink.self, .init(taskID: task.id))
      #expect(link.page == "/task/\(link.key)" && link.taskName == task.name && !link.showsOwner && !link.showsDescription)
      let seen = try await open(link, services)
      #expect(
        seen
          == PublicTask(
            taskLinkID: link.id, name: task.name, description: nil, completedAt: services.clock.now, otherParticipantCount: 1,
            username: nil,
            nickname: nil))
      let names = try services.usernames(of: people).map(\.description)
      let text = String(decoding: seen.json, as: UTF8.self)
      for hidden in names + people.map(\.id.description) + ["coats", task.id.description] { #expect(!text.contains(hidden)) }

      let chosen = try await people[0].send(
        CreateTaskLink.self, .init(taskID: task.id, showsDescription: true, showsOwner: true))
      #expect(chosen.key == link.key && chosen.showsOwner && chosen.showsDescription)
      let more = try await open(chosen, services)
      #expect(more.description == task.description && more.username?.description == names[0])
      #expect(!String(decoding: more.json, as: UTF8.self).contains(names[1]))
    }
  }

  @Test("A link to a task that is not completed, or by a non-participant, is refused")
  func refused() async throws {
    try await running { services, task, people in
      #expect(try await people[2].failure(CreateTaskLink.self, .init(taskID: task.id)) == "not_found")
      let open = try await services.makeTask(by: people[0], with: [people[1]])
      #expect(try await people[0].failure(CreateTaskLink.self, .init(taskID: open.id)) == "task_not_completed")
      _ = try await people[0].send(CancelTask.self, .init(taskID: open.id))
      #expect(try await people[0].failure(CreateTaskLink.self, .init(taskID: open.id)) == "task_not_completed")
      #expect(try await people[0].send(ListTaskLinks.self, .init()).items.isEmpty)
    }
  }

  @Test("Only a creator's own link can publish the task's description")
  func descriptionOfAnother() async throws {
    try await running { services, task, people in
      let input = CreateTaskLink.Input(taskID: task.id, showsDescription: true)
      #expect(try await people[1].refusedFields(CreateTaskLink.self, input) == ["showsDescription description_of_another"])
      let link = try await people[1].send(CreateTaskLink.self, .init(taskID: task.id, showsOwner: true))
      #expect(try await open(link, services).description == nil)
      // Each has a link of its own.
      #expect(try await people[0].send(CreateTaskLink.self, .init(taskID: task.id)).key != link.key)
    }
  }

  @Test("A revoked link answers like one that never existed, and only its owner can revoke or replace it")
  func revoked() async throws {
    try await running { services, task, people in
      let link = try await people[0].send(CreateTaskLink.self, .init(taskID: task.id))
      #expect(try await people[0].send(ListTaskLinks.self, .init()).items == [link])
      #expect(try await people[1].failure(RevokeTaskLink.self, .init(taskLinkID: link.id)) == "not_found")
      #expect(try await open(link, services).name == task.name)
      _ = try await people[0].send(RevokeTaskLink.self, .init(taskLinkID: link.id))
      #expect(try await refusal(link.key, services) == "not_found")
      #expect(try await people[0].failure(RevokeTaskLink.self, .init(taskLinkID: link.id)) == "not_found")
      #expect(try await people[0].send(ListTaskLinks.self, .init()).items.isEmpty)
      let other = try await people[0].send(CreateTaskLink.self, .init(taskID: task.id))
      #expect(other.key != link.key)
      #expect(try await refusal(link.key, services) == "not_found")
      #expect(try await open(other, services).name == task.name)
    }
  }

  @Test("Invented and damaged keys of links do not work, and keys are nowhere in the store")
  func forged() async throws {
    try await running { services, task, people in
      let link = try await people[0].send(CreateTaskLink.self, .init(taskID: task.id))
      let other = try await people[1].send(CreateTaskLink.self, .init(taskID: task.id))
      #expect(Base64URL.decode(link.key)?.count == 32)
      let flipped = (link.key.first == "A" ? "B" : "A") + link.key.dropFirst()
      let ends = String(link.key.dropLast(2)) + (link.key.hasSuffix("AA") ? "BA" : "AA")
      let mixed = String(link.key.prefix(21)) + String(other.key.dropFirst(21))
      for key in ["a", "é", link.key + "A", String(link.key.dropLast()), flipped, ends, mixed, link.id.description] {
        #expect(try await refusal(key, services) == "not_found", "\(key)")
      }
      #expect(Data(try services.storedBytes()).range(of: Data(link.key.utf8)) == nil)
      let code = try #require(Base64URL.decode(link.key)).suffix(16)
      #expect(Data(try services.storedBytes()).range(of: Data(code)) == nil)
    }
  }

  @Test("A link does not work while its owner is suspended, and is removed with its owner; others' links stay")
  func ended() async throws {
    try await running { services, task, people in
      let link = try await people[0].send(CreateTaskLink.self, .init(taskID: task.id))
      let other = try await people[1].send(CreateTaskLink.self, .init(taskID: task.id))
      let until = services.clock.now.adding(seconds: 60)
      try await services.change(people[0], receivedBy: .social) { $0.suspendedUntil = until }
      #expect(try await refusal(link.key, services) == "not_found")
      #expect(try await part(of: people[0], services).items.isEmpty)
      services.clock.advance(seconds: 60)
      #expect(try await open(link, services).name == task.name)
      try await services.delete(people[0], receivedBy: .social)
      #expect(try await refusal(link.key, services) == "not_found")
      #expect(try await part(of: people[0], services).items.isEmpty)
      #expect(try await open(other, services).otherParticipantCount == 0)
      #expect(try await services.store(of: .social).traces(of: people[0].id).allSatisfy { !$0.hasPrefix("task_links") })
    }
  }

  @Test("A link does not work while its task is not completed, and works again when it is")
  func reopened() async throws {
    try await running { services, task, people in
      let link = try await people[0].send(CreateTaskLink.self, .init(taskID: task.id))
      let store = services.store(of: .social)
      try await store.write {
        try $0.database.execute(
          sql: "UPDATE tasks SET state = 'open', completed_at = NULL, confirmed_count = 0 WHERE name = 'Paint the boat'")
      }
      #expect(try await refusal(link.key, services) == "not_found")
      #expect(try await part(of: people[0], services).items.isEmpty)
      try await store.write {
        try $0.database.execute(
          sql: "UPDATE tasks SET confirmed_count = 2, state = 'completed', completed_at = 0 WHERE name = 'Paint the boat'")
      }
      #expect(try await open(link, services).name == task.name)
    }
  }

  @Test("A task shows the caller's own public link, and nothing of others' links")
  func ofTask() async throws {
    try await running { services, task, people in
      #expect(try await people[0].details(of: task).link == nil)
      let link = try await people[0].send(CreateTaskLink.self, .init(taskID: task.id, showsOwner: true))
      #expect(try await people[0].details(of: task).link == link)
      #expect(try await people[1].details(of: task).link == nil)
      _ = try await people[0].send(RevokeTaskLink.self, .init(taskLinkID: link.id))
      #expect(try await people[0].details(of: task).link == nil)
    }
  }

  @Test("Another participant's link does not work while the task's creator is suspended")
  func ofSuspendedCreator() async throws {
    try await running { services, task, people in
      let link = try await people[1].send(CreateTaskLink.self, .init(taskID: task.id, showsOwner: true))
      let until = services.clock.now.adding(seconds: 60)
      try await services.change(people[0], receivedBy: .social) { $0.suspendedUntil = until }
      #expect(try await refusal(link.key, services) == "not_found")
      #expect(try await part(of: people[1], services).items.isEmpty)
      services.clock.advance(seconds: 60)
      #expect(try await open(link, services).name == task.name)
    }
  }

  @Test("A public profile does not list links that hide their owner")
  func anonymous() async throws {
    try await running { services, task, people in
      _ = try await people[0].send(CreateTaskLink.self, .init(taskID: task.id))
      #expect(try await part(of: people[0], services).items.isEmpty)
      let link = try await people[0].send(CreateTaskLink.self, .init(taskID: task.id, showsOwner: true))
      #expect(try await part(of: people[0], services).items.map(\.page) == [link.page])
    }
  }

  @Test("A public profile lists completed tasks whose link shows the owner, newest link first, in the reader's language")
  func profile() async throws {
    try await running { services, task, people in
      let second = try await services.makeTask("Sail", by: people[0])
      try await people[0].confirm(second)
      let without = try await services.makeTask("Secret", by: people[0])
      try await people[0].confirm(without)
      #expect(try await part(of: people[0], services).items.isEmpty)
      let links = [
        try await people[0].send(CreateTaskLink.self, .init(taskID: task.id, showsOwner: true)),
        try await people[0].send(CreateTaskLink.self, .init(taskID: second.id, showsOwner: true)),
      ]
      let found = try await part(of: people[0], services)
      #expect(found.heading == "Completed tasks")
      #expect(
        found.items == [
          .init(text: "Sail", detail: "2026-11-21", page: links[1].page),
          .init(text: "Paint the boat", detail: "2026-11-21", page: links[0].page),
        ])
      #expect(try await part(of: people[0], services, .spanish).heading == "Tareas completadas")
      #expect(try await part(of: people[1], services).items.isEmpty)
      let input = ProfilePartInput(accountID: people[0].id, language: .english)
      #expect(try await people[1].failure(GetTaskProfilePart.self, input) != nil)
    }
  }

  @Test("Links are listed page by page, and an account has at most a thousand")
  func many() async throws {
    try await running { services, task, people in
      let account = people[0].id
      try await services.store(of: .social).write { transaction in
        for _ in 1...TaskLinkRules.maxPerAccount {
          let id = try TaskStore.add(
            TaskText(name: try TaskName(text: "Old"), description: nil, dueDay: nil), by: account, with: [], transaction)
          try TaskLinkStore.put(to: id, of: account, showsDescription: false, showsOwner: false, transaction)
        }
      }
      #expect(try await people[0].failure(CreateTaskLink.self, .init(taskID: task.id)) == "too_many_task_links")
      let page = try await people[0].send(ListTaskLinks.self, .init(limit: 200))
      #expect(page.items.count == 200)
      let next = try await people[0].send(ListTaskLinks.self, .init(limit: 200, cursor: page.nextCursor))
      #expect(next.items.count == 200 && Set((page.items + next.items).map(\.id)).count == 400)
      _ = try await people[0].send(RevokeTaskLink.self, .init(taskLinkID: page.items[0].id))
      #expect(try await people[0].failure(CreateTaskLink.self, .init(taskID: task.id)) == nil)
    }
  }
}
