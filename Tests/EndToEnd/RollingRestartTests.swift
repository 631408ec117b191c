import ActivityContract
import Client
import Cluster
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Synchronization
import Testing

@Suite("Restarting programs of a cluster that is in use", .serialized, .timeLimit(.minutes(3)))
struct RollingRestartTests {
  /// What clients were answered, and whether they are to ask no more.
  private final class Report: Sendable {
    struct State {
      var served = 0
      var failures: [String] = []
      var sent: [String] = []
      var isOver = false
    }

    let state = Mutex(State())
    var isOver: Bool { state.withLock { $0.isOver } }
    var answered: Int { state.withLock { $0.served + $0.failures.count } }
  }

  @Test(
    "Restarting each service fails no client and repeats no effect, and no new gateway accepts a token logged out before"
  )
  func oneByOne() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let (ana, ben) = (
      try await cluster.join("ana", password: "Rio-7-lento"), try await cluster.join("ben", password: "Rio-7-lento")
    )
    let request = try await ana.client.call(SendFriendRequest.self, .init(username: ben.account.username))
    _ = try await ben.client.call(AcceptFriendRequest.self, .init(friendRequestID: request.id))
    let report = Report()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<10 {
        group.addTask {
          var number = 0
          while !report.isOver {
            number += 1
            await Self.ask(client + number, "\(client) \(number)", ana, ben, report)
            // The load that is offered, no wait for anything.
            try await Task.sleep(for: .milliseconds(50))
          }
        }
      }
      for service in [ServiceName.identity, .activity, .social, .rewards, .notifications] {
        let before = report.answered
        while report.answered < before + 20 { await Task.yield() }
        try await cluster.restart(service)
        try await cluster.waitUntilReady()
      }
      let last = report.answered
      while report.answered < last + 20 { await Task.yield() }
      report.state.withLock { $0.isOver = true }
      try await group.waitForAll()
    }
    let (served, failures, sent) = report.state.withLock { ($0.served, $0.failures, $0.sent) }
    #expect(failures.isEmpty)
    #expect(served >= 120)
    var published: [String] = []
    var page = try await ben.client.call(ListMessages.self, .init(accountID: ana.account.id, limit: 100))
    published += page.items.compactMap(\.text?.description)
    while let cursor = page.nextCursor {
      page = try await ben.client.call(ListMessages.self, .init(accountID: ana.account.id, limit: 100, cursor: cursor))
      published += page.items.compactMap(\.text?.description)
    }
    #expect(published.sorted() == sent.sorted(), "each message once")

    _ = try await ben.client.call(LogOut.self, .init())
    cluster.kill(.gateway)
    var (taken, answered) = (0, 0)
    let deadline = ContinuousClock.now + .seconds(30)
    while answered < 20, ContinuousClock.now < deadline {
      do {
        _ = try await ben.client.call(GetOwnAccount.self, Empty())
        taken += 1
        answered += 1
      } catch let problem as GatewayClient.Problem {
        #expect(problem.status == 401 || problem.status == 503)
        if problem.status == 401 { answered += 1 }
      } catch {
        // Nobody listens yet.
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    #expect(taken == 0 && answered == 20)
    #expect(try await ana.client.call(GetOwnAccount.self, Empty()).username == ana.account.username)
  }

  /// One request of the load, by its number: reads of all five services, and writes of three.
  private static func ask(_ kind: Int, _ name: String, _ ana: Member, _ ben: Member, _ report: Report) async {
    do {
      switch kind % 9 {
      case 0: _ = try await ana.client.call(GetOwnAccount.self, Empty())
      case 1: _ = try await ben.client.call(ListActivities.self, .init())
      case 2: _ = try await ana.client.call(ListFriends.self, .init())
      case 3: _ = try await ben.client.call(GetBalance.self, Empty())
      case 4: _ = try await ana.client.call(CountUnreadNotifications.self, Empty())
      case 5: _ = try await ana.client.call(UpdateSettings.self, .init(dayStartHour: .set(kind % 6)))
      case 6: _ = try await ben.client.call(MarkAllNotificationsRead.self, .init(upTo: 1))
      default:
        _ = try await ana.client.call(SendMessage.self, .init(accountID: ben.account.id, text: .init(text: name)))
        report.state.withLock { $0.sent.append(name) }
      }
      report.state.withLock { $0.served += 1 }
    } catch {
      report.state.withLock { $0.failures.append("\(kind % 9): \(error)") }
    }
  }
}
