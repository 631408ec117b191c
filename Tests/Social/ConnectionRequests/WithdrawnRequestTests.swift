import InProcess
import Operations
import SocialContract
import Testing

@Suite("Withdrawn requests (SOC-3, SOC-7)")
struct WithdrawnRequestTests {
  let identity = IdentityDouble()

  @Test(
    "A withdrawn request ends for both without a notification, cannot be accepted, and can be sent again",
    arguments: RequestKind.allCases)
  func withdrawing(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let request = try await services.ask(kind, ben.username, as: ana.caller)
      let withdrawn = try await services.withdraw(kind, request, as: ana.caller)
      #expect(withdrawn.state == .withdrawn && withdrawn.direction == .sent && withdrawn.answeredAt != nil)
      #expect(try await services.withdraw(kind, request, as: ana.caller) == withdrawn)
      #expect(try await services.requests(kind, .init(state: .withdrawn), of: ben.caller).items.map(\.id) == [request.id])
      #expect(try await services.requests(kind, .init(state: .pending), of: ben.caller).items.isEmpty)
      #expect(
        try await services.failure { try await services.accept(kind, request, as: ben.caller) }?.code == kind.code(.ended, .ended)
      )
      #expect(
        try await services.failure { try await services.reject(kind, request, as: ben.caller) }?.code == kind.code(.ended, .ended)
      )
      #expect(try await services.connected(kind, to: ana.caller).isEmpty)
      #expect(try await services.publishedButRelations().map(\.name) == [kind.events[0], kind.ended])
      for (one, other) in [(ana, ben), (ben, ana)] {
        #expect(try await services.relation(of: one, to: other).relation == Relation())
      }
      let second = try await services.ask(kind, ben.username, as: ana.caller)
      #expect(second.id != request.id)
      #expect(try await services.accept(kind, second, as: ben.caller).state == .accepted)
    }
  }

  @Test(
    "Two requests withdrawn or rejected within a day can be sent again; accepted ones do not count",
    arguments: RequestKind.allCases)
  func repeated(kind: RequestKind) async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.social(identity) { services in
      let accepted = try await services.ask(kind, ben.username, as: ana.caller)
      _ = try await services.accept(kind, accepted, as: ben.caller)
      switch kind {
      case .friendship: _ = try await services.call(RemoveFriend.self, .init(accountID: ben.account), as: ana.caller)
      case .following: _ = try await services.call(RemoveFollow.self, .init(accountID: ben.account), as: ana.caller)
      }
      for round in 0..<3 {
        let request = try await services.ask(kind, ben.username, as: ana.caller)
        if round == 1 {
          _ = try await services.reject(kind, request, as: ben.caller)
        } else {
          _ = try await services.withdraw(kind, request, as: ana.caller)
        }
      }
      let failure = try #require(
        try await services.failure { try await services.ask(kind, ben.username, as: ana.caller) })
      #expect(
        failure.code == "asked_too_often" && failure.status == 429 && (86_000...86_400).contains(failure.retryAfterSeconds ?? 0))
      // Others are asked as before, and the other asks as before.
      #expect(try await services.ask(kind, eva.username, as: ana.caller).state == .pending)
      #expect(try await services.ask(kind, ana.username, as: ben.caller).state == .pending)
    }
  }

  @Test("Only the sender can withdraw a request", arguments: RequestKind.allCases)
  func others(kind: RequestKind) async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.social(identity) { services in
      let request = try await services.ask(kind, ben.username, as: ana.caller)
      func refusal(_ person: IdentityDouble.Account) async throws -> String? {
        try await services.failure { try await services.withdraw(kind, request, as: person.caller) }?.code
      }
      #expect(try await refusal(eve) == "not_found")
      #expect(try await refusal(ben) == "forbidden")
      #expect(try await services.requests(kind, .init(state: .pending), of: ben.caller).items.count == 1)
    }
  }

  @Test("An answered request cannot be withdrawn", arguments: RequestKind.allCases)
  func answered(kind: RequestKind) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let rejected = try await services.ask(kind, ben.username, as: ana.caller)
      _ = try await services.reject(kind, rejected, as: ben.caller)
      let accepted = try await services.ask(kind, ben.username, as: ana.caller)
      _ = try await services.accept(kind, accepted, as: ben.caller)
      for request in [rejected, accepted] {
        let failure = try await services.failure { try await services.withdraw(kind, request, as: ana.caller) }
        #expect(failure?.code == kind.code(.answered, .answered) && failure?.status == 409)
      }
      #expect(try await services.connected(kind, to: ana.caller) == [ben.account])
    }
  }

  @Test("A request withdrawn while it is accepted ends in one of the two states", arguments: RequestKind.allCases)
  func atOnce(kind: RequestKind) async throws {
    let ana = try identity.person("ana")
    let others = try (0..<20).map { try identity.person("other\($0)") }
    try await ServicesInProcess.social(identity) { services in
      var requests: [EitherRequest] = []
      for other in others { requests.append(try await services.ask(kind, other.username, as: ana.caller)) }
      try await services.together(40, writingTo: .social) { [requests] number in
        let (request, other) = (requests[number / 2], others[number / 2])
        _ = try await services.failure {
          try await number % 2 == 0
            ? services.withdraw(kind, request, as: ana.caller) : services.accept(kind, request, as: other.caller)
        }
      }
      let connected = Set(try await services.connected(kind, to: ana.caller))
      for request in try await services.requests(kind, of: ana.caller).items {
        #expect(request.state == (connected.contains(request.accountID) ? .accepted : .withdrawn))
      }
    }
  }
}

extension ServicesInProcess {
  /// The last relation that social has published of an account to another.
  func relation(of one: IdentityDouble.Account, to other: IdentityDouble.Account) async throws -> RelationChanged {
    let all = try await published(by: .social).filter { $0.name == RelationChanged.spec.name }
      .map { try RelationChanged.decode($0.body) }
    return try #require(all.last { $0.accountID == one.account && $0.otherAccountID == other.account })
  }
}
