import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import Operations
import Testing

/// Identity is killed at random moments while it registers, refreshes and changes passwords: whatever happened did so wholly.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing identity during its operations", .serialized)
struct IdentityKillsTests {
  private static let password = "Rio-7-lento"

  @Test("Killing identity during a registration leaves one whole account with one mail (S 2, scenario 4)")
  func registration() async throws {
    try await killing { cluster, name in
      // Repeated until it is acknowledged, as a client does that got no answer.
      let account = try await Self.register(name, cluster)
      let session = try await Self.logIn(name, Self.password, cluster)
      #expect(session.account.id == account.id)
      let mail = try await cluster.mail(to: "\(name)@example.org")
      #expect(try MailFolder(home: cluster.home).mails(to: "\(name)@example.org").count == 1)
      #expect(try await cluster.client.callUntilDone(VerifyAccount.self, .init(token: mail.token ?? "")).isVerified)
    }
  }

  @Test("Killing identity during a refresh logs nobody out: the client repeats it and goes on (S 3, scenario 3)")
  func refresh() async throws {
    try await killing(before: { cluster, name in
      _ = try await Self.register(name, cluster)
      return try await Self.logIn(name, Self.password, cluster).refreshToken
    }) { cluster, _, token in
      let first = try await cluster.client.callUntilDone(RefreshSession.self, .init(refreshToken: token))
      let again = try await cluster.client.callUntilDone(RefreshSession.self, .init(refreshToken: token))
      #expect(first.refreshToken == again.refreshToken, "one rotation")
      _ = try await cluster.client.authorized(first.accessToken).callUntilDone(GetOwnAccount.self, .init())
      let next = try await cluster.client.callUntilDone(RefreshSession.self, .init(refreshToken: first.refreshToken))
      #expect(next.session.id == first.session.id)
    }
  }

  @Test("Killing identity during a password change leaves the old or the new one, and logs out nobody who repeats it (ID-4)")
  func passwordChange() async throws {
    let new = "Mar-9-bravo"
    try await killing(before: { cluster, name in
      _ = try await Self.register(name, cluster)
      return (
        own: try await Self.logIn(name, Self.password, cluster), other: try await Self.logIn(name, Self.password, cluster)
      )
    }) { cluster, name, sessions in
      let change = ChangePassword.Input(
        currentPassword: .init(text: Self.password), password: .init(text: new), passwordConfirmation: .init(text: new))
      var (session, isDone) = (sessions.own, false)
      do {
        session = try await cluster.client.authorized(session.accessToken).call(
          ChangePassword.self, change, idempotencyKey: "change-\(name)")
        isDone = true
      } catch let problem as GatewayClient.Problem where problem.isPassing {
        // Its fate is unknown: both passwords are tried.
        let isOldRight = try await Self.isRight(name, Self.password, cluster)
        let isNewRight = try await Self.isRight(name, new, cluster)
        #expect(isOldRight != isNewRight, "one of the two, and not both")
        // Ends with a success, which clears the failure from what stands against this test's address.
        _ = try await Self.logIn(name, isNewRight ? new : Self.password, cluster)
      }
      if !isDone {
        // What a client does: whether the change took place or not, its tokens lead on.
        session = try await cluster.client.callUntilDone(RefreshSession.self, .init(refreshToken: session.refreshToken))
        session = try await cluster.client.authorized(session.accessToken).callUntilDone(
          ChangePassword.self, change, idempotencyKey: "change-\(name)")
      }
      #expect(try await Self.isRight(name, new, cluster), "what was acknowledged holds")
      let next = try await cluster.client.callUntilDone(RefreshSession.self, .init(refreshToken: session.refreshToken))
      #expect(next.session.id == sessions.own.session.id)
      _ = try await cluster.client.authorized(next.accessToken).callUntilDone(GetOwnAccount.self, .init())
      do {
        _ = try await cluster.client.callUntilDone(RefreshSession.self, .init(refreshToken: sessions.other.refreshToken))
        Issue.record("the other sessions have ended")
      } catch let problem as GatewayClient.Problem {
        #expect(problem.code == RefreshFailure.tokenInvalid.rawValue, "\(problem)")
      }
      let changes = try Play.read(cluster, .identity) {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM security_events WHERE kind = 'passwordChanged'") ?? 0
      }
      #expect(changes == (Int(name.dropFirst(6)) ?? 0) + 1, "each took place once")
    }
  }

  @Test("Killing identity during a deletion leaves the whole account or nothing of it")
  func deletion() async throws {
    try await killing(before: { cluster, name in
      _ = try await Self.register(name, cluster)
      return try await Self.logIn(name, Self.password, cluster)
    }) { cluster, name, session in
      var deleted: DeleteAccount.Output?
      do {
        deleted = try await cluster.client.authorized(session.accessToken).call(
          DeleteAccount.self, .init(password: .init(text: Self.password)))
      } catch let problem as GatewayClient.Problem where problem.isPassing {
        // Its fate is unknown: whether there is an account is looked at below.
      }
      let isThere = try await Self.exists(name, cluster)
      #expect(deleted == nil || !isThere, "what was acknowledged holds")
      do {
        _ = try await cluster.client.callUntilDone(RefreshSession.self, .init(refreshToken: session.refreshToken))
        #expect(isThere, "its sessions go with it")
      } catch let problem as GatewayClient.Problem {
        #expect(!isThere && problem.status == 401, "\(problem)")
      }
      guard let deleted else { return }
      let state = try await eventually {
        try await cluster.client.callUntilDone(GetAccountDeletion.self, .init(token: deleted.token)).state
      } until: {
        $0 == .finished
      }
      #expect(state == .finished, "every service has erased it")
    }
  }

  @Test("Killing identity during reports leaves each period one report, sent to each administrator once (S 10, scenario 3)")
  func reports() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    _ = try await Self.register("adela", cluster)
    /// Periods, and mails that the notifications service has been asked to write.
    func made() throws -> (reports: Int, mails: Int) {
      (
        try Play.read(cluster, .identity) { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM security_reports") ?? 0 },
        try Play.read(cluster, .notifications) {
          try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM mails WHERE kind = 'report'") ?? 0
        }
      )
    }
    // The account is so old that reports are due as far back as any is made: of seven days and four weeks.
    let due = 11
    for round in 0...Play.rounds(4) {
      cluster.hold(.identity)
      _ = try await eventually {
        cluster.processID(.identity)
      } until: {
        $0 == 0
      }
      try await DatabaseQueue(path: "\(cluster.home)/stores/identity.sqlite").write { database in
        try database.execute(
          sql: "UPDATE accounts SET is_administrator = 1, verified_at = created_at, created_at = ?",
          arguments: [Instant.now.adding(seconds: -60 * 86_400).milliseconds])
        for table in ["security_mails", "security_reports"] { try database.execute(sql: "DELETE FROM \(table)") }
      }
      // Notifications mails nothing that can be switched off to an address that is not verified.
      var configuration = Configuration()
      configuration.busyMode = .timeout(10)
      try await DatabaseQueue(path: "\(cluster.home)/stores/notifications.sqlite", configuration: configuration).write {
        try $0.execute(sql: "UPDATE accounts SET is_verified = 1")
      }
      try cluster.release(.identity)
      // The first is undisturbed.
      if round > 0 {
        for _ in 0..<3 {
          // Reports are made at once after the start, which takes about as long.
          try await Task.sleep(for: .milliseconds(Int.random(in: 20...120)))
          cluster.kill(.identity)
        }
      }
      try await cluster.waitUntilReady()
      let end = try await eventually {
        try made()
      } until: {
        $0.reports >= due && $0.mails >= due * (round + 1)
      }
      #expect(end.reports == due && end.mails == due * (round + 1))
    }
  }

  // MARK: - Rounds

  private func killing(_ body: (RunningCluster, String) async throws -> Void) async throws {
    try await killing(before: { _, _ in }, { cluster, name, _ in try await body(cluster, name) })
  }

  /// Prepares and does it as often as the rounds say, each time with a person of its own, and kills identity meanwhile.
  private func killing<Prepared>(
    before prepare: (RunningCluster, String) async throws -> Prepared,
    _ body: (RunningCluster, String, Prepared) async throws -> Void
  ) async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    for round in 0..<Play.rounds(4) {
      let name = "person\(round)"
      let prepared = try await prepare(cluster, name)
      let killer = Task {
        // A random moment is the point: whatever runs then is cut off. Hashing a password takes most of the time.
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...90)))
        cluster.kill(.identity)
      }
      try await body(cluster, name, prepared)
      try await killer.value
    }
    // One that has just been started again is not ready to be asked to stop.
    try await cluster.waitUntilReady()
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  private static func register(_ name: String, _ cluster: RunningCluster) async throws -> OwnAccount {
    try await cluster.client.callUntilDone(
      RegisterAccount.self,
      .init(
        email: .init(text: "\(name)@example.org"), username: .init(text: name), password: .init(text: password),
        passwordConfirmation: .init(text: password)), idempotencyKey: "register-\(name)"
    ).account
  }

  private static func logIn(_ name: String, _ password: String, _ cluster: RunningCluster) async throws -> SignedIn {
    try await cluster.client.callUntilDone(LogIn.self, .init(login: name, password: password))
  }

  /// Whether the account is there, by a login from an address that nothing stands against.
  private static func exists(_ name: String, _ cluster: RunningCluster) async throws -> Bool {
    try await eventually {
      let connection = try PlainConnection(
        from: "127.\(Int.random(in: 1...250)).\(Int.random(in: 1...250)).7", to: cluster.httpPort)
      return try connection.post("/v1/sessions", LogIn.Input(login: name, password: password)).status
    } until: { status in
      status == 200 || status == 401
    } == 200
  }

  private static func isRight(_ name: String, _ password: String, _ cluster: RunningCluster) async throws -> Bool {
    do {
      _ = try await logIn(name, password, cluster)
      return true
    } catch let problem as GatewayClient.Problem where problem.code == LogInFailure.wrongCredentials.rawValue {
      return false
    }
  }
}
