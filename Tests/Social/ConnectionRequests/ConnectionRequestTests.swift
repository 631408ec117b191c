import InProcess
import Operations
import SocialContract
import Testing

@Suite("Friend requests (SOC-1, SOC-2, SOC-3) and follow requests (SOC-7)")
struct ConnectionRequestTests {
  let identity = IdentityDouble()

  @Test(
    "T UC 04.02: a request is listed as sent for one and as received for the other, and connects nobody yet",
    arguments: RequestKind.allCases)
  func sending(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana", nickname: "Anita"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let sent = try await services.ask(kind, ben.username, as: ana.caller)
      #expect(sent.direction == .sent && sent.state == .pending && sent.accountID == ben.account && sent.answeredAt == nil)
      let received = try await services.requests(kind, of: ben.caller).items
      #expect(received.map(\.id) == [sent.id] && received.first?.direction == .received)
      #expect(received.first?.username == ana.username && received.first?.nickname == "Anita")
      #expect(try await services.connected(kind, to: ana.caller).isEmpty)
      let events = try await services.publishedButRelations()
      #expect(events.map(\.name) == [kind.events[0]])
      let published = try kind.sent(events[0])
      #expect(published.id?.description == sent.id.description && published.from == ana.username && published.to == ben.account)
    }
  }

  @Test(
    "Requests to an unknown, connected or already asked account, or to oneself, are four different failures",
    arguments: RequestKind.allCases)
  func refusals(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      func refusal(_ username: String) async throws -> String? {
        try await services.failure { try await services.ask(kind, try Username(text: username), as: ana.caller) }?.code
      }
      #expect(try await refusal("nobody") == "unknown_user")
      #expect(try await refusal("ana") == kind.code(.toOneself, .toOneself))
      #expect(try await refusal("ben") == nil)
      #expect(try await refusal("ben") == kind.code(.pending, .pending))
      let request = try #require(try await services.requests(kind, of: ben.caller).items.first)
      _ = try await services.accept(kind, request, as: ben.caller)
      #expect(try await refusal("ben") == kind.code(.alreadyFriends, .alreadyFollowing))
      #expect(try await services.publishedButRelations().map(\.name) == kind.events)
    }
  }

  @Test(
    "Requests need a verified account to be sent and accepted, and not to be rejected (S 8, scenario 4)",
    arguments: RequestKind.allCases)
  func unverified(kind: RequestKind) async throws {
    let ana = try identity.person("ana")
    let ben = try identity.person("ben", isVerified: false)
    var unverified = ben.caller
    unverified.isVerified = false
    try await ServicesInProcess.social(identity) { [unverified] services in
      let request = try await services.ask(kind, ben.username, as: ana.caller)
      #expect(
        try await services.failure { try await services.ask(kind, ana.username, as: unverified) }?.code == "verification_required"
      )
      #expect(
        try await services.failure { try await services.accept(kind, request, as: unverified) }?.code == "verification_required")
      #expect(try await services.reject(kind, request, as: unverified).state == .rejected)
    }
  }

  @Test(
    "Only the recipient can answer a request; the same answer again changes nothing, and the other is refused",
    arguments: RequestKind.allCases)
  func answering(kind: RequestKind) async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.social(identity) { services in
      let request = try await services.ask(kind, ben.username, as: ana.caller)
      #expect(try await services.failure { try await services.accept(kind, request, as: eve.caller) }?.code == "not_found")
      #expect(try await services.failure { try await services.reject(kind, request, as: eve.caller) }?.code == "not_found")
      #expect(try await services.failure { try await services.accept(kind, request, as: ana.caller) }?.code == "forbidden")
      let accepted = try await services.accept(kind, request, as: ben.caller)
      #expect(accepted.state == .accepted && accepted.answeredAt != nil)
      #expect(try await services.connected(kind, to: ana.caller) == [ben.account])
      #expect(try await services.accept(kind, request, as: ben.caller) == accepted)
      #expect(
        try await services.failure { try await services.reject(kind, request, as: ben.caller) }?.code
          == kind.code(.answered, .answered))
      #expect(try await services.publishedButRelations().map(\.name) == kind.events)
    }
  }

  @Test(
    "Rejected requests connect nobody, are not published, and can be sent again", arguments: RequestKind.allCases)
  func rejecting(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let first = try await services.ask(kind, ben.username, as: ana.caller)
      _ = try await services.reject(kind, first, as: ben.caller)
      for person in [ana, ben] { #expect(try await services.connected(kind, to: person.caller).isEmpty) }
      #expect(try await services.requests(kind, .init(state: .rejected), of: ana.caller).items.map(\.id) == [first.id])
      #expect(try await services.publishedButRelations().map(\.name) == [kind.events[0]])
      let second = try await services.ask(kind, ben.username, as: ana.caller)
      #expect(second.id != first.id && second.state == .pending)
    }
  }

  @Test(
    "Concurrent sending and accepting makes one request, one connection and one event each",
    arguments: RequestKind.allCases)
  func atOnce(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask { _ = try await services.failure { try await services.ask(kind, ben.username, as: ana.caller) } }
        }
        try await group.waitForAll()
      }
      let received = try await services.requests(kind, of: ben.caller).items
      let request = try #require(received.first)
      #expect(received.count == 1)
      try await withThrowingTaskGroup(of: ConnectionRequestState.self) { group in
        for _ in 0..<50 {
          group.addTask { try await services.accept(kind, request, as: ben.caller).state }
        }
        for try await state in group { #expect(state == .accepted) }
      }
      #expect(try await services.connected(kind, to: ana.caller) == [ben.account])
      #expect(try await services.publishedButRelations().map(\.name) == kind.events)
    }
  }

  @Test(
    "Requests repeated with their idempotency key are sent once, and an unknown account is looked up at identity",
    arguments: RequestKind.allCases)
  func repeated(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let first = try await services.ask(kind, ben.username, as: ana.caller, key: "k1")
      #expect(try await services.ask(kind, ben.username, as: ana.caller, key: "k1") == first)
      #expect(try await services.publishedButRelations().count == 1)
      // Both accounts once: from then on they are in the read model.
      #expect(identity.lookUps == 2)
    }
  }

  @Test(
    "Requests are listed newest first, by direction and state, page by page without duplicates or gaps",
    arguments: RequestKind.allCases)
  func listing(kind: RequestKind) async throws {
    let ana = try identity.person("ana")
    let others = try (0..<25).map { try identity.person("other\($0)") }
    try await ServicesInProcess.social(identity) { services in
      var expected: [ID<EitherRequest>] = []
      for (index, other) in others.enumerated() {
        let request =
          index % 2 == 0
          ? try await services.ask(kind, other.username, as: ana.caller)
          : try await services.ask(kind, ana.username, as: other.caller)
        expected.insert(request.id, at: 0)
      }
      func pages(_ filter: ConnectionRequestFilter) async throws -> [ID<EitherRequest>] {
        var (filter, result) = (filter, [ID<EitherRequest>]())
        while true {
          let page = try await services.requests(kind, filter, of: ana.caller)
          result += page.items.map(\.id)
          guard let next = page.nextCursor else { return result }
          filter.cursor = next
        }
      }
      #expect(try await pages(.init(limit: 7)) == expected)
      #expect(try await pages(.init(direction: .sent, limit: 4)).count == 13)
      #expect(try await pages(.init(direction: .received, state: .pending, limit: 5)).count == 12)
      #expect(try await pages(.init(state: .accepted, limit: 5)).isEmpty)
      let nonsense = try PageCursor(text: "x")
      let refused = try await services.failure { try await services.requests(kind, .init(cursor: nonsense), of: ana.caller) }
      #expect(refused?.fields.map { "\($0.field) \($0.code)" } == ["cursor invalid_cursor"])
    }
  }
}
