import ActivityContract
import InProcess
import Operations
import SocialContract
import Testing

@Suite("Social's part of weekly summaries (NOT-3, TASK-9)")
struct SocialWeekTests {
  let identity = IdentityDouble()

  private func read(_ times: [SocialTime], _ services: ServicesInProcess) async throws -> GetSocialWeeks.Output {
    try await services.call(GetSocialWeeks.self, .init(times: times), as: .service(.notifications))
  }

  @Test("A week counts the sender's challenges that friends accepted in it, whatever became of them, and no others")
  func accepted() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.challenging(identity) { services in
      for friend in [ben, eva] { try await services.befriend(ana, friend) }
      func challenge(_ friend: IdentityDouble.Account, _ title: String) async throws -> FriendChallenge {
        try await services.challenge(friend, to: try await services.makeActivity(title, of: ana), by: ana)
      }
      let start = services.clock.now
      let end = start.adding(seconds: 7 * 86_400)
      _ = try await services.accept(try await challenge(ben, "Walk"), by: ben)
      let ended = try await services.accept(try await challenge(eva, "Read"), by: eva)
      _ = try await services.call(EndFriendChallenge.self, .init(friendChallengeID: ended.id), as: ana.caller)
      let rejected = try await challenge(ben, "Swim")
      _ = try await services.call(RejectFriendChallenge.self, .init(friendChallengeID: rejected.id), as: ben.caller)
      let withdrawn = try await challenge(ben, "Draw")
      _ = try await services.call(WithdrawFriendChallenge.self, .init(friendChallengeID: withdrawn.id), as: ana.caller)
      _ = try await challenge(eva, "Run")
      let late = try await challenge(ben, "Sing")
      // It is the first instant of the next week.
      services.clock.advance(days: 7)
      _ = try await services.accept(late, by: ben)
      let before = start.adding(seconds: -7 * 86_400)
      let weeks = try await read(
        [
          SocialTime(accountID: ana.account, from: start, until: end),
          SocialTime(accountID: ana.account, from: end, until: end.adding(seconds: 7 * 86_400)),
          SocialTime(accountID: ana.account, from: before, until: start),
          // Who accepted sent none, and nobody knows the last.
          SocialTime(accountID: ben.account, from: start, until: end),
          SocialTime(accountID: AccountID(), from: start, until: end),
        ], services)
      #expect(weeks.acceptedChallenges == [2, 1, 0, 0, 0])
    }
  }

  @Test("The week's checkpoint is the register's last one, as anybody can read it")
  func checkpoint() async throws {
    try await ServicesInProcess.social(identity) { services in
      _ = try await services.registered(0)
      let weeks = try await read([SocialTime(accountID: AccountID(), from: .now, until: .now)], services)
      let file = try await services.call(GetRegisterCheckpoint.self, .init(), as: .nobody)
      #expect(weeks.checkpoint == String(decoding: file.content.bytes, as: UTF8.self))
    }
  }

  @Test("Only notifications can read weeks: no account and no other service")
  func strangers() async throws {
    let (ana, eve) = (try identity.person("ana"), try identity.person("eve"))
    try await ServicesInProcess.social(identity) { services in
      let input = GetSocialWeeks.Input(times: [SocialTime(accountID: ana.account, from: .now, until: .now)])
      for caller in [ana.caller, eve.caller, .nobody, .service(.activity), .service(.gateway)] {
        let refusal = try await services.refusal(GetSocialWeeks.self, input, as: caller)
        #expect(refusal == "forbidden")
      }
    }
  }
}
