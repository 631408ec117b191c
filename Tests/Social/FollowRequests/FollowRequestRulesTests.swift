import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Follow request rules (SOC-7)")
struct FollowRequestRulesTests {
  typealias Asked = Result<Bool, FollowRequestFailure>

  @Test(
    "asking depends on how the two stand to each other, and on how many are followed",
    arguments: [
      (.strangers, 0, .success(true)), (.strangers, 999, .success(true)), (.strangers, 1000, .failure(.tooMany)),
      (.following, 1, .failure(.alreadyFollowing)), (.following, 1000, .failure(.alreadyFollowing)),
      (.asking, 1, .failure(.pending)),
    ] as [(FollowRequestRules.Standing, Int, Asked)])
  func sending(standing: FollowRequestRules.Standing, count: Int, expected: Asked) {
    let result = Asked { () throws(FollowRequestFailure) in
      try FollowRequestRules.send(from: AccountID(), to: AccountID(), standing, count: count)
      return true
    }
    #expect(result == expected)
  }

  @Test("nobody asks oneself, whatever else holds")
  func oneself() {
    let account = AccountID()
    for standing in [FollowRequestRules.Standing.strangers, .following, .asking] {
      #expect(throws: FollowRequestFailure.toOneself) {
        try FollowRequestRules.send(from: account, to: account, standing, count: 1000)
      }
    }
  }

  @Test(
    "only the addressee answers, and a given answer stands",
    arguments: [
      (.accepted, .pending, .received, .success(.change)),
      (.rejected, .pending, .received, .success(.change)),
      (.accepted, .accepted, .received, .success(.nothing)),
      (.rejected, .rejected, .received, .success(.nothing)),
      (.accepted, .rejected, .received, .failure(FollowRequestFailure.answered.with())),
      (.rejected, .accepted, .received, .failure(FollowRequestFailure.answered.with())),
      (.accepted, .pending, .sent, .failure(Failure(RequestFailure.forbidden))),
      (.rejected, .accepted, .sent, .failure(Failure(RequestFailure.forbidden))),
    ]
      as [(
        FollowRequest.State, FollowRequest.State, FollowRequest.Direction, Result<FollowRequestRules.Answering, Failure>
      )])
  func answering(
    answer: FollowRequest.State, state: FollowRequest.State, direction: FollowRequest.Direction,
    expected: Result<FollowRequestRules.Answering, Failure>
  ) {
    let result = Result { () throws(Failure) in try FollowRequestRules.answer(answer, state, direction) }
    #expect(result == expected)
  }
}
