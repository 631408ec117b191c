import IdentityContract
import InProcess
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@Suite("Suspended accounts in social (SOC-8)")
struct SuspendedAccountTests {
  private typealias Account = IdentityDouble.Account

  private static let until = "2026-11-24T12:00:00.000Z"

  /// Runs social with Ana, who is suspended until ``until``, and Ben.
  private func running(
    before: (ServicesInProcess, _ ana: Account, _ ben: Account) async throws -> Void = { _, _, _ in },
    _ body: (ServicesInProcess, _ ana: Account, _ ben: Account) async throws -> Void
  ) async throws {
    let identity = IdentityDouble()
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.running([{ Social.service($0) }], identity: identity) { services in
      try await services.publish(.identity, ana.event, ben.event)
      try await before(services, ana, ben)
      try await change(ana, 2, until: try Instant(text: Self.until), services)
      try await body(services, ana, ben)
    }
  }

  private func change(_ account: Account, _ revision: Int, until: Instant?, _ services: ServicesInProcess) async throws {
    var event = account.event
    (event.revision, event.suspendedUntil) = (revision, until)
    try await services.publish(.identity, event)
    try await services.hasReceived(.social, of: .identity)
    // What is known in memory is changed right after the commit, before the next write.
    try await services.store(of: .social).write { _ in }
  }

  @Test(
    "Suspended accounts are refused until their suspension ends, from its event on, whatever their token says"
  )
  func refused() async throws {
    try await running { services, ana, _ in
      // It had called before, and was let in.
      let refusal = try await services.refusal(ListFriends.self, .init(), as: ana.caller)
      #expect(refusal == nil)
    } _: { services, ana, ben in
      func refusal() async throws -> String? { try await services.refusal(ListFriends.self, .init(), as: ana.caller) }
      #expect(try await refusal() == "account_suspended")
      #expect(
        try await services.refusal(SendFriendRequest.self, .init(username: ben.username), as: ana.caller) == "account_suspended")
      #expect(try await services.refusal(ListFriends.self, .init(), as: ben.caller) == nil)
      try services.clock.set("2026-11-24T11:59:59.999Z")
      #expect(try await refusal() == "account_suspended")
      try services.clock.set(Self.until)
      #expect(try await refusal() == nil)
    }
  }

  @Test("Suspended accounts are refused even before any event, when the service first asks identity about them")
  func unknown() async throws {
    try await ServicesInProcess.running([{ Social.service($0) }]) { services in
      let ana = try await services.register(isPublished: false)
      try await services.change(ana, isPublished: false) { $0.suspendedUntil = .endOfTime }
      #expect(try await ana.failure(ListFriends.self, .init()) == "account_suspended")
    }
  }

  @Test("Suspended accounts are served again when the suspension is lifted")
  func lifted() async throws {
    try await running { services, ana, _ in
      #expect(try await services.refusal(ListFriends.self, .init(), as: ana.caller) == "account_suspended")
      try await change(ana, 3, until: nil, services)
      #expect(try await services.refusal(ListFriends.self, .init(), as: ana.caller) == nil)
    }
  }

  @Test("Suspended accounts cannot be sent requests, and are not found by name", arguments: RequestKind.allCases)
  func asked(kind: RequestKind) async throws {
    try await running { services, ana, ben in
      #expect(
        try await services.failure { try await services.ask(kind, ana.username, as: ben.caller) }?.code == "unknown_user")
      try services.clock.set(Self.until)
      #expect(try await services.failure { try await services.ask(kind, ana.username, as: ben.caller) } == nil)
    }
  }

  @Test(
    "Suspended accounts' requests are hidden, cannot be answered, and reappear afterwards",
    arguments: RequestKind.allCases)
  func requests(kind: RequestKind) async throws {
    try await running { services, ana, ben in
      _ = try await services.ask(kind, ben.username, as: ana.caller)
    } _: { services, ana, ben in
      #expect(try await services.requests(kind, of: ben.caller).items.isEmpty)
      try services.clock.set(Self.until)
      let request = try #require(try await services.requests(kind, of: ben.caller).items.first)
      try services.clock.set("2026-11-24T11:59:59.999Z")
      #expect(try await services.failure { try await services.accept(kind, request, as: ben.caller) }?.code == "not_found")
      try services.clock.set(Self.until)
      #expect(try await services.accept(kind, request, as: ben.caller).state == .accepted)
    }
  }

  @Test("Suspended accounts stay in their friends' lists, and so do their messages")
  func friends() async throws {
    try await running { services, ana, ben in
      try await services.befriend(ana, ben)
      _ = try await services.call(
        SendMessage.self, .init(accountID: ben.account, text: try ChatText(text: "See you at seven!")), as: ana.caller)
    } _: { services, ana, ben in
      let friends = try await services.call(ListFriends.self, .init(), as: ben.caller).items
      let conversations = try await services.call(ListConversations.self, .init(), as: ben.caller).items
      #expect(friends.map(\.accountID) == [ana.account] && conversations.count == 1)
    }
  }
}
