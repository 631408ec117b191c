import Cluster
import Foundation
import GRDB
import GeneratedAccounts
import IdentityContract
import Operations
import Testing

/// Stores that were filled with copies of accounts, as the bench fills them with a million.
@Suite("Generated accounts", .timeLimit(.minutes(5)))
struct GrowthTests {
  static let copies = 19

  @Test("Services work with stores full of copied accounts, and each operation is called in a round or excluded for a reason")
  func copies() async throws {
    let cluster = try RunningCluster(
      settings: ["RACHA_LIMITS_RATE_FACTOR": "100000", "RACHA_LIMITS_CONNECTIONS_PER_ADDRESS": "10000"])
    defer { cluster.stop() }
    try await cluster.start()
    let cast = try await GrowthCast(cluster)
    let templates = try await AccountTemplates(cluster, offers: cast)
    for service in GeneratedAccounts.services { cluster.hold(service) }
    let isAway = try await eventually {
      GeneratedAccounts.services.map(cluster.processID)
    } until: {
      $0.allSatisfy { $0 == 0 }
    }
    try #require(isAway.allSatisfy { $0 == 0 })
    let stores = FilledStores(home: cluster.home)
    let before = try stores.schemas()
    let generated = try GeneratedAccounts(home: cluster.home, madeIn: templates.milliseconds, copies: Self.copies)
    _ = try await generated.fill()
    #expect(try HeavyAccounts(cast, times: 5).fill(home: cluster.home) == 25)
    try generated.forgetDevices(ofCopies: 1...1)
    #expect(try stores.schemas() == before)
    try stores.check(copies: Self.copies)
    try cluster.administer("ledger", "check", cluster.home)
    for service in GeneratedAccounts.services { try cluster.release(service) }
    try await cluster.waitUntilReady()
    try await play(cluster, try await cast.signedIn(cluster))
    for service in ServiceName.allCases {
      // The register's last checkpoint is of another key, and social says so.
      let errors = cluster.log(service).split(separator: "\n").filter {
        $0.contains(#""level":"error""#) && !$0.contains("no key that signed the register is left")
      }
      #expect(errors == [], "\(service)")
    }
  }

  /// One copy plays every round, and a heavy account those of average ones.
  private func play(_ cluster: RunningCluster, _ cast: GrowthCast) async throws {
    let bus = try ClusterBus(home: cluster.home)
    let worker = try #require(try await RoundWorker.signedIn(1, cluster, cast, through: cluster.client, bus).first)
    let timings = OperationTimings()
    for (number, round) in OperationRound.all.enumerated() { try await round(worker.named("t\(number)", timings)) }
    let heavies = try await HeavyAccounts(cast, times: 5).workers(cluster, through: cluster.client, bus)
    try await HeavyAccounts.play(try #require(heavies.first).named("heavy", timings), isFirst: true)
    try await worker.named("writes", timings).writeEverywhere()
    await bus.stop()
    let wrong = timings.all.filter { !$0.value.failures.isEmpty }.map { "\($0.key): \($0.value.failures)" }.sorted()
    #expect(wrong == [])
    let called = Set(timings.all.keys)
    let missing = OperationRound.operations.map(\.name).filter { !called.contains($0) && OperationRound.left[$0] == nil }
    #expect(missing == [], "neither in a round nor left for a reason")
    #expect(called.filter { OperationRound.left[$0] != nil } == [], "called, and said to be left")
  }
}

/// The stores of a cluster whose services are away.
private struct FilledStores {
  let home: String

  private func read<T>(_ service: ServiceName, _ body: (Database) throws -> T) throws -> T {
    try DatabaseQueue(path: "\(home)/stores/\(service.rawValue).sqlite").read(body)
  }

  /// Tables, indexes and triggers.
  func schemas() throws -> [Set<String>] {
    try GeneratedAccounts.services.map { service in
      try read(service) { try String.fetchSet($0, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL") }
    }
  }

  func check(copies: Int) throws {
    for service in GeneratedAccounts.services {
      try read(service) { database in
        #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"], "\(service)")
        #expect(try Row.fetchAll(database, sql: "PRAGMA foreign_key_check") == [], "\(service)")
        let accounts = try Int.fetchOne(database, sql: "SELECT count(*) FROM accounts") ?? 0
        #expect(accounts == AccountTemplates.count * (copies + 1) + 2 + GrowthCast.heavyCount, "\(service)")
      }
    }
    for (service, name, sql) in Self.counts {
      #expect(try read(service) { try Int.fetchOne($0, sql: sql) } == 0, "\(service): \(name)")
    }
  }

  /// How many rows a store has that differ from what its service would count.
  private static let counts: [(ServiceName, String, String)] = [
    (
      .notifications, "unread counts",
      """
      SELECT count(*) FROM (
        SELECT account_id, category, count(*) AS count FROM notifications WHERE read_at IS NULL AND deleted_at IS NULL GROUP BY 1, 2
      ) n FULL JOIN (SELECT * FROM unread_counts WHERE count > 0) c USING (account_id, category) WHERE n.count IS NOT c.count
      """
    ),
    (
      .notifications, "last numbers",
      """
      SELECT count(*) FROM inboxes i WHERE last_number < (
        SELECT coalesce(max(number), 0) FROM notifications n WHERE n.account_id = i.account_id)
      """
    ),
    (
      .social, "names of friends",
      "SELECT (SELECT count(*) FROM friend_names) - 2 * (SELECT count(*) FROM friendships)"
    ),
    (
      .social, "unread messages",
      """
      SELECT count(*) FROM conversation_sides s WHERE unread_count <> (
        SELECT count(*) FROM messages m WHERE m.conversation_id = s.conversation_id AND m.from_account <> s.account_id
          AND m.sequence > s.read_sequence)
      """
    ),
    (
      .social, "bytes of messages",
      """
      SELECT count(*) FROM (SELECT account_id, sum(sent_bytes) AS bytes FROM conversation_sides GROUP BY 1) s
        FULL JOIN message_space m USING (account_id) WHERE coalesce(s.bytes, 0) <> coalesce(m.bytes, 0)
      """
    ),
    (
      .social, "participants",
      """
      SELECT count(*) FROM tasks t WHERE participant_count <> (
        SELECT count(*) FROM task_participants p WHERE p.task_id = t.task_id AND p.state <> 'left')
      """
    ),
    (
      .social, "sequences of participants",
      "SELECT count(*) FROM task_participants JOIN tasks USING (task_id) WHERE task_sequence <> sequence"
    ),
    (
      .social, "files",
      """
      SELECT count(*) FROM task_attachment_contents c WHERE reference_count <> (
        SELECT count(*) FROM task_attachments a WHERE a.sha256 = c.sha256)
      """
    ),
    (
      .activity, "active days",
      """
      SELECT count(*) FROM active_days d WHERE done <> (
        SELECT count(*) FROM entries e WHERE e.account_id = d.account_id AND e.day = d.day AND is_done = 1)
      """
    ),
    (
      .activity, "blocks of comments",
      "SELECT (SELECT count(*) FROM entry_comments) - (SELECT sum(comments) FROM entry_comment_blocks)"
    ),
    (
      .activity, "keys of samples",
      "SELECT count(*) FROM movement_samples WHERE position >> 37 <> account_number"
    ),
    (.activity, "areas", "SELECT (SELECT count(*) FROM entry_places) - (SELECT count(*) FROM entry_areas)"),
    (
      .rewards, "leaderboards",
      """
      SELECT count(*) FROM leaderboard_counts c WHERE level = 0 AND metric = 0 AND people <> (
        SELECT count(*) FROM leaderboard_scores s WHERE s.period = c.period AND s.steps = c.bucket AND is_counted = 1)
      """
    ),
    (
      .identity, "accounts of audiences",
      """
      SELECT count(*) FROM (SELECT account_id, language FROM accounts WHERE verified_at IS NOT NULL) a
        FULL JOIN audience_accounts u USING (account_id) WHERE a.language IS NOT u.language
      """
    ),
    (
      .identity, "audiences",
      """
      SELECT count(*) FROM (SELECT language, used_day, count(*) AS count FROM audience_accounts GROUP BY 1, 2) a
        FULL JOIN audience_counts c USING (language, used_day) WHERE coalesce(a.count, 0) <> coalesce(c.count, 0)
      """
    ),
    (
      .identity, "security events",
      """
      SELECT (SELECT count(*) FROM security_events) - (SELECT sum(count) FROM security_event_counts)
      """
    ),
    (
      .identity, "suffixes",
      """
      SELECT count(*) FROM directory_entries e WHERE length(names) <> (
        SELECT count(*) FROM directory_suffixes s WHERE s.number = e.number)
      """
    ),
  ]
}
