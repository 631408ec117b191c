import GRDB
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import SocialContract
import Storage
import Synchronization
import Testing

@testable import SocialService

@Suite("Completions of tasks (TASK-5)")
struct TaskCompletionTests {
  @Test("Each participant confirms its own completion, and the last one completes the task")
  func confirm() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      let first = try await ana.confirm(task)
      #expect(first.isConfirmed && first.confirmedCount == 1 && first.state == .open)
      let last = try await ben.confirm(task)
      #expect(last.state == .completed && last.confirmedCount == 2 && last.completedAt != nil)
      #expect(try await ana.tasks(.open).isEmpty)
      #expect(try await ana.tasks(.completed) == ["Paint"])
      for person in people {
        let change = try await services.lastChange(of: task, for: person)
        #expect(change?.state == .completed && change?.isConfirmed == true && change?.confirmedCount == 2)
      }
    }
  }

  @Test("Confirming a completion again changes and publishes nothing, also in a completed task")
  func again() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      let first = try await ana.confirm(task)
      let count = try await services.published(by: .social).count
      #expect(try await ana.confirm(task) == first)
      #expect(try await services.published(by: .social).count == count)
      let done = try await ben.confirm(task)
      #expect(try await ben.confirm(task) == done)
    }
  }

  @Test("A task confirmed by many participants concurrently is completed once")
  func together() async throws {
    try await ServicesInProcess.withPeople(5) { services, people in
      let task = try await services.makeTask(by: people[0], with: Array(people.dropFirst()))
      try await services.together(5, writingTo: .social) { number in try await people[number].confirm(task) }
      #expect(try await people[0].details(of: task).task.state == .completed)
      // They wait for the checkpoint that covers the last confirmation.
      try await services.store(of: .social).until {
        try await services.published(TaskNoticeCreated.self).filter { $0.notice == .completed }.count >= 4
      }
      #expect(try await services.published(TaskNoticeCreated.self).filter { $0.notice == .completed }.count == 4)
    }
  }

  @Test("A completion can be taken back until all have confirmed the task")
  func withdraw() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      try await ana.confirm(task)
      let back = try await ana.withdraw(task)
      #expect(!back.isConfirmed && back.confirmedCount == 0)
      #expect(try await services.lastChange(of: task, for: ana)?.isConfirmed == false)
      #expect(try await ana.withdraw(task) == back)
      try await ana.confirm(task)
      try await ben.confirm(task)
      #expect(try await ana.failure(WithdrawTaskCompletion.self, .init(taskID: task.id)) == "task_completed")
      let refusals = try await ana.refusals(of: task.id)
      #expect(refusals["edit"] == "task_completed" && refusals["cancel"] == "task_completed")
      #expect(try await ben.failure(OptOutOfTask.self, .init(taskID: task.id, confirm: true)) == "task_completed")
      #expect(
        try await ana.failure(RemoveTaskParticipant.self, .init(taskID: task.id, accountID: ben.id)) == "task_completed")
    }
  }

  /// How the last one who has not confirmed goes.
  enum End: CaseIterable { case optsOut, isRemoved, isDeleted }

  @Test("A task is also completed when its last unconfirmed participant opts out, is removed or deleted", arguments: End.allCases)
  func lastOne(end: End) async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      try await ana.confirm(task)
      try await ben.confirm(task)
      switch end {
      case .optsOut: try await eva.optOut(of: task)
      case .isRemoved: try await ana.remove(eva, from: task)
      case .isDeleted: try await services.delete(eva, receivedBy: .social)
      }
      let done = try await ben.details(of: task)
      #expect(done.task.state == .completed && done.task.participantCount == 2 && done.task.confirmedCount == 2)
      #expect(done.participants.map(\.person.accountID) == [ana.id, ben.id])
      #expect(try await services.lastChange(of: task, for: ben)?.state == .completed)
      try await services.store(of: .social).until {
        try await services.published(TaskNoticeCreated.self).contains { $0.notice == .completed && $0.accountID == ben.id }
      }
      #expect(try await services.notices(of: ben).first?.text == "“Paint” is completed: everybody has confirmed.")
    }
  }

  @Test("A creator without other participants completes its task by confirming")
  func alone() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      let task = try await services.makeTask(by: people[0])
      #expect(try await people[0].confirm(task).state == .completed)
    }
  }

  @Test("An account deleted in steps leaves its tasks in steps, and all that waited only for it are completed")
  func manyTasks() async throws {
    try await ServicesInProcess.withPeople(2, settings: ["racha.erasure.rowsPerTransaction": "2"]) { services, people in
      let (ana, ben) = (people[0], people[1])
      var tasks: [SharedTask] = []
      for number in 0..<5 {
        tasks.append(try await services.makeTask("\(number)", by: ana, with: [ben]))
        try await ana.confirm(tasks[number])
      }
      try await ben.confirm(try await services.makeTask("own", by: ben, with: [ana]))
      try await services.delete(ben, receivedBy: .social)
      #expect(try await ana.tasks(.completed) == ["4", "3", "2", "1", "0"])
      #expect(try await ana.tasks(.open) == ["own"])
      let store = services.store(of: .social)
      #expect(try await store.traces(of: ben.id).filter { $0.hasPrefix("task") } == [])
    }
  }

  @Test("The snapshot has each participant's task as last published, former participants included")
  func snapshot() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let first = try await services.makeTask("first", by: ana, with: [ben, eva])
      let second = try await services.makeTask("second", by: ben, with: [ana])
      try await ana.confirm(first)
      try await eva.optOut(of: first)
      try await ana.confirm(second)
      try await ben.confirm(second)
      func last(_ events: [TaskChanged]) -> [[AccountID: TaskChanged]] {
        [first, second].map { task in
          Dictionary(events.filter { $0.taskID == task.id }.map { ($0.accountID, $0) }) { $0.revision > $1.revision ? $0 : $1 }
        }
      }
      let snapshot = try await services.snapshot(of: .social).filter { $0.name == TaskChanged.spec.name }
        .map { try TaskChanged.decode($0.body) }
      let published = last(try await services.published(TaskChanged.self))
      #expect(last(snapshot) == published && snapshot.count == 5 && published[0][eva.id]?.isParticipant == false)
    }
  }

  @Test("Observers of completions see each one confirmed and taken back once, and none of a deleted account")
  func observers() async throws {
    let seen = Seen()
    try await ServicesInProcess.running([
      { environment in
        ServiceDefinition(
          .social, environment,
          features: SocialFeatures.all(
            environment,
            completionObservers: [
              { task, account, change, participants, transaction in
                // It is in the transaction of the change.
                let isConfirmed = try TaskParticipantStore.find(task, account, in: transaction.database)?.confirmedAt != nil
                #expect(isConfirmed == (change == .confirmed))
                seen.add(account, "\(change) \(participants)")
              }
            ]))
      }
    ]) { services in
      let (ana, ben, eva) = (try await services.register(), try await services.register(), try await services.register())
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      try await ana.confirm(task)
      try await ana.confirm(task)
      try await ana.withdraw(task)
      try await ana.withdraw(task)
      try await ben.confirm(task)
      try await ben.optOut(of: task)
      try await eva.confirm(task)
      try await services.delete(eva, receivedBy: .social)
      #expect(seen.of(ana.id) == ["confirmed 3", "withdrawn 3"])
      #expect(seen.of(ben.id) == ["confirmed 3", "withdrawn 3"])
      #expect(seen.of(eva.id) == ["confirmed 2"])
    }
  }

  /// What an observer has seen, by account.
  private final class Seen: Sendable {
    private let all = Mutex<[AccountID: [String]]>([:])

    func add(_ account: AccountID, _ text: String) { all.withLock { $0[account, default: []].append(text) } }
    func of(_ account: AccountID) -> [String] { all.withLock { $0[account] ?? [] } }
  }
}
