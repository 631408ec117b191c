import InProcess
import Operations
import SocialContract
import Testing

@Suite("Follow requests (SOC-7)")
struct FollowRequestTests {
  let identity = IdentityStub()

  @Test("T UC 04.02: the request is created, sent for the asker and received for the one who is asked")
  func sending() async throws {
    let (ana, ben) = (try identity.person("ana", nickname: "Anita"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      let sent = try await stage.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
      #expect(sent.direction == .sent && sent.state == .pending && sent.accountID == ben.account && sent.answeredAt == nil)
      let received = try await stage.call(ListFollowRequests.self, .init(), as: ben.caller).items
      #expect(received.map(\.id) == [sent.id] && received.first?.direction == .received)
      #expect(received.first?.username == ana.username && received.first?.nickname == "Anita")
      #expect(try await stage.call(ListFollows.self, .init(), as: ana.caller).items.isEmpty)
      let events = try await stage.told(by: .social)
      #expect(events.map(\.name) == ["followRequests.sent"])
      let event = try FollowRequestSent.decode(events[0].body)
      #expect(event.followRequestID == sent.id && event.fromUsername == ana.username && event.toAccountID == ben.account)
    }
  }

  @Test(
    "T UC 04.02, exception: whoever is followed already cannot be asked, and one is told so by name", arguments: Language.allCases
  )
  func alreadyFollowing(language: Language) async throws {
    let (ana, ben) = (try identity.person("ana", language: language), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      try await stage.follow(ana, ben)
      do {
        _ = try await stage.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
        Issue.record("asked again")
      } catch let failure as Failure {
        #expect(failure.code == "already_following" && failure.status == 409)
        let text = Words(Contract.social.words).text("failure.\(failure.code)", language, failure.parameters)
        #expect(text == (language == .english ? "You are already following ben." : "Ya sigues a ben."))
      }
      #expect(try await stage.call(ListFollowRequests.self, .init(), as: ana.caller).items.count == 1)
    }
  }

  @Test("to nobody, oneself, one who is followed or one who is asked already are four different failures")
  func refusals() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      func refusal(_ username: String) async throws -> String? {
        try await stage.refusal(SendFollowRequest.self, .init(username: try Username(text: username)), as: ana.caller)
      }
      #expect(try await refusal("nobody") == "unknown_user")
      #expect(try await refusal("ana") == "follow_request_to_oneself")
      #expect(try await refusal("ben") == nil)
      #expect(try await refusal("ben") == "follow_request_pending")
      let request = try await stage.call(ListFollowRequests.self, .init(), as: ben.caller).items[0]
      _ = try await stage.call(AcceptFollowRequest.self, .init(followRequestID: request.id), as: ben.caller)
      #expect(try await refusal("ben") == "already_following")
    }
  }

  @Test("T UC 04.04: by accepting, the asker follows; who accepts follows nobody, and may ask in turn")
  func accepting() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      let request = try await stage.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
      let answer = AnswerFollowRequest(followRequestID: request.id)
      let accepted = try await stage.call(AcceptFollowRequest.self, answer, as: ben.caller)
      #expect(accepted.state == .accepted && accepted.answeredAt != nil)
      #expect(try await stage.call(ListFollows.self, .init(), as: ana.caller).items.map(\.accountID) == [ben.account])
      #expect(try await stage.call(ListFollowers.self, .init(), as: ben.caller).items.map(\.accountID) == [ana.account])
      #expect(try await stage.call(ListFollows.self, .init(), as: ben.caller).items.isEmpty)
      #expect(try await stage.call(ListFollowers.self, .init(), as: ana.caller).items.isEmpty)
      let told = try await stage.told(by: .social)
      #expect(told.map(\.name) == ["followRequests.sent", "follows.changed", "followRequests.accepted"])
      let change = try FollowChanged.decode(told[1].body)
      #expect(change.followerAccountID == ana.account && change.followedAccountID == ben.account && change.state == .accepted)
      #expect(try await stage.refusal(SendFollowRequest.self, .init(username: ana.username), as: ben.caller) == nil)
    }
  }

  @Test("are answered by the one who was asked alone; the same answer again changes nothing, the other is refused")
  func answering() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await Stage.social(identity) { stage in
      let request = try await stage.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
      let answer = AnswerFollowRequest(followRequestID: request.id)
      #expect(try await stage.refusal(AcceptFollowRequest.self, answer, as: eve.caller) == "not_found")
      #expect(try await stage.refusal(RejectFollowRequest.self, answer, as: eve.caller) == "not_found")
      #expect(try await stage.refusal(AcceptFollowRequest.self, answer, as: ana.caller) == "forbidden")
      let accepted = try await stage.call(AcceptFollowRequest.self, answer, as: ben.caller)
      #expect(try await stage.call(AcceptFollowRequest.self, answer, as: ben.caller) == accepted)
      #expect(try await stage.refusal(RejectFollowRequest.self, answer, as: ben.caller) == "follow_request_answered")
      #expect(try await stage.told(by: .social).count == 3)
    }
  }

  @Test("that are rejected let nobody follow, are told to nobody and can be sent anew")
  func rejecting() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      let first = try await stage.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
      _ = try await stage.call(RejectFollowRequest.self, .init(followRequestID: first.id), as: ben.caller)
      #expect(try await stage.call(ListFollowers.self, .init(), as: ben.caller).items.isEmpty)
      #expect(
        try await stage.call(ListFollowRequests.self, .init(state: .rejected), as: ana.caller).items.map(\.id) == [first.id])
      #expect(try await stage.told(by: .social).map(\.name) == ["followRequests.sent"])
      let second = try await stage.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
      #expect(second.id != first.id && second.state == .pending)
    }
  }

  @Test("need a verified account to be sent and accepted, not to be rejected")
  func unverified() async throws {
    let ana = try identity.person("ana")
    let ben = try identity.person("ben", isVerified: false)
    var unverified = ben.caller
    unverified.isVerified = false
    try await Stage.social(identity) { stage in
      let request = try await stage.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
      let answer = AnswerFollowRequest(followRequestID: request.id)
      #expect(
        try await stage.refusal(SendFollowRequest.self, .init(username: ana.username), as: unverified) == "verification_required")
      #expect(try await stage.refusal(AcceptFollowRequest.self, answer, as: unverified) == "verification_required")
      #expect(try await stage.call(RejectFollowRequest.self, answer, as: unverified).state == .rejected)
    }
  }

  @Test("sent and accepted many times at once make one request, one following and one event each")
  func atOnce() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<30 {
          group.addTask { _ = try await stage.refusal(SendFollowRequest.self, .init(username: ben.username), as: ana.caller) }
        }
        try await group.waitForAll()
      }
      let received = try await stage.call(ListFollowRequests.self, .init(), as: ben.caller).items
      #expect(received.count == 1)
      try await withThrowingTaskGroup(of: FollowRequest.State.self) { group in
        for _ in 0..<30 {
          group.addTask {
            try await stage.call(AcceptFollowRequest.self, .init(followRequestID: received[0].id), as: ben.caller).state
          }
        }
        for try await state in group { #expect(state == .accepted) }
      }
      #expect(try await stage.told(by: .social).count == 3)
    }
  }

  @Test("repeated with their idempotency key are sent once, and an account not known yet is looked up")
  func repeated() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      let input = SendFollowRequest.Input(username: ben.username)
      let first = try await stage.call(SendFollowRequest.self, input, as: ana.caller, key: "k1")
      #expect(try await stage.call(SendFollowRequest.self, input, as: ana.caller, key: "k1") == first)
      #expect(try await stage.told(by: .social).count == 1)
      #expect(identity.lookUps == 2)
    }
  }

  @Test("are listed newest first, by direction and state, page by page without doubles or holes")
  func listing() async throws {
    let ana = try identity.person("ana")
    let others = try (0..<25).map { try identity.person("other\($0)") }
    try await Stage.social(identity) { stage in
      var expected: [ID<FollowRequest>] = []
      for (index, other) in others.enumerated() {
        let request =
          index % 2 == 0
          ? try await stage.call(SendFollowRequest.self, .init(username: other.username), as: ana.caller)
          : try await stage.call(SendFollowRequest.self, .init(username: ana.username), as: other.caller)
        expected.insert(request.id, at: 0)
      }
      #expect(try await pages(stage, ana, .init(limit: 7)) == expected)
      #expect(try await pages(stage, ana, .init(direction: .sent, limit: 4)).count == 13)
      #expect(try await pages(stage, ana, .init(direction: .received, state: .pending, limit: 5)).count == 12)
      #expect(try await pages(stage, ana, .init(state: .accepted, limit: 5)).isEmpty)
      let nonsense = try PageCursor(text: "x")
      #expect(
        try await stage.refusedFields(ListFollowRequests.self, .init(cursor: nonsense), as: ana.caller) == [
          "cursor invalid_cursor"
        ])
    }
  }

  private func pages(
    _ stage: Stage, _ person: IdentityStub.Person, _ input: ListFollowRequests.Input
  ) async throws -> [ID<FollowRequest>] {
    var (input, result) = (input, [ID<FollowRequest>]())
    while true {
      let page = try await stage.call(ListFollowRequests.self, input, as: person.caller)
      result += page.items.map(\.id)
      guard let next = page.nextCursor else { return result }
      input.cursor = next
    }
  }
}
