import GRDB
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Requests without an answer")
struct ExpiredRequestTests {
  let identity = IdentityDouble()

  private func run(_ body: (ServicesInProcess) async throws -> Void) async throws {
    // So that requests are not too late for who answers them, the clock never shows more than the real time.
    try await ServicesInProcess.running(
      [{ Social.service($0) }], identity: identity, at: "2026-08-01T12:00:00.000Z", body)
  }

  private func expire(_ kind: RequestKind, _ services: ServicesInProcess, days: Int = 90) async throws {
    let (store, life) = (services.store(of: .social), ConnectionRequestLife(days: days))
    switch kind {
    case .friendship: try await ConnectionRequestWorker<Friendship>(store: store, life: life).expire()
    case .following: try await ConnectionRequestWorker<Following>(store: store, life: life).expire()
    }
  }

  @Test(
    "Requests without an answer expire for both after 90 days, and can be sent again", arguments: RequestKind.allCases
  )
  func expiring(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await run { services in
      let request = try await services.ask(kind, ben.username, as: ana.caller)
      services.clock.advance(days: 89)
      try await expire(kind, services)
      #expect(try await services.requests(kind, of: ben.caller).items.map(\.state) == [.pending])
      services.clock.advance(days: 1)
      try await expire(kind, services)
      for person in [ana, ben] {
        let listed = try await services.requests(kind, of: person.caller).items
        #expect(listed.map(\.state) == [.expired] && listed[0].answeredAt == services.clock.now)
      }
      for (one, other) in [(ana, ben), (ben, ana)] {
        #expect(try await services.relation(of: one, to: other).relation == Relation())
      }
      #expect(
        try await services.failure { try await services.accept(kind, request, as: ben.caller) }?.code == kind.code(.ended, .ended)
      )
      #expect(
        try await services.failure { try await services.withdraw(kind, request, as: ana.caller) }?.code
          == kind.code(.ended, .ended)
      )
      #expect(try await services.publishedButRelations().map(\.name) == [kind.events[0], kind.ended])
      #expect(try await services.ask(kind, ben.username, as: ana.caller).state == .pending)
    }
  }

  @Test(
    "Only requests without an answer expire, however many they are",
    arguments: RequestKind.allCases)
  func many(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await run { services in
      let accepted = try await services.ask(kind, ben.username, as: ana.caller)
      _ = try await services.accept(kind, accepted, as: ben.caller)
      let old = services.clock.now
      let count = 2 * ConnectionRequestWorker<Friendship>.batch + 1
      try await services.store(of: .social).write { transaction in
        for _ in 0..<count {
          try transaction.database.execute(
            sql: """
              INSERT INTO \(kind.table)s (\(kind.table)_id, from_account, to_account, state, sent_at)
              VALUES (randomblob(16), ?, randomblob(16), 'pending', ?)
              """, arguments: [ana.account, old])
        }
      }
      services.clock.advance(days: 7)
      try await expire(kind, services, days: 7)
      let states = try await services.store(of: .social).read { database in
        try Row.fetchAll(database, sql: "SELECT state, count(*) AS count FROM \(kind.table)s GROUP BY state ORDER BY state")
          .map { "\($0["state"] as String) \($0["count"] as Int)" }
      }
      #expect(states == ["accepted 1", "expired \(count)"])
    }
  }

  @Test("The days until requests expire are configurable, and an invalid setting stops the start")
  func settings() throws {
    #expect(ConnectionRequestLife(Settings([:])).days == 90)
    #expect(ConnectionRequestLife(Settings(["racha.social.requestDays": "14"])).days == 14)
    let wrong = Settings(["racha.social.requestDays": "0"])
    _ = ConnectionRequestLife(wrong)
    #expect { try wrong.check() } throws: { "\($0)".contains("racha.social.requestDays must be a whole number from 1 to 3650") }
  }
}

extension RequestKind {
  /// The table of its requests, but for the last letter.
  fileprivate var table: String { self == .friendship ? "friend_request" : "follow_request" }
}
