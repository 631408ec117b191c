import ActivityContract
import BuiltPrograms
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import NotificationsContract
import Operations
import Testing

/// Steps → goal, and the end of a week → its summary, each on to inbox, mail and push: processes are killed at each step, and each is told
/// once.
@Suite(
  "Killing services between steps, goals, weekly summaries and their mails and pushes", .serialized,
  .enabled(if: PushService.python != nil))
struct GoalKillsTests {
  private func run(_ body: (RunningCluster, PushService) async throws -> Void) async throws {
    try await PushService.run { service in
      var settings = Play.settings
      settings["RACHA_PUSH_ALLOWED_ORIGINS"] = service.origin
      let cluster = try RunningCluster(settings: settings)
      defer { cluster.stop() }
      try await cluster.start()
      try await body(cluster, service)
    }
  }

  /// Somebody with a device, who has goals mailed too.
  private func join(_ name: String, _ zone: NoonZone, _ cluster: RunningCluster, _ service: PushService) async throws -> Player {
    let player = try await Player.join(name, [], zone, cluster)
    _ = try await player.client.callUntilDone(CreatePushSubscription.self, try service.subscription("/push/201/\(name)"))
    _ = try await player.client.callUntilDone(
      UpdateNotificationPreferences.self, .init(choices: [.init(category: .goals, .email, isOn: true)]))
    return player
  }

  private func record(_ steps: Int, on day: LocalDay, hour: Int, _ player: Player) async throws {
    let start = player.zone.instant(day: day, hour: hour)
    let sample = MovementSample(
      id: "walk-\(day)-\(hour)", start: start, end: start.adding(seconds: 3600), steps: steps, source: "phone")
    let result = try await player.client.callUntilDone(RecordMovementSamples.self, .init(samples: [sample]))
    #expect(result.rejected.isEmpty)
  }

  /// What the log has of a kind, by channel, once there is all of it and it has ended.
  private func deliveries(_ kind: String, _ player: Player) async throws -> [NotificationDelivery] {
    try await eventually {
      try await player.client.callUntilDone(ListDeliveries.self, .init()).items.filter { $0.kind == kind }
    } until: { found in
      found.count >= 3 && found.allSatisfy { $0.finishedAt != nil }
    }
  }

  /// Each went by each channel, once.
  private func expectSentOnce(_ kind: String, _ player: Player) async throws {
    let found = try await deliveries(kind, player)
    #expect(found.map(\.channel).sorted { $0.rawValue < $1.rawValue } == [.email, .inbox, .push], "\(kind)")
    #expect(found.allSatisfy { $0.state == .sent }, "\(kind)")
  }

  /// The pushes that came so far, by device and words: under which topics, and how often.
  private func drain(
    _ wanted: String, of name: String, _ service: PushService, _ topics: inout [String: Set<String>]
  ) async throws {
    while !topics.keys.contains(where: { $0.hasPrefix("\(name) ") && $0.contains(wanted) }) {
      let push = try await service.next()
      #expect(push.faults == [])
      guard case .string(let text) = try JSONTape(Array(push.text.utf8)).json["notification"]?["body"] else { continue }
      topics["\(push.path.split(separator: "/").last ?? "") \(text)", default: []].insert(push.topic)
    }
  }

  @Test(
    "Kills at each step from a goal's steps to inbox, mail and push lose nothing and notify of nothing twice (NOT-3)"
  )
  func goals() async throws {
    try await run { cluster, service in
      let folder = MailFolder(home: cluster.home)
      var topics: [String: Set<String>] = [:]
      for round in 0..<Play.rounds(2) {
        let zone = NoonZone()
        let name = "ana\(round)"
        let ana = try await join(name, zone, cluster, service)
        _ = try await ana.client.callUntilDone(SetStepGoal.self, .init(period: .day, goal: 5000))
        // The event waits in activity's outbox while notifications is away, or the other way round.
        cluster.kill(round.isMultiple(of: 2) ? .notifications : .activity)
        try await record(4600, on: zone.today, hour: 8, ana)
        try await KillRounds.kill([.activity, .notifications], cluster)
        try await drain("400", of: name, service, &topics)
        try await expectSentOnce("stepGoalNear", ana)

        cluster.kill(round.isMultiple(of: 2) ? .activity : .notifications)
        try await record(600, on: zone.today, hour: 9, ana)
        try await KillRounds.kill([.notifications, .activity, .notifications], cluster)
        try await drain("Congratulations!", of: name, service, &topics)
        cluster.kill(.notifications)
        try await expectSentOnce("stepGoalReached", ana)

        // A correction is no second goal.
        try await record(100, on: zone.today, hour: 10, ana)
        let inbox = try await ana.client.callUntilDone(ListNotifications.self, .init(category: .goals)).items
        #expect(inbox.map(\.kind) == ["stepGoalReached"])
        let texts = try folder.mails(to: "\(name)@example.org").map(\.text)
        #expect(texts.count { $0.contains("close to your daily goal of 5,000 steps") } == 1)
        #expect(texts.count { $0.contains("Congratulations! You reached 5,000 steps today!") } == 1)
        // Whatever came again came in the place of the first, and what was reached in that of what was near.
        let mine = topics.filter { $0.key.hasPrefix("\(name) ") }
        #expect(mine.count == 2 && Set(mine.values.flatMap { $0 }).count == 1)
      }
    }
  }

  /// Nobody waits for a Monday, or for the minute after which services are asked again: the week before is told now.
  private func makeDue(_ player: Player, _ cluster: RunningCluster, beginning isFirst: Bool = false) async throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let store = try DatabaseQueue(path: "\(cluster.home)/stores/notifications.sqlite", configuration: configuration)
    let today = player.zone.today
    let monday = today.advanced(by: 1 - today.weekday).advanced(by: -7).daysSinceEpoch
    let account = Data(player.account.id.bytes)
    func update() async throws -> Int {
      try await store.write {
        try $0.execute(
          sql: isFirst
            ? "UPDATE weekly_summaries SET first_day = ?, due_at = 0, attempts = 0 WHERE account_id = ?"
            : "UPDATE weekly_summaries SET due_at = 0 WHERE first_day = ? AND account_id = ?", arguments: [monday, account])
        return $0.changesCount
      }
    }
    // Of a new account notifications learns in its own time.
    let changed = try await isFirst ? eventually(update) { $0 == 1 } : update()
    #expect(!isFirst || changed == 1)
  }

  @Test(
    "Kills at each step from a week's end to inbox, mail and push lose no summary and send none twice (NOT-3, NOT-6)"
  )
  func weeks() async throws {
    try await run { cluster, service in
      let folder = MailFolder(home: cluster.home)
      var topics: [String: Set<String>] = [:]
      for round in 0..<Play.rounds(2) {
        let zone = NoonZone()
        let name = "eva\(round)"
        let eva = try await join(name, zone, cluster, service)
        try await record(4321, on: zone.today.advanced(by: -7), hour: 9, eva)
        try await makeDue(eva, cluster, beginning: true)
        for service in [ServiceName.activity, .rewards, .social].shuffled() {
          // It is asked just as it goes, or while it is away.
          try await KillRounds.kill([service, .notifications], cluster)
        }
        try await cluster.waitUntilReady()
        try await makeDue(eva, cluster)
        // Whoever begins looks at once.
        cluster.kill(.notifications)
        try await drain("4,321", of: name, service, &topics)
        cluster.kill(.notifications)
        try await expectSentOnce("weeklySummary", eva)
        // The week is told, so that it cannot be told again.
        try await makeDue(eva, cluster)
        cluster.kill(.notifications)
        try await cluster.waitUntilReady()
        let inbox = try await eva.client.callUntilDone(ListNotifications.self, .init(category: .goals)).items
        #expect(inbox.map(\.kind) == ["weeklySummary"] && inbox.first?.text.contains("4,321") == true)
        let texts = try folder.mails(to: "\(name)@example.org").map(\.text)
        #expect(texts.count { $0.contains("4,321") } == 1)
        let mine = topics.filter { $0.key.hasPrefix("\(name) ") }
        #expect(mine.count == 1 && mine.values.allSatisfy { $0.count == 1 })
      }
    }
  }
}
