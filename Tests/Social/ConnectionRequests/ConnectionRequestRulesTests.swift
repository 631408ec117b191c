import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("The rules of friend requests and follow requests")
struct ConnectionRequestRulesTests {
  typealias Friend = ConnectionRequestRules<Friendship>
  typealias Follow = ConnectionRequestRules<Following>

  static let request = ID<FriendRequest>()

  @Test(
    "The outcome of a friend request depends on the relation of the two accounts",
    arguments: [
      (.strangers, .success(.new)),
      (.asked(request), .success(.accept(request))),
      (.connected, .failure(.alreadyFriends)),
      (.asking, .failure(.pending)),
    ] as [(Friend.Standing, Result<Friend.Sending, FriendRequestFailure>)])
  func befriending(standing: Friend.Standing, expected: Result<Friend.Sending, FriendRequestFailure>) {
    #expect(sending(AccountID(), AccountID(), standing, nil) == expected)
  }

  @Test(
    "The outcome of a follow request depends on the relation of the two accounts, and on the number of follows",
    arguments: [
      (.strangers, 0, .success(.new)), (.strangers, 999, .success(.new)), (.strangers, 1000, .failure(.tooMany)),
      (.connected, 1, .failure(.alreadyFollowing)), (.connected, 1000, .failure(.alreadyFollowing)),
      (.asking, 1, .failure(.pending)),
    ] as [(Follow.Standing, Int, Result<Follow.Sending, FollowRequestFailure>)])
  func following(standing: Follow.Standing, count: Int, expected: Result<Follow.Sending, FollowRequestFailure>) {
    #expect(sending(AccountID(), AccountID(), standing, limit(count)) == expected)
  }

  @Test("Requests to oneself are refused in any case")
  func oneself() {
    let account = AccountID()
    for standing in [Friend.Standing.strangers, .connected, .asking] {
      #expect(sending(account, account, standing, nil) == .failure(.toOneself))
    }
    for standing in [Follow.Standing.strangers, .connected, .asking] {
      #expect(sending(account, account, standing, limit(1000)) == .failure(.toOneself))
    }
  }

  private func limit(_ count: Int) -> ConnectionLimit<FollowRequestFailure> {
    ConnectionLimit(maximum: Following.maximum, count: count, refusal: .tooMany)
  }

  private func sending<Kind: RequestedConnection>(
    _ account: AccountID, _ other: AccountID, _ standing: ConnectionRequestRules<Kind>.Standing,
    _ limit: ConnectionLimit<Kind.Refusal>?
  ) -> Result<ConnectionRequestRules<Kind>.Sending, Kind.Refusal> {
    Result { () throws(Kind.Refusal) in
      try ConnectionRequestRules<Kind>.send(from: account, to: other, standing, limit)
    }
  }

  enum Answer { case change, nothing, answered, ended, forbidden }

  @Test(
    "Only the addressee can answer a request, and its answer is final",
    arguments: [
      (.accepted, .pending, .received, .change), (.rejected, .pending, .received, .change),
      (.accepted, .accepted, .received, .nothing), (.rejected, .rejected, .received, .nothing),
      (.accepted, .rejected, .received, .answered), (.rejected, .accepted, .received, .answered),
      (.accepted, .pending, .sent, .forbidden), (.rejected, .accepted, .sent, .forbidden),
      (.accepted, .withdrawn, .received, .ended), (.rejected, .withdrawn, .received, .ended),
      (.accepted, .expired, .received, .ended), (.rejected, .expired, .received, .ended),
    ] as [(ConnectionRequestState, ConnectionRequestState, ConnectionRequestDirection, Answer)])
  func answering(
    answer: ConnectionRequestState, state: ConnectionRequestState, direction: ConnectionRequestDirection, expected: Answer
  ) {
    func expect<Kind: RequestedConnection>(_ kind: Kind.Type) {
      check(Result { () throws(Failure) in try ConnectionRequestRules<Kind>.answer(answer, state, direction) }, expected)
    }
    expect(Friendship.self)
    expect(Following.self)
  }

  @Test(
    "Only the sender can withdraw a request, and only while it is pending",
    arguments: [
      (.pending, .sent, .change), (.withdrawn, .sent, .nothing), (.accepted, .sent, .answered), (.rejected, .sent, .answered),
      (.expired, .sent, .ended), (.pending, .received, .forbidden), (.withdrawn, .received, .forbidden),
    ] as [(ConnectionRequestState, ConnectionRequestDirection, Answer)])
  func withdrawing(state: ConnectionRequestState, direction: ConnectionRequestDirection, expected: Answer) {
    func expect<Kind: RequestedConnection>(_ kind: Kind.Type) {
      check(Result { () throws(Failure) in try ConnectionRequestRules<Kind>.withdraw(state, direction) }, expected)
    }
    expect(Friendship.self)
    expect(Following.self)
  }

  private func check<Kind: RequestedConnection>(
    _ result: Result<ConnectionRequestRules<Kind>.Answering, Failure>, _ expected: Answer
  ) {
    switch expected {
    case .change: #expect(result == .success(.change))
    case .nothing: #expect(result == .success(.nothing))
    case .answered: #expect(result == .failure(Kind.Refusal.answered.with()))
    case .ended: #expect(result == .failure(Kind.Refusal.ended.with()))
    case .forbidden: #expect(result == .failure(Failure(RequestFailure.forbidden)))
    }
  }

  @Test("A request expires after its maximum number of days", arguments: [(1, 86_400), (90, 7_776_000)])
  func life(days: Int, seconds: Int) throws {
    let now = try Instant(text: "2026-11-21T12:00:00.000Z")
    #expect(ConnectionRequestLife(days: days).end(at: now) == now.adding(seconds: -seconds))
  }
}
