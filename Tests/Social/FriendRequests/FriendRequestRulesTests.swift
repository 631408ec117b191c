import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Friend request rules")
struct FriendRequestRulesTests {
  static let request = ID<FriendRequest>()

  @Test(
    "asking depends on how the two stand to each other",
    arguments: [
      (.strangers, .success(.new)),
      (.asked(request), .success(.accept(request))),
      (.friends, .failure(.alreadyFriends)),
      (.asking, .failure(.pending)),
    ] as [(FriendRequestRules.Standing, Result<FriendRequestRules.Sending, FriendRequestFailure>)])
  func sending(standing: FriendRequestRules.Standing, expected: Result<FriendRequestRules.Sending, FriendRequestFailure>) {
    let result = Result { () throws(FriendRequestFailure) in
      try FriendRequestRules.send(from: AccountID(), to: AccountID(), standing)
    }
    #expect(result == expected)
  }

  @Test("nobody asks oneself, whatever else holds")
  func oneself() {
    let account = AccountID()
    for standing in [FriendRequestRules.Standing.strangers, .friends, .asking] {
      #expect(throws: FriendRequestFailure.toOneself) { try FriendRequestRules.send(from: account, to: account, standing) }
    }
  }

  @Test(
    "only the addressee answers, and a given answer stands",
    arguments: [
      (.accepted, .pending, .received, .success(.change)),
      (.rejected, .pending, .received, .success(.change)),
      (.accepted, .accepted, .received, .success(.nothing)),
      (.rejected, .rejected, .received, .success(.nothing)),
      (.accepted, .rejected, .received, .failure(FriendRequestFailure.answered.with())),
      (.rejected, .accepted, .received, .failure(FriendRequestFailure.answered.with())),
      (.accepted, .pending, .sent, .failure(Failure(RequestFailure.forbidden))),
      (.rejected, .accepted, .sent, .failure(Failure(RequestFailure.forbidden))),
    ]
      as [(
        FriendRequest.State, FriendRequest.State, FriendRequest.Direction, Result<FriendRequestRules.Answering, Failure>
      )])
  func answering(
    answer: FriendRequest.State, state: FriendRequest.State, direction: FriendRequest.Direction,
    expected: Result<FriendRequestRules.Answering, Failure>
  ) {
    let result = Result { () throws(Failure) in try FriendRequestRules.answer(answer, state, direction) }
    #expect(result == expected)
  }

  @Test("two accounts make the same pair in either order")
  func pair() {
    let (one, other) = (AccountID(), AccountID())
    #expect(AccountPair(one, other) == AccountPair(other, one))
    #expect(AccountPair(one, other).low < AccountPair(one, other).high)
  }
}
