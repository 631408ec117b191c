import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Testing

/// Services are killed at random moments while a suspension spreads: afterwards the account is out everywhere, and its owner has one link.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing services while a suspension spreads (SOC-8)", .serialized)
struct SuspensionKillsTests {
  private static let password = "Rio-7-lento"

  @Test("Amid kills a suspension ends every session and token once and mails one link; once lifted, the account can log in")
  func suspension() async throws {
    try await KillRounds.run(3) { round, cluster in
      let name = "person\(round)"
      let ana = try await register(name, cluster)
      let sessions = [try await logIn(name, cluster), try await logIn(name, cluster)]
      let script = try await cluster.client.authorized(sessions[0].accessToken).callUntilDone(
        CreatePersonalAccessToken.self,
        .init(name: PersonalAccessTokenName(text: "backup"), scopes: AccessScope.allCases, expiresAt: nil))
      let tokens = sessions.map(\.accessToken) + [script.secret]
      for token in tokens { for use in Self.uses { #expect(try await use(cluster.client.authorized(token)) == nil) } }
      var decision = SuspensionChanged(
        suspensionID: SuspensionID(), accountID: ana.id, until: Instant.now.adding(seconds: 86_400), reason: "Insults.",
        canAppeal: true, revision: 1, at: .now)
      try await decide(decision, cluster)
      try await KillRounds.kill(
        [.identity, .gateway, .notifications, .identity, .rewards, .activity, .social], cluster)
      let refused = try await eventually {
        try await self.loginFailure(name, cluster)
      } until: {
        $0 == "account_suspended"
      }
      #expect(refused == "account_suspended")
      for token in tokens {
        for use in Self.uses {
          let code = try await eventually {
            try await use(cluster.client.authorized(token))
          } until: {
            ["session_revoked", "unauthenticated", "account_suspended"].contains($0)
          }
          #expect(code != nil)
        }
      }
      for session in sessions {
        let code = try await Self.code {
          try await cluster.client.callUntilDone(RefreshSession.self, .init(refreshToken: session.refreshToken))
        }
        #expect(code == "refresh_token_invalid")
      }
      let link = try await eventually {
        try self.links(name, cluster)
      } until: {
        !$0.isEmpty
      }
      #expect(link.count == 1)
      let details = try await cluster.client.callUntilDone(GetSuspension.self, .init(token: try #require(link.first)))
      #expect(details.username == ana.username && details.until == decision.until)
      let ended = try Play.read(cluster, .identity) {
        try Int.fetchOne(
          $0, sql: "SELECT COUNT(*) FROM security_events WHERE kind = 'accountSuspended' AND account_id = ?", arguments: [ana.id])
      }
      #expect(ended == 1, "it took effect once")

      (decision.revision, decision.until) = (2, nil)
      try await decide(decision, cluster)
      let again = try await eventually {
        try await self.loginFailure(name, cluster)
      } until: {
        $0 == nil
      }
      #expect(again == nil)
    }
  }

  /// A call to each service that keeps accounts; the code of its refusal, nil where it is let in.
  private static let uses: [@Sendable (GatewayClient) async throws -> String?] = [
    { client in try await code { try await client.callUntilDone(ListActivities.self, .init()) } },
    { client in try await code { try await client.callUntilDone(ListFriends.self, .init()) } },
    { client in try await code { try await client.callUntilDone(GetBalance.self, .init()) } },
    { client in try await code { try await client.callUntilDone(CountUnreadNotifications.self, .init()) } },
  ]

  private static func code(_ call: () async throws -> some Any) async throws -> String? {
    do {
      _ = try await call()
      return nil
    } catch let problem as GatewayClient.Problem {
      return problem.code
    }
  }

  /// Lets social have decided that: its event stands in the outbox when it starts again.
  private func decide(_ decision: SuspensionChanged, _ cluster: RunningCluster) async throws {
    try await cluster.waitUntilReady()
    cluster.hold(.social)
    _ = try await eventually {
      cluster.processID(.social)
    } until: {
      $0 == 0
    }
    try await DatabaseQueue(path: "\(cluster.home)/stores/social.sqlite").write { database in
      try database.execute(
        sql: "INSERT INTO outbox (name, at, body) VALUES (?, ?, ?)",
        arguments: [SuspensionChanged.spec.name, decision.at.milliseconds, Data(decision.json)])
    }
    try cluster.release(.social)
  }

  /// The tokens in the mails about the suspension.
  private func links(_ name: String, _ cluster: RunningCluster) throws -> [String] {
    try MailFolder(home: cluster.home).mails(to: "\(name)@example.org").compactMap { mail in
      mail.text.firstMatch(of: /\/suspension\?token=([A-Za-z0-9_-]+)/).map { String($0.1) }
    }
  }

  private func loginFailure(_ name: String, _ cluster: RunningCluster) async throws -> String? {
    try await Self.code { try await self.logIn(name, cluster) }
  }

  private func register(_ name: String, _ cluster: RunningCluster) async throws -> OwnAccount {
    try await cluster.client.callUntilDone(
      RegisterAccount.self,
      .init(
        email: .init(text: "\(name)@example.org"), username: .init(text: name), password: .init(text: Self.password),
        passwordConfirmation: .init(text: Self.password)), idempotencyKey: "register-\(name)"
    ).account
  }

  private func logIn(_ name: String, _ cluster: RunningCluster) async throws -> SignedIn {
    try await cluster.client.callUntilDone(LogIn.self, .init(login: name, password: Self.password))
  }
}
