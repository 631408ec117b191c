import InProcess
import Operations
import SocialContract
import Testing

@Suite("Follow requests, where they differ from friend requests (SOC-7)")
struct FollowRequestTests {
  let identity = IdentityDouble()

  @Test(
    "T UC 04.02, exception: a follow request to an account that is already followed is refused by name",
    arguments: Language.allCases
  )
  func alreadyFollowing(language: Language) async throws {
    let (ana, ben) = (try identity.person("ana", language: language), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.follow(ana, ben)
      do {
        _ = try await services.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
        Issue.record("asked again")
      } catch let failure as Failure {
        #expect(failure.code == "already_following" && failure.status == 409)
        let text = Words(Contract.social.words).text("failure.\(failure.code)", language, failure.parameters)
        #expect(text == (language == .english ? "You are already following ben." : "Ya sigues a ben."))
      }
      #expect(try await services.call(ListFollowRequests.self, .init(), as: ana.caller).items.count == 1)
    }
  }

  @Test("T UC 04.04: accepting a follow request makes only the sender follow; the other can send a request in turn")
  func accepting() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let request = try await services.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
      let answer = AnswerFollowRequest(followRequestID: request.id)
      let accepted = try await services.call(AcceptFollowRequest.self, answer, as: ben.caller)
      #expect(accepted.state == .accepted && accepted.answeredAt != nil)
      #expect(try await services.call(ListFollows.self, .init(), as: ana.caller).items.map(\.accountID) == [ben.account])
      #expect(try await services.call(ListFollowers.self, .init(), as: ben.caller).items.map(\.accountID) == [ana.account])
      #expect(try await services.call(ListFollows.self, .init(), as: ben.caller).items.isEmpty)
      #expect(try await services.call(ListFollowers.self, .init(), as: ana.caller).items.isEmpty)
      let published = try await services.publishedButRelations()
      #expect(published.map(\.name) == ["followRequests.sent", "follows.changed", "followRequests.accepted"])
      let change = try FollowChanged.decode(published[1].body)
      #expect(change.followerAccountID == ana.account && change.followedAccountID == ben.account && change.state == .accepted)
      #expect(try await services.refusal(SendFollowRequest.self, .init(username: ana.username), as: ben.caller) == nil)
    }
  }
}
