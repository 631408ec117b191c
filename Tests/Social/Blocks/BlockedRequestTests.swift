import InProcess
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Requests between accounts of which one has blocked the other (SOC-8)")
struct BlockedRequestTests {
  let identity = IdentityDouble()

  @Test(
    "A blocked account's requests look pending to it, and never reach the blocker, even after unblocking",
    arguments: RequestKind.allCases)
  func sentWhileBlocked(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.block(ben, as: ana)
      let request = try await services.ask(kind, ana.username, as: ben.caller)
      #expect(request.direction == .sent && request.state == .pending && request.username == ana.username)
      #expect(
        try await services.failure { try await services.ask(kind, ana.username, as: ben.caller) }?.code
          == kind.code(.pending, .pending))
      for isBlocked in [true, false] {
        if !isBlocked { _ = try await services.call(DeleteBlock.self, .init(accountID: ben.account), as: ana.caller) }
        #expect(try await services.requests(kind, of: ben.caller).items.map(\.id) == [request.id])
        #expect(try await services.requests(kind, of: ana.caller).items.isEmpty)
        #expect(try await services.requests(kind, .init(direction: .received), of: ana.caller).items.isEmpty)
        for answer in [services.accept, services.reject, services.withdraw] {
          let failure = try await services.failure { try await answer(kind, request, ana.caller) }
          #expect(failure?.code == "not_found")
        }
        #expect(try await services.relation(of: ben, to: ana).relation.isWaiting(kind))
        #expect(try await services.relation(of: ana, to: ben).relation == Relation(isBlocked: isBlocked))
      }
      #expect(try await services.publishedButRelations().isEmpty)
      let snapshot = try await services.snapshot(of: .social)
      #expect(snapshot.allSatisfy { $0.name == RelationChanged.spec.name } && snapshot.count == 2)
    }
  }

  @Test(
    "Requests pending at a block stay visible to their sender only, who can withdraw them", arguments: RequestKind.allCases)
  func sentBefore(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let request = try await services.ask(kind, ana.username, as: ben.caller)
      try await services.block(ben, as: ana)
      for isBlocked in [true, false] {
        if !isBlocked { _ = try await services.call(DeleteBlock.self, .init(accountID: ben.account), as: ana.caller) }
        #expect(try await services.requests(kind, of: ana.caller).items.isEmpty)
        #expect(try await services.failure { try await services.accept(kind, request, as: ana.caller) }?.code == "not_found")
      }
      try await services.block(ben, as: ana)
      #expect(try await services.requests(kind, of: ben.caller).items.map(\.state) == [.pending])
      #expect(try await services.withdraw(kind, request, as: ben.caller).state == .withdrawn)
      let second = try await services.ask(kind, ana.username, as: ben.caller)
      #expect(second.state == .pending)
      #expect(try await services.requests(kind, of: ana.caller).items.isEmpty)
    }
  }

  @Test("Requests sent by a blocked account expire like any other", arguments: RequestKind.allCases)
  func expiring(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.running(
      [{ Social.service($0) }], identity: identity, at: "2026-08-01T12:00:00.000Z"
    ) { services in
      try await services.block(ben, as: ana)
      _ = try await services.ask(kind, ana.username, as: ben.caller)
      services.clock.advance(days: 90)
      let store = services.store(of: .social)
      switch kind {
      case .friendship: try await ConnectionRequestWorker<Friendship>(store: store, life: .init()).expire()
      case .following: try await ConnectionRequestWorker<Following>(store: store, life: .init()).expire()
      }
      #expect(try await services.requests(kind, of: ben.caller).items.map(\.state) == [.expired])
      #expect(try await services.relation(of: ben, to: ana).relation == Relation())
    }
  }

  @Test("Blocking withdraws the blocker's own requests", arguments: RequestKind.allCases)
  func ofTheBlocker(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let request = try await services.ask(kind, ben.username, as: ana.caller)
      try await services.block(ben, as: ana)
      #expect(try await services.requests(kind, of: ben.caller).items.isEmpty)
      #expect(try await services.failure { try await services.accept(kind, request, as: ben.caller) }?.code == "not_found")
      #expect(try await services.relation(of: ben, to: ana).relation == Relation())
      _ = try await services.call(DeleteBlock.self, .init(accountID: ben.account), as: ana.caller)
      #expect(try await services.requests(kind, of: ana.caller).items.map(\.state) == [.withdrawn])
    }
  }

  @Test(
    "A blocker's requests are refused with advice to unblock first", arguments: RequestKind.allCases, Language.allCases)
  func byTheBlocker(kind: RequestKind, language: Language) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.block(ben, as: ana)
      let failure = try #require(
        try await services.failure { try await services.ask(kind, ben.username, as: ana.caller) })
      #expect(failure.code == "blocked_by_you" && failure.status == 409)
      let words = Words(Contract.social.words)
      let text = words.text("failure.\(failure.code)", language, failure.parameters)
      let suggestion = words.text("failure.\(failure.code).suggestion", language, failure.parameters)
      #expect(text == (language == .english ? "You have blocked ben." : "Has bloqueado a ben."))
      #expect(suggestion == (language == .english ? "Unblock ben first." : "Desbloquea antes a ben."))
      #expect(try await services.requests(kind, of: ben.caller).items.isEmpty)
    }
  }

  @Test("After unblocking, accepting a new request of the blocker also settles the other's unseen one")
  func afterUnblocking() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      try await services.block(ben, as: ana)
      let unseen = try await services.ask(.friendship, ana.username, as: ben.caller)
      _ = try await services.call(DeleteBlock.self, .init(accountID: ben.account), as: ana.caller)
      for person in [ana, ben] { #expect(try await services.connected(.friendship, to: person.caller).isEmpty) }
      // It is no agreement: the blocker does not learn what the other has asked.
      let anew = try await services.ask(.friendship, ben.username, as: ana.caller)
      #expect(anew.state == .pending && anew.id != unseen.id)
      #expect(try await services.relation(of: ben, to: ana).relation.friendRequest == .received)
      #expect(try await services.ask(.friendship, ana.username, as: ben.caller).id == anew.id)
      #expect(try await services.connected(.friendship, to: ana.caller) == [ben.account])
      let bens = try await services.requests(.friendship, .init(state: .accepted), of: ben.caller).items.map(\.id)
      #expect(bens.contains(unseen.id) && bens.contains(anew.id))
      #expect(try await services.requests(.friendship, of: ana.caller).items.allSatisfy { $0.id != unseen.id })
      #expect(try await services.relation(of: ana, to: ben).relation == Relation(isFriend: true))
      #expect(try await services.relation(of: ben, to: ana).relation == Relation(isFriend: true))
    }
  }

  @Test("Follow requests count against the limit whether a blocker sees them or not, so that it reveals nothing")
  func bound() async throws {
    let ben = try identity.person("ben")
    let others = try (0...1000).map { try identity.person("other\($0)") }
    try await ServicesInProcess.social(identity) { services in
      for other in others.prefix(1) { try await services.block(ben, as: other) }
      for other in others.prefix(1000) {
        _ = try await services.call(SendFollowRequest.self, .init(username: other.username), as: ben.caller)
      }
      let input = SendFollowRequest.Input(username: others[1000].username)
      #expect(try await services.refusal(SendFollowRequest.self, input, as: ben.caller) == "too_many_follows")
    }
  }
}

extension Relation {
  /// Whether it is a request of one's own that waits, and nothing else.
  fileprivate func isWaiting(_ kind: RequestKind) -> Bool {
    switch kind {
    case .friendship: self == Relation(friendRequest: .sent, friendRequestID: friendRequestID) && friendRequestID != nil
    case .following: self == Relation(followRequestSentID: followRequestSentID) && followRequestSentID != nil
    }
  }
}
