import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import GeneratedAccounts
import GeneratedHistory
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

/// How long a stranger's writes wait, one after the other, during long work for one account: from its call until nothing of the work is
/// left.
///
/// The stranger writes in the service that does the work, and at the same time in rewards where that learns of it by events. Before each
/// work it writes at rest, too.
struct LongWorkLoad {
  let cluster: RunningCluster
  let report: Report
  /// How many notifications are marked read at once.
  let notifications: Int
  /// How many entries the deleted activity has.
  let entries: Int
  /// How many samples are sent.
  let samples: Int

  private typealias Write = @Sendable (_ number: Int) async throws -> Void

  private static let quietSeconds = 5
  private static let connections = 4
  private static let samplesOfBatch = 1000
  /// Of each source. All of them measured on the same days, in part at the same times.
  private static let samplesOfDay = 200
  private static let devices = ["watch", "phone", "tracker"]
  private static let friends = 5000

  private enum Missing: Error { case notifications, samples }

  func measure() async throws {
    let busy = try await People.make("bench.busy", cluster)
    let writes = try await makeWrites()
    try await markRead(busy, writes)
    try await delete(busy, writes)
    try await send(busy, writes)
    try await reorder(busy, writes)
    try await spread(busy, writes)
    try await changeName(busy, writes)
  }

  // MARK: - Long work

  private func markRead(_ busy: People.Person, _ writes: [ServiceName: Write]) async throws {
    let newest = try await fillInbox(of: busy.account.id)
    let unread = try await busy.client.call(CountUnreadNotifications.self, .init()).unreadCount
    guard unread >= notifications else { throw Missing.notifications }
    try await watch("marks \(notifications) notifications read", writes, in: [.notifications]) {
      _ = try await busy.client.call(MarkAllNotificationsRead.self, .init(upTo: newest))
      try await waitUntilNone("SELECT 1 FROM read_marks WHERE account_id = ? LIMIT 1", of: busy, in: .notifications)
    }
  }

  private func delete(_ busy: People.Person, _ writes: [ServiceName: Write]) async throws {
    let last = LocalDay.utc.advanced(by: -1)
    let activities = try await busy.makeLongActivities(1, from: last.advanced(by: -entries))
    let history = GeneratedHistory(of: busy.account.id, activities, days: entries, to: last)
    try await cluster.write(history, report, isPublished: true)
    try await waitForRewards()
    try await watch("deletes an activity of \(history.count) entries", writes, in: [.activity, .rewards]) {
      _ = try await busy.client.call(DeleteActivity.self, .init(activityID: activities[0], confirm: true))
      try await waitUntilNone("SELECT 1 FROM deleted_activities WHERE account_id = ? LIMIT 1", of: busy, in: .activity)
      try await waitForRewards()
    }
  }

  private func send(_ busy: People.Person, _ writes: [ServiceName: Write]) async throws {
    // Bodies are made before the clock starts: the client shares the cores with what is measured.
    let (client, batches) = (busy.client, try makeBatches())
    try await watch("sends \(batches.count * Self.samplesOfBatch) samples", writes, in: [.activity, .rewards]) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<Self.connections {
          group.addTask {
            for index in stride(from: worker, to: batches.count, by: Self.connections) {
              guard try await client.call(batches[index]).rejected.isEmpty else { throw Missing.samples }
            }
          }
        }
        try await group.waitForAll()
      }
      try await waitForRewards()
    }
  }

  private func reorder(_ busy: People.Person, _ writes: [ServiceName: Write]) async throws {
    let sources = try await busy.client.call(ListMovementSources.self, .init()).sources
    // The newest days are counted first.
    let oldest = "SELECT steps FROM movement_days WHERE account_id = ? ORDER BY day, revision DESC LIMIT 1"
    let before = try number(oldest, of: busy, in: reading(.activity))
    guard sources.count == Self.devices.count, before > 0 else { throw Missing.samples }
    try await watch("reorders the \(sources.count) sources of them", writes, in: [.activity, .rewards]) {
      _ = try await busy.client.call(ReorderMovementSources.self, .init(sources: sources.reversed()))
      try await wait(while: { $0 == before }, oldest, of: busy, in: .activity)
      try await waitUntilNone(
        """
        SELECT 1 FROM movement_stale_days
        WHERE account_number = (SELECT account_number FROM movement_accounts WHERE account_id = ?) LIMIT 1
        """, of: busy, in: .activity)
      try await waitForRewards()
    }
  }

  /// One call with samples of as many days as there may be in one, of which each has those of before; and one that deletes them.
  private func spread(_ busy: People.Person, _ writes: [ServiceName: Write]) async throws {
    let days = min(Self.samplesOfBatch, samples / (Self.devices.count * Self.samplesOfDay))
    let midnight = Int64(LocalDay.utc.daysSinceEpoch) * 86_400_000
    let spread = (1...days).map { day in
      let start = Instant(milliseconds: midnight - Int64(day) * 86_400_000)
      return MovementSample(
        id: "spread-\(day)", start: start, end: start.adding(seconds: 60), steps: 10, source: "bench", device: Self.devices[0])
    }
    try await watch("sends samples of \(days) days in one call", writes, in: [.activity, .rewards]) {
      let answer = try await busy.client.call(RecordMovementSamples.self, .init(samples: spread))
      guard answer.accepted == days else { throw Missing.samples }
      try await waitForRewards()
    }
    try await watch("deletes them in one call", writes, in: [.activity, .rewards]) {
      let answer = try await busy.client.call(DeleteMovementSamples.self, .init(ids: spread.map(\.id)))
      guard answer.deleted == days else { throw Missing.samples }
      try await waitForRewards()
    }
  }

  private func changeName(_ busy: People.Person, _ writes: [ServiceName: Write]) async throws {
    try await fillFriends(of: busy.account.id)
    try await watch("with \(Self.friends) friends changes its username", writes, in: [.social]) {
      let name = FormField<Username>(text: "bench.renamed")
      _ = try await busy.client.call(UpdateProfile.self, .init(username: .set(name)))
      try await wait(
        while: { $0 < Self.friends }, "SELECT count(*) FROM friend_names WHERE username = 'bench.renamed' AND account_id <> ?",
        of: busy, in: .social)
    }
  }

  // MARK: - Others meanwhile

  /// What a stranger writes in each service, something else each time.
  private func makeWrites() async throws -> [ServiceName: Write] {
    let client = try await People.make("bench.stranger", cluster).client
    let activity = try await client.call(
      CreateActivity.self,
      .init(title: "Meanwhile", category: .other, goal: .quantity(1000, unit: "times"), schedule: .daily)
    ).id
    let notifications: Write = { number in
      let choice = NotificationChoice(category: .teams, .email, isOn: number % 2 == 0)
      _ = try await client.callUntilDone(UpdateNotificationPreferences.self, .init(choices: [choice]))
    }
    let entries: Write = { _ in
      _ = try await client.callUntilDone(IncrementEntry.self, .init(activityID: activity, day: .today, amount: 0.001))
    }
    let rewards: Write = { number in
      _ = try await client.callUntilDone(SetBadgeVisibility.self, .init(isVisibleToFriends: number % 2 == 0))
    }
    let task = try await client.call(CreateTask.self, .init(name: TaskName(text: "Meanwhile"))).id
    let tasks: Write = { number in
      let name = try TaskName(text: "Meanwhile \(number)")
      _ = try await client.callUntilDone(UpdateTask.self, .init(taskID: task, name: .set(name)))
    }
    return [.notifications: notifications, .activity: entries, .rewards: rewards, .social: tasks]
  }

  /// Reports what writes in some services wait for as long as the work takes.
  private func watch(
    _ name: String, _ writes: [ServiceName: Write], in services: [ServiceName], _ work: () async throws -> Void
  ) async throws {
    let writes = writes.filter { services.contains($0.key) }
    for write in writes.values {
      for number in 0..<Waits.before { try await write(number) }
    }
    let alone = try await waits(writes) { try await Task.sleep(for: .seconds(Self.quietSeconds)) }
    let start = ContinuousClock.now
    let beside = try await waits(writes, during: work)
    report.raw("an account \(name): \(Int((ContinuousClock.now - start).milliseconds)) ms")
    for service in services {
      guard let before = alone[service], let meanwhile = beside[service] else { continue }
      report.raw("a write of others in \(service.rawValue) before: \(words(before)); meanwhile: \(words(meanwhile))")
      report.add(
        "longest write of others in \(service.rawValue) while an account \(name)", String(format: "%.1f ms", meanwhile.longest),
        target: "100 ms", isReached: meanwhile.longest <= 100)
    }
  }

  private func waits(
    _ writes: [ServiceName: Write], during work: () async throws -> Void
  ) async throws -> [ServiceName: Waits] {
    let isOver = Flag()
    return try await withThrowingTaskGroup(of: (ServiceName, Waits).self) { group in
      for (service, write) in writes {
        group.addTask {
          var number = 0
          let waits = try await Waits(
            until: { isOver.isRaised },
            ask: {
              try await write(number)
              number += 1
            })
          return (service, waits)
        }
      }
      defer { isOver.raise() }
      try await work()
      isOver.raise()
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  private func words(_ waits: Waits) -> String {
    String(format: "%d, p50 %.1f, p99 %.1f, longest %.1f ms", waits.count, waits.p50, waits.p99, waits.longest)
  }

  // MARK: - What there is to do

  /// - Returns: the number of the newest notification.
  private func fillInbox(of account: AccountID) async throws -> Int {
    let count = notifications
    return try await write(.notifications) { try HeavyAccount.addNotifications(count, to: account, in: $0) }
  }

  /// Friends that social alone knows of.
  private func fillFriends(of account: AccountID) async throws {
    try await write(.social) { database in
      let (account, now) = (Data(account.bytes), Instant.now.milliseconds)
      for number in 0..<Self.friends {
        let friend = Data(AccountID().bytes)
        try database.execute(
          sql: """
            INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, revision)
            VALUES (?, 'friend' || ?, 'UTC', 0, 'en', 1, 1)
            """, arguments: [friend, number])
        try database.execute(
          sql: "INSERT INTO friendships (low_account, high_account, since) VALUES (min(?1, ?2), max(?1, ?2), ?3)",
          arguments: [account, friend, now])
      }
    }
  }

  /// Writes into a store while its service is away.
  private func write<T: Sendable>(_ service: ServiceName, _ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    cluster.hold(service)
    // The end of a process is waited for; there is nothing that reports it.
    while cluster.processID(service) != 0 { try await Task.sleep(for: .milliseconds(5)) }
    let store = try DatabaseQueue(path: path(of: service))
    let result = try await store.write(body)
    try store.close()
    try cluster.release(service)
    try await cluster.waitUntilReady()
    return result
  }

  /// Source after source for the same days, the newest days first.
  private func makeBatches() throws -> [PreparedCall<RecordMovementSamples>] {
    let last = LocalDay.utc.advanced(by: -1)
    let secondsOfSample = 86_400 / Self.samplesOfDay
    // As many of each source.
    let count = samples / (Self.samplesOfBatch * Self.devices.count) * Self.devices.count
    return try (0..<count).map { batch in
      let source = batch % Self.devices.count
      let first = batch / Self.devices.count * Self.samplesOfBatch
      let samples = (first..<first + Self.samplesOfBatch).map { number in
        let day = last.advanced(by: -(number / Self.samplesOfDay))
        let midnight = Instant(milliseconds: Int64(day.daysSinceEpoch) * 86_400_000)
        let start = midnight.adding(seconds: number % Self.samplesOfDay * secondsOfSample + 60 * source)
        return MovementSample(
          id: "busy-\(source)-\(number)", start: start, end: start.adding(seconds: 300), steps: 20 * (source + 1),
          source: "bench", device: Self.devices[source])
      }
      return try PreparedCall<RecordMovementSamples>(.init(samples: samples))
    }
  }

  // MARK: - Stores

  /// Waits until a query of a service's store finds nothing of an account.
  private func waitUntilNone(_ sql: String, of person: People.Person, in service: ServiceName) async throws {
    try await wait(while: { $0 != 0 }, sql, of: person, in: service)
  }

  /// Waits while what a query finds of an account is so; there is nothing that reports the end of the work.
  private func wait(
    while isSo: (Int64) -> Bool, _ sql: String, of person: People.Person, in service: ServiceName
  ) async throws {
    let store = try reading(service)
    while try isSo(number(sql, of: person, in: store)) { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// Waits until rewards has taken in what it learns of activity so far.
  private func waitForRewards() async throws {
    let (activity, rewards) = (try reading(.activity), try reading(.rewards))
    let names = [ActivityDeleted.spec.name, EntryRecorded.spec.name, MovementDaysChanged.spec.name]
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    let head = try number("SELECT number FROM outbox WHERE name IN (\(list)) ORDER BY number DESC LIMIT 1", in: activity)
    let cursor = "SELECT number FROM subscription_cursors WHERE publisher = 'activity'"
    while try number(cursor, in: rewards) < head { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// The number that a query finds, of an account if one is given; 0 if there is none.
  private func number(_ sql: String, of person: People.Person? = nil, in store: DatabaseQueue) throws -> Int64 {
    let arguments: StatementArguments = if let person { [Data(person.account.id.bytes)] } else { [] }
    return try store.read { try Int64.fetchOne($0, sql: sql, arguments: arguments) ?? 0 }
  }

  private func reading(_ service: ServiceName) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    return try DatabaseQueue(path: path(of: service), configuration: configuration)
  }

  private func path(of service: ServiceName) -> String { "\(cluster.home)/stores/\(service.rawValue).sqlite" }
}
