import ActivityContract
import ActivityService
import GRDB
import InProcess
import NotificationsContract
import NotificationsService
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@testable import SocialService

@Suite("Challenges between friends (SOC-6)")
struct FriendChallengeTests {
  let identity = IdentityDouble()

  @Test("H CU-17: an activity is sent to a friend as a challenge, with its present details and without private ones")
  func send() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben", nickname: "Benny"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.makeActivity(of: ana, goal: .duration(seconds: 1800), schedule: .weekdays([1, 3]))
      let sent = try await services.challenge(ben, to: walk, by: ana)
      #expect(sent.direction == .sent && sent.state == .pending && sent.accountID == ben.account && sent.nickname == "Benny")
      #expect(sent.activityID == walk.id && sent.answeredAt == nil && sent.ownStreak == nil && sent.otherStreak == nil)
      _ = try await services.call(
        UpdateActivity.self, .init(activityID: walk.id, title: .set("Run"), reason: .set(nil)), as: ana.caller)
      let received = try await services.call(
        GetFriendChallenge.self, .init(friendChallengeID: sent.id), as: ben.caller)
      #expect(received.direction == .received && received.username == ana.username && received.activityID == nil)
      #expect(received.activity == ChallengeActivity(walk) && received.activity.title == "Walk")
      #expect(!String(decoding: received.json, as: UTF8.self).contains("secret"), "tags are one's own")
      let events = try await services.published(by: .social).filter { $0.name == FriendChallengeChanged.spec.name }
        .map { try FriendChallengeChanged.decode($0.body) }
      #expect(events.map(\.accountID) == [ben.account, ana.account] && events.allSatisfy { $0.state == .pending })
      #expect(events.map(\.activityID) == [nil, walk.id])
    }
  }

  @Test(
    "H CU-17 8a, 11a: a challenge without a friend or an activity is refused by field and rule, each in its own words",
    arguments: [
      ("{}", ["accountID no_friend_chosen", "activityID no_activity_chosen"]),
      (#"{"activityID":"\#(ActivityID())"}"#, ["accountID no_friend_chosen"]),
      (#"{"accountID":"\#(AccountID())"}"#, ["activityID no_activity_chosen"]),
      (#"{"accountID":"me","activityID":3}"#, ["accountID not_an_id", "activityID not_a_string"]),
    ])
  func nothingChosen(json: String, faults: [String]) async throws {
    do {
      _ = try SendFriendChallenge.Input.decode(Array(json.utf8))
      Issue.record("it was taken")
    } catch {
      #expect(error.fields.map { "\($0.field) \($0.code)" } == faults)
    }
  }

  @Test("H CU-17 13a: a pending or accepted challenge cannot be sent again, and a rejected or withdrawn one can")
  func alreadySent() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.challenging(identity) { services in
      for friend in [ben, eva] { try await services.befriend(ana, friend) }
      let walk = try await services.makeActivity(of: ana)
      let input = SendFriendChallenge.Input(accountID: ben.account, activityID: walk.id)
      let first = try await services.challenge(ben, to: walk, by: ana)
      #expect(try await services.refusal(SendFriendChallenge.self, input, as: ana.caller) == "challenge_already_sent")
      // To another friend, and another activity to the same, it can be.
      _ = try await services.challenge(eva, to: walk, by: ana)
      _ = try await services.challenge(ben, to: try await services.makeActivity("Read", of: ana), by: ana)
      _ = try await services.call(WithdrawFriendChallenge.self, .init(friendChallengeID: first.id), as: ana.caller)
      let second = try await services.challenge(ben, to: walk, by: ana)
      _ = try await services.call(RejectFriendChallenge.self, .init(friendChallengeID: second.id), as: ben.caller)
      let third = try await services.challenge(ben, to: walk, by: ana)
      let accepted = try await services.accept(third, by: ben)
      #expect(try await services.refusal(SendFriendChallenge.self, input, as: ana.caller) == "challenge_already_sent")
      // Nor is it sent back, while it goes on.
      _ = try await services.activities(of: ben)
      let back = SendFriendChallenge.Input(accountID: ana.account, activityID: accepted.activityID)
      #expect(try await services.refusal(SendFriendChallenge.self, back, as: ben.caller) == "challenge_already_sent")
      _ = try await services.call(EndFriendChallenge.self, .init(friendChallengeID: third.id), as: ana.caller)
      #expect(try await services.refusal(SendFriendChallenge.self, back, as: ben.caller) == nil)
    }
  }

  @Test("A challenge with one idempotency key is sent once, and concurrent ones with several keys make one")
  func once() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.makeActivity(of: ana)
      let first = try await services.challenge(ben, to: walk, by: ana, key: "one")
      #expect(try await services.challenge(ben, to: walk, by: ana, key: "one") == first)
      let other = try await services.makeActivity("Read", of: ana)
      let input = SendFriendChallenge.Input(accountID: ben.account, activityID: other.id)
      try await services.together(5, writingTo: .social) { _ in
        let code = try await services.refusal(SendFriendChallenge.self, input, as: ana.caller)
        #expect([nil, "challenge_already_sent"].contains(code))
      }
      #expect(try await services.challenges(of: ben, .received).count == 2)
    }
  }

  @Test("Challenges can be sent only to friends, for one's own activities that are neither archived nor over")
  func refused() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.makeActivity(of: ana)
      func refusal(_ person: IdentityDouble.Account, _ other: AccountID, _ activity: ActivityID) async throws -> String? {
        try await services.refusal(SendFriendChallenge.self, .init(accountID: other, activityID: activity), as: person.caller)
      }
      #expect(try await refusal(ana, eve.account, walk.id) == "not_friends")
      #expect(try await refusal(ana, ana.account, walk.id) == "not_friends")
      #expect(try await refusal(ana, AccountID(), walk.id) == "not_friends")
      #expect(try await refusal(ben, ana.account, walk.id) == "activity_not_found")
      #expect(try await refusal(ana, ben.account, ActivityID()) == "activity_not_found")
      let over = try await services.makeActivity(of: ana, endDay: "2026-11-20")
      #expect(try await refusal(ana, ben.account, over.id) == "activity_over")
      let away = try await services.makeActivity(of: ana)
      _ = try await services.call(ArchiveActivity.self, .init(activityID: away.id), as: ana.caller)
      #expect(try await refusal(ana, ben.account, away.id) == "activity_archived")
      _ = try await services.call(RemoveFriend.self, .init(accountID: ana.account), as: ben.caller)
      #expect(try await refusal(ana, ben.account, walk.id) == "not_friends")
    }
  }

  @Test("H CU-18 to CU-20: challenges are listed with person, state, date and details, as accepted, received and sent ones")
  func lists() async throws {
    let (ana, ben) = (try identity.person("ana", nickname: "Anita"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      var sent: [FriendChallenge] = []
      for title in ["Walk", "Read", "Swim", "Cook"] {
        sent.append(try await services.challenge(ben, to: try await services.makeActivity(title, of: ana), by: ana))
      }
      let back = try await services.challenge(ana, to: try await services.makeActivity("Draw", of: ben), by: ben)
      _ = try await services.accept(sent[1], by: ben)
      _ = try await services.call(RejectFriendChallenge.self, .init(friendChallengeID: sent[2].id), as: ben.caller)
      _ = try await services.call(WithdrawFriendChallenge.self, .init(friendChallengeID: sent[3].id), as: ana.caller)
      func titles(
        _ person: IdentityDouble.Account, _ direction: ConnectionRequestDirection? = nil, _ state: FriendChallengeState? = nil
      ) async throws -> [String] {
        try await services.challenges(of: person, direction, state).map { "\($0.activity.title) \($0.state)" }
      }
      #expect(try await titles(ben) == ["Read accepted"])
      #expect(try await titles(ana).isEmpty, "she has accepted none herself")
      #expect(try await titles(ana, nil, .accepted) == ["Read accepted"])
      #expect(try await titles(ben, .received) == ["Cook withdrawn", "Swim rejected", "Read accepted", "Walk pending"])
      #expect(try await titles(ana, .sent) == ["Cook withdrawn", "Swim rejected", "Read accepted", "Walk pending"])
      #expect(try await titles(ana, nil, .pending) == ["Draw pending", "Walk pending"])
      #expect(try await titles(ben, .sent, .pending) == ["Draw pending"])
      let first = try #require(try await services.challenges(of: ben).first)
      #expect(first.username == ana.username && first.nickname == "Anita" && first.accountID == ana.account)
      #expect(first.sentAt == sent[1].sentAt && first.answeredAt != nil && first.activity.schedule == .daily)
      let page = try await services.call(ListFriendChallenges.self, .init(direction: .sent, limit: 3), as: ana.caller)
      let rest = try await services.call(
        ListFriendChallenges.self, .init(direction: .sent, limit: 3, cursor: page.nextCursor), as: ana.caller)
      #expect(page.items.count == 3 && rest.items.map(\.id) == [sent[0].id] && rest.nextCursor == nil)
      #expect(
        try await services.refusedFields(ListFriendChallenges.self, .init(cursor: page.nextCursor), as: ben.caller)
          == ["cursor invalid_cursor"])
      #expect(try await titles(try identity.person("eve"), .received).isEmpty)
      #expect(try await services.state(of: back, for: ana) == .pending)
    }
  }

  @Test("Lists of challenges show the other's photo, by the address of its version")
  func photos() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      _ = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      let tag = String(repeating: "a", count: 32)
      let account = ana.account
      try await services.store(of: .social).write {
        try $0.database.execute(sql: "UPDATE accounts SET photo_tag = ? WHERE account_id = ?", arguments: [tag, account])
      }
      let listed = try await services.challenges(of: ben, .received)
      #expect(listed.map(\.photoURL) == [PhotoURL(account: account, tag: tag)])
    }
  }

  @Test("H CU-21: accepting a challenge creates one's own activity from today on, once")
  func accepting() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.makeActivity(of: ana, goal: .quantity(2.5, unit: "km"), schedule: .everyNDays(2))
      let sent = try await services.challenge(ben, to: walk, by: ana)
      let accepted = try await services.accept(sent, by: ben)
      #expect(accepted.state == .accepted && accepted.answeredAt != nil)
      #expect(try await services.accept(sent, by: ben) == accepted)
      let mine = try await services.activities(of: ben)
      #expect(mine.count == 1 && mine.first?.id == accepted.activityID)
      let copy = try #require(mine.first)
      #expect(copy.title == "Walk" && copy.reason == "Together" && copy.goal == walk.goal && copy.schedule == walk.schedule)
      #expect(copy.startDay.description == "2026-11-21" && copy.reminders.isEmpty && copy.tags.isEmpty && copy.id != walk.id)
      #expect(try await services.activities(of: ana).map(\.id) == [walk.id])
      // It is theirs: changing it changes nothing of the challenger's.
      _ = try await services.call(
        UpdateActivity.self, .init(activityID: copy.id, title: .set("Stroll")), as: ben.caller)
      #expect(try await services.activities(of: ana).map(\.title) == ["Walk"])
    }
  }

  @Test("H CU-21: concurrent answers to a challenge create one activity")
  func acceptedAtOnce() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let sent = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      try await services.together(5, writingTo: .social) { _ in _ = try await services.accept(sent, by: ben) }
      #expect(try await services.activities(of: ben).count == 1)
      let accepted = try await services.published(by: .social).filter { $0.name == FriendChallengeAccepted.spec.name }
      #expect(accepted.count == 1)
    }
  }

  @Test("A challenge begins for both on its later start day")
  func laterStart() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.makeActivity(of: ana, startDay: "2026-12-01", endDay: "2026-12-24")
      _ = try await services.accept(try await services.challenge(ben, to: walk, by: ana), by: ben)
      let copy = try #require(try await services.activities(of: ben).first)
      #expect(copy.startDay.description == "2026-12-01" && copy.endDay?.description == "2026-12-24")
    }
  }

  @Test("H CU-21 7a: a rejected challenge stays rejected, creates no activity, and can no longer be accepted")
  func rejecting() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let sent = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      let name = FriendChallengeName(friendChallengeID: sent.id)
      let rejected = try await services.call(RejectFriendChallenge.self, name, as: ben.caller)
      #expect(rejected.state == .rejected && rejected.answeredAt != nil)
      #expect(try await services.call(RejectFriendChallenge.self, name, as: ben.caller) == rejected)
      #expect(try await services.refusal(AcceptFriendChallenge.self, name, as: ben.caller) == "challenge_answered")
      #expect(try await services.refusal(WithdrawFriendChallenge.self, name, as: ana.caller) == "challenge_answered")
      #expect(try await services.refusal(EndFriendChallenge.self, name, as: ana.caller) == "challenge_not_accepted")
      #expect(try await services.activities(of: ben).isEmpty)
      #expect(try await services.state(of: sent, for: ana) == .rejected)
    }
  }

  @Test("A challenge can be withdrawn by its sender until it is answered")
  func withdrawing() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let sent = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      let name = FriendChallengeName(friendChallengeID: sent.id)
      #expect(try await services.call(WithdrawFriendChallenge.self, name, as: ana.caller).state == .withdrawn)
      #expect(try await services.call(WithdrawFriendChallenge.self, name, as: ana.caller).state == .withdrawn)
      #expect(try await services.refusal(AcceptFriendChallenge.self, name, as: ben.caller) == "challenge_answered")
      #expect(try await services.activities(of: ben).isEmpty)
    }
  }

  @Test("A challenge is unknown to strangers, and answered and withdrawn only by its recipient and sender")
  func strangers() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      try await services.befriend(ana, eve)
      let sent = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      for name in [FriendChallengeName(friendChallengeID: sent.id), FriendChallengeName(friendChallengeID: ID())] {
        #expect(try await services.refusal(GetFriendChallenge.self, name, as: eve.caller) == "not_found")
        #expect(try await services.refusal(AcceptFriendChallenge.self, name, as: eve.caller) == "not_found")
        #expect(try await services.refusal(RejectFriendChallenge.self, name, as: eve.caller) == "not_found")
        #expect(try await services.refusal(WithdrawFriendChallenge.self, name, as: eve.caller) == "not_found")
        #expect(try await services.refusal(EndFriendChallenge.self, name, as: eve.caller) == "not_found")
      }
      let name = FriendChallengeName(friendChallengeID: sent.id)
      #expect(try await services.refusal(AcceptFriendChallenge.self, name, as: ana.caller) == "forbidden")
      #expect(try await services.refusal(RejectFriendChallenge.self, name, as: ana.caller) == "forbidden")
      #expect(try await services.refusal(WithdrawFriendChallenge.self, name, as: ben.caller) == "forbidden")
      #expect(try await services.state(of: sent, for: ana) == .pending)
    }
  }

  @Test("Sending and accepting challenges need a verified address, and rejecting does not")
  func unverified() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.makeActivity(of: ana)
      let sent = try await services.challenge(ben, to: walk, by: ana)
      let eva = try identity.person("eva", isVerified: false)
      var caller = eva.caller
      caller.isVerified = false
      #expect(
        try await services.refusal(SendFriendChallenge.self, .init(accountID: ben.account, activityID: walk.id), as: caller)
          == "verification_required")
      #expect(
        try await services.refusal(AcceptFriendChallenge.self, .init(friendChallengeID: sent.id), as: caller)
          == "verification_required")
      #expect(
        try await services.refusal(RejectFriendChallenge.self, .init(friendChallengeID: sent.id), as: caller) == "not_found")
    }
  }

  @Test(
    "The recipient of a challenge is notified, and the challenger of its acceptance or rejection")
  func notifications() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben", language: .spanish))
    try await ServicesInProcess.running(
      [{ Social.service($0) }, { Activities.service($0) }, { try Notifications.service($0) }], identity: identity
    ) { services in
      try await services.befriend(ana, ben)
      let sent = try await services.challenge(ben, to: try await services.makeActivity("Walk", of: ana), by: ana)
      let other = try await services.challenge(ben, to: try await services.makeActivity("Read", of: ana), by: ana)
      _ = try await services.accept(sent, by: ben)
      _ = try await services.call(RejectFriendChallenge.self, .init(friendChallengeID: other.id), as: ben.caller)
      try await services.hasReceived(.notifications, of: .social)
      func texts(_ person: IdentityDouble.Account) async throws -> [String] {
        try await services.call(ListNotifications.self, .init(), as: person.caller).items
          .filter { $0.links.friendChallengeID != nil }.map(\.text)
      }
      #expect(try await texts(ben) == ["ana te desafía a «Read».", "ana te desafía a «Walk»."])
      #expect(
        try await texts(ana) == ["ben declined your challenge “Read”.", "ben accepted your challenge “Walk”."])
      let first = try await services.call(ListNotifications.self, .init(), as: ana.caller).items[1]
      #expect(first.kind == "friendChallengeAccepted" && first.links.accountID == ben.account)
      #expect(first.links.friendChallengeID?.bytes == sent.id.bytes)
    }
  }
}
