import InProcess
import Operations
import SocialContract
import Testing

@Suite("Friend requests")
struct FriendRequestTests {
  let identity = IdentityStub()

  @Test("go to the addressee, who sees them received, and the asker sent")
  func sending() async throws {
    let (ana, ben) = (try identity.person("ana", nickname: "Anita"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      let sent = try await stage.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      #expect(sent.direction == .sent && sent.state == .pending && sent.accountID == ben.account && sent.answeredAt == nil)
      let received = try await stage.call(ListFriendRequests.self, .init(), as: ben.caller).items
      #expect(received.map(\.id) == [sent.id])
      #expect(received.first?.direction == .received)
      #expect(received.first?.username == ana.username)
      #expect(received.first?.nickname == "Anita")
      let events = try await stage.told(by: .social)
      #expect(events.map(\.name) == ["friendRequests.sent"])
      let event = try FriendRequestSent.decode(events[0].body)
      #expect(event.friendRequestID == sent.id && event.fromUsername == ana.username && event.toAccountID == ben.account)
    }
  }

  @Test("to nobody, oneself, a friend or one that is asked already are four different failures")
  func refusals() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      func refusal(_ username: String) async throws -> String? {
        try await stage.refusal(SendFriendRequest.self, .init(username: try Username(text: username)), as: ana.caller)
      }
      #expect(try await refusal("nobody") == "unknown_user")
      #expect(try await refusal("ana") == "friend_request_to_oneself")
      #expect(try await refusal("ben") == nil)
      #expect(try await refusal("ben") == "friend_request_pending")
      let request = try await stage.call(ListFriendRequests.self, .init(), as: ben.caller).items[0]
      _ = try await stage.call(AcceptFriendRequest.self, .init(friendRequestID: request.id), as: ben.caller)
      #expect(try await refusal("ben") == "already_friends")
      #expect(try await stage.told(by: .social).count == 2)
    }
  }

  @Test("need a verified account to be sent and accepted, not to be rejected (S 8, scenario 4)")
  func unverified() async throws {
    let ana = try identity.person("ana")
    let ben = try identity.person("ben", isVerified: false)
    var unverified = ben.caller
    unverified.isVerified = false
    try await Stage.social(identity) { stage in
      let request = try await stage.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      let answer = AnswerFriendRequest(friendRequestID: request.id)
      #expect(
        try await stage.refusal(SendFriendRequest.self, .init(username: ana.username), as: unverified) == "verification_required")
      #expect(try await stage.refusal(AcceptFriendRequest.self, answer, as: unverified) == "verification_required")
      #expect(try await stage.call(RejectFriendRequest.self, answer, as: unverified).state == .rejected)
    }
  }

  @Test("are answered by the addressee alone; the same answer again changes nothing, the other is refused")
  func answering() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await Stage.social(identity) { stage in
      let request = try await stage.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      let answer = AnswerFriendRequest(friendRequestID: request.id)
      #expect(try await stage.refusal(AcceptFriendRequest.self, answer, as: eve.caller) == "not_found")
      #expect(try await stage.refusal(AcceptFriendRequest.self, answer, as: ana.caller) == "forbidden")
      let accepted = try await stage.call(AcceptFriendRequest.self, answer, as: ben.caller)
      #expect(accepted.state == .accepted && accepted.answeredAt != nil)
      #expect(try await stage.call(AcceptFriendRequest.self, answer, as: ben.caller) == accepted)
      #expect(try await stage.refusal(RejectFriendRequest.self, answer, as: ben.caller) == "friend_request_answered")
      #expect(try await stage.told(by: .social).map(\.name) == ["friendRequests.sent", "friendRequests.accepted"])
    }
  }

  @Test("that are rejected make no friends and can be sent anew")
  func rejecting() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      let first = try await stage.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      _ = try await stage.call(RejectFriendRequest.self, .init(friendRequestID: first.id), as: ben.caller)
      #expect(try await stage.call(ListFriends.self, .init(), as: ben.caller).items.isEmpty)
      #expect(
        try await stage.call(ListFriendRequests.self, .init(state: .rejected), as: ana.caller).items.map(\.id) == [first.id])
      let second = try await stage.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      #expect(second.id != first.id && second.state == .pending)
    }
  }

  @Test("that cross are one agreement: the second accepts the first")
  func crossing() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      let first = try await stage.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      let second = try await stage.call(SendFriendRequest.self, .init(username: ana.username), as: ben.caller)
      #expect(second.id == first.id && second.state == .accepted && second.direction == .received)
    }
  }

  @Test("that cross at the same moment, many times over, make one friendship for each two")
  func crossingAtOnce() async throws {
    let ana = try identity.person("ana")
    let others = try (0..<40).map { try identity.person("friend\($0)") }
    try await Stage.social(identity) { stage in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for other in others {
          group.addTask { _ = try await stage.refusal(SendFriendRequest.self, .init(username: other.username), as: ana.caller) }
          group.addTask { _ = try await stage.refusal(SendFriendRequest.self, .init(username: ana.username), as: other.caller) }
        }
        try await group.waitForAll()
      }
      #expect(try await stage.call(ListFriends.self, .init(limit: 100), as: ana.caller).items.count == others.count)
      let names = try await stage.told(by: .social).map(\.name)
      #expect(names.count { $0 == "friendRequests.sent" } == others.count)
      #expect(names.count { $0 == "friendRequests.accepted" } == others.count)
    }
  }

  @Test("accepted many times at once make one friendship and one event")
  func acceptingAtOnce() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      let request = try await stage.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      try await withThrowingTaskGroup(of: FriendRequest.State.self) { group in
        for _ in 0..<50 {
          group.addTask {
            try await stage.call(AcceptFriendRequest.self, .init(friendRequestID: request.id), as: ben.caller).state
          }
        }
        for try await state in group { #expect(state == .accepted) }
      }
      #expect(try await stage.call(ListFriends.self, .init(), as: ana.caller).items.map(\.accountID) == [ben.account])
      #expect(try await stage.told(by: .social).count == 2)
    }
  }

  @Test("repeated with their idempotency key are sent once, and an account not known yet is looked up")
  func repeated() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await Stage.social(identity) { stage in
      let input = SendFriendRequest.Input(username: ben.username)
      let first = try await stage.call(SendFriendRequest.self, input, as: ana.caller, key: "k1")
      #expect(try await stage.call(SendFriendRequest.self, input, as: ana.caller, key: "k1") == first)
      #expect(try await stage.told(by: .social).count == 1)
      // Both accounts once: from then on they are in the read model.
      #expect(identity.lookUps == 2)
    }
  }

  @Test("are listed newest first, by direction and state, page by page without doubles or holes")
  func listing() async throws {
    let ana = try identity.person("ana")
    let others = try (0..<25).map { try identity.person("other\($0)") }
    try await Stage.social(identity) { stage in
      var expected: [ID<FriendRequest>] = []
      for (index, other) in others.enumerated() {
        let request =
          index % 2 == 0
          ? try await stage.call(SendFriendRequest.self, .init(username: other.username), as: ana.caller)
          : try await stage.call(SendFriendRequest.self, .init(username: ana.username), as: other.caller)
        expected.insert(request.id, at: 0)
      }
      #expect(try await pages(stage, ana, .init(limit: 7)) == expected)
      #expect(try await pages(stage, ana, .init(direction: .sent, limit: 4)).count == 13)
      #expect(try await pages(stage, ana, .init(direction: .received, state: .pending, limit: 5)).count == 12)
      #expect(try await pages(stage, ana, .init(state: .accepted, limit: 5)).isEmpty)
      let nonsense = try PageCursor(text: "x")
      #expect(
        try await stage.refusedFields(ListFriendRequests.self, .init(cursor: nonsense), as: ana.caller) == [
          "cursor invalid_cursor"
        ])
    }
  }

  private func pages(
    _ stage: Stage, _ person: IdentityStub.Person, _ input: ListFriendRequests.Input
  ) async throws -> [ID<FriendRequest>] {
    var (input, result) = (input, [ID<FriendRequest>]())
    while true {
      let page = try await stage.call(ListFriendRequests.self, input, as: person.caller)
      result += page.items.map(\.id)
      guard let next = page.nextCursor else { return result }
      input.cursor = next
    }
  }
}
