import IdentityContract
import InProcess
import Operations
import SocialContract
import Testing

@Suite("The specified flows of friends (CU-8 to CU-13)")
struct FriendFlowTests {
  let identity = IdentityDouble()

  /// What somebody is shown whose request cannot be sent.
  private func refusal(
    _ username: String, of person: IdentityDouble.Account, _ services: ServicesInProcess
  ) async throws -> String? {
    let failure = try await services.failure {
      try await services.call(SendFriendRequest.self, .init(username: try Username(text: username)), as: person.caller)
    }
    return failure.flatMap { Words(Contract.social.words).text("failure.\($0.code)", person.language, $0.parameters) }
  }

  @Test("CU-8: a request sent by username is received, and its sender is answered that it was sent")
  func sending() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let sent = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      #expect(sent.state == .pending && sent.direction == .sent && sent.username == ben.username)
      let received = try await services.call(ListFriendRequests.self, .init(direction: .received), as: ben.caller).items
      #expect(received.map(\.id) == [sent.id])
    }
  }

  @Test("CU-8, 7a and 7b: a request to an unknown username or to oneself is refused, and can be corrected")
  func wrongNames() async throws {
    let (ana, ben) = (try identity.person("ana", language: .spanish), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      #expect(try await refusal("nadie", of: ana, services) == "No existe ninguna cuenta llamada nadie.")
      #expect(try await refusal("ana", of: ana, services) == "No puedes enviarte una solicitud.")
      #expect(try await refusal("ben", of: ana, services) == nil)
      let received = try await services.call(ListFriendRequests.self, .init(), as: ben.caller).items
      #expect(received.count == 1)
    }
  }

  @Test("CU-8, 7c: a request to a friend, or besides a pending one, is refused with the reason")
  func addedAlready() async throws {
    let (ana, ben) = (try identity.person("ana", language: .spanish), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      #expect(try await refusal("ben", of: ana, services) == nil)
      #expect(try await refusal("ben", of: ana, services) == "Tu solicitud de amistad a ben aún no tiene respuesta.")
      _ = try await services.call(SendFriendRequest.self, .init(username: ana.username), as: ben.caller)
      #expect(try await refusal("ben", of: ana, services) == "ben ya está entre tus amistades.")
    }
  }

  @Test("CU-9, CU-10, CU-11: friends and requests are shown with photo and names, requests also with state and date")
  func lists() async throws {
    let tag = "0123456789abcdef0123456789abcdef"
    try await ServicesInProcess.social(identity) { services in
      let (ana, ben, eva) = (try await services.register(), try await services.register(), try await services.register())
      for person in [ana, ben, eva] {
        try await services.change(person, receivedBy: .social) { account in
          account.nickname = try Nickname(text: "Nick of \(account.username)")
          account.photoTag = tag
        }
      }
      let names = try [ana, ben, eva].map { try identity.username(of: $0.id) }
      _ = try await ana.send(SendFriendRequest.self, .init(username: names[1]))
      _ = try await ben.send(SendFriendRequest.self, .init(username: names[0]))
      _ = try await ana.send(SendFriendRequest.self, .init(username: names[2]))
      let friend = try #require(try await ana.send(ListFriends.self, .init()).items.first)
      #expect(friend.username == names[1] && friend.nickname == "Nick of \(names[1])")
      #expect(friend.photoURL == PhotoURL(account: ben.id, tag: tag))
      let sent = try #require(try await ana.send(ListFriendRequests.self, .init(direction: .sent, state: .pending)).items.first)
      #expect(sent.username == names[2] && sent.nickname == "Nick of \(names[2])" && sent.state == .pending)
      #expect(sent.photoURL == PhotoURL(account: eva.id, tag: tag))
      let received = try #require(try await eva.send(ListFriendRequests.self, .init(direction: .received)).items.first)
      #expect(received.username == names[0] && received.nickname == "Nick of \(names[0])")
      #expect(received.photoURL == PhotoURL(account: ana.id, tag: tag) && received.sentAt == sent.sentAt)
    }
  }

  @Test("CU-12: accepting makes the two friends; 7a: rejecting does not", arguments: [true, false])
  func answering(isAccepted: Bool) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      _ = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      let received = try #require(try await services.call(ListFriendRequests.self, .init(), as: ben.caller).items.first)
      let input = AnswerFriendRequest(friendRequestID: received.id)
      let answered =
        isAccepted
        ? try await services.call(AcceptFriendRequest.self, input, as: ben.caller)
        : try await services.call(RejectFriendRequest.self, input, as: ben.caller)
      #expect(answered.state == (isAccepted ? .accepted : .rejected))
      for (one, other) in [(ana, ben), (ben, ana)] {
        let friends = try await services.call(ListFriends.self, .init(), as: one.caller).items
        #expect(friends.map(\.accountID) == (isAccepted ? [other.account] : []))
      }
    }
  }

  @Test(
    "CU-13: removing a friend ends the friendship for both, who can become friends again; 6a: not without confirmation")
  func removing() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      // Whatever a client asks before, only the call removes.
      #expect(try await services.call(ListFriends.self, .init(), as: ben.caller).items.count == 1)
      _ = try await services.call(RemoveFriend.self, .init(accountID: ben.account), as: ana.caller)
      for person in [ana, ben] { #expect(try await services.call(ListFriends.self, .init(), as: person.caller).items.isEmpty) }
      #expect(try await services.refusal(RemoveFriend.self, .init(accountID: ana.account), as: ben.caller) == "not_found")
      #expect(try await refusal("ben", of: ana, services) == nil)
    }
  }
}
