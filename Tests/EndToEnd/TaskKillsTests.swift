import Client
import Cluster
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import SocialContract
import Testing

/// Social and notifications are killed at random moments while people work on tasks: each is made, commented on and completed once.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing social and notifications during tasks", .serialized)
struct TaskKillsTests {
  /// Kills each of them once, at random moments: whatever runs then is cut off.
  private func kill(_ services: [ServiceName], _ cluster: RunningCluster) -> Task<Void, any Error> {
    Task {
      for service in services.shuffled() {
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
        cluster.kill(service)
      }
    }
  }

  @Test(
    "Kills leave each task and comment once, completed when all have confirmed, with one notification (TASK-2, TASK-5)")
  func confirming() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let ben = try await cluster.join("ben", password: "Mar-9-bravo")
    let rounds = Play.rounds(4)
    for round in 0..<rounds {
      let killer = kill([.social, .notifications], cluster)
      let task = try await ana.client.callUntilDone(
        CreateTask.self, .init(name: TaskName(text: "Task \(round)"), participants: [ben.account.username]),
        idempotencyKey: "task-\(round)")
      _ = try await ben.client.callUntilDone(
        CreateTaskComment.self, .init(taskID: task.id, text: ChatText(text: "Comment \(round)")),
        idempotencyKey: "comment-\(round)")
      _ = try await ana.client.callUntilDone(ConfirmTaskCompletion.self, .init(taskID: task.id))
      _ = try await ana.client.callUntilDone(WithdrawTaskCompletion.self, .init(taskID: task.id))
      _ = try await ana.client.callUntilDone(ConfirmTaskCompletion.self, .init(taskID: task.id))
      _ = try await ben.client.callUntilDone(ConfirmTaskCompletion.self, .init(taskID: task.id))
      try await killer.value
    }
    try await cluster.waitUntilReady()
    let tasks = try await ana.client.callUntilDone(ListTasks.self, .init()).items
    #expect(tasks.map(\.name.description) == (0..<rounds).reversed().map { "Task \($0)" })
    #expect(tasks.allSatisfy { $0.state == .completed && $0.confirmedCount == 2 && $0.participantCount == 2 })
    for task in tasks {
      let details = try await ana.client.callUntilDone(GetTask.self, .init(taskID: task.id))
      #expect(details.comments.count == 1)
    }
    // Ben was the last one to confirm.
    let wanted = ["taskCompleted": rounds, "taskCommented": rounds]
    func count(_ inbox: [NotificationsContract.Notification], _ kind: String) -> Int { inbox.count { $0.kind.rawValue == kind } }
    let inbox = try await eventually {
      try await ana.client.callUntilDone(ListNotifications.self, .init(limit: 100)).items
    } until: { inbox in
      wanted.allSatisfy { count(inbox, $0.key) >= $0.value }
    }
    for (kind, number) in wanted { #expect(count(inbox, kind) == number, "\(kind)") }
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  @Test("Killing social still completes every task that waited only for a deleted account (TASK-5, ID-12)")
  func erasing() async throws {
    var settings = Play.settings
    settings["RACHA_ERASURE_ROWS_PER_TRANSACTION"] = "1"
    let cluster = try RunningCluster(settings: settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let ben = try await cluster.join("ben", password: "Mar-9-bravo")
    let count = 20
    for number in 0..<count {
      let task = try await ana.client.callUntilDone(
        CreateTask.self, .init(name: TaskName(text: "Task \(number)"), participants: [ben.account.username]),
        idempotencyKey: "task-\(number)")
      _ = try await ana.client.callUntilDone(ConfirmTaskCompletion.self, .init(taskID: task.id))
    }
    _ = try await ben.client.call(DeleteAccount.self, .init(password: .init(text: "Mar-9-bravo")))
    for _ in 0..<Play.rounds(4) {
      try await kill([.social], cluster).value
      try await cluster.waitUntilReady()
    }
    let completed = try await eventually {
      try await ana.client.callUntilDone(ListTasks.self, .init(state: .completed)).items
    } until: {
      $0.count == count
    }
    #expect(completed.count == count && completed.allSatisfy { $0.participantCount == 1 && $0.confirmedCount == 1 })
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }
}
