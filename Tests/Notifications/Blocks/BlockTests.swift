import IdentityContract
import InProcess
import NotificationsContract
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@testable import NotificationsService

@Suite("Notifications between accounts of which one has blocked the other (SOC-8)")
struct BlockTests {
  let identity = IdentityDouble()

  private func run(_ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running(
      [{ Social.service($0) }, { try Notifications.service($0) }], identity: identity, at: nil, body)
  }

  private func texts(_ person: IdentityDouble.Account, _ services: ServicesInProcess) async throws -> [String] {
    try await services.hasReceived(.notifications, of: .social)
    return try await services.call(ListNotifications.self, .init(), as: person.caller).items.map(\.text)
  }

  private func befriend(
    _ one: IdentityDouble.Account, _ other: IdentityDouble.Account, _ services: ServicesInProcess
  ) async throws {
    _ = try await services.call(SendFriendRequest.self, .init(username: other.username), as: one.caller)
    _ = try await services.call(SendFriendRequest.self, .init(username: one.username), as: other.caller)
  }

  @Test(
    "A block removes notifications that name the blocked account from the blocker's inbox, and nothing else"
  )
  func blocking() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await run { services in
      try await befriend(ben, ana, services)
      try await befriend(eva, ana, services)
      _ = try await services.call(
        SendMessage.self, .init(accountID: ana.account, text: try ChatText(text: "Hello")), as: ben.caller)
      let before = try await texts(ben, services)
      let oldest = try #require(try await services.call(ListNotifications.self, .init(), as: ana.caller).items.last)
      _ = try await services.call(MarkNotificationRead.self, .init(notificationID: oldest.id), as: ana.caller)
      _ = try await services.call(CreateBlock.self, .init(accountID: ben.account), as: ana.caller)
      #expect(try await texts(ana, services) == ["eva wants to be your friend."])
      #expect(try await services.call(CountUnreadNotifications.self, .init(), as: ana.caller).unreadCount == 1)
      #expect(try await texts(ben, services) == before)
      // Nothing names the other in what the blocker would catch up with.
      let caughtUp = try await services.call(ListNotificationsSince.self, .init(after: 0), as: ana.caller)
      #expect(caughtUp.items.allSatisfy { $0.links.accountID == eva.account } && caughtUp.lastNumber == 3)
      let live = try await services.published(by: .notifications).filter { $0.name == NotificationRemoved.spec.name }
        .map { try NotificationRemoved.decode($0.body) }
      #expect(live.map(\.accountID) == [ana.account, ana.account] && live.map(\.number) == [1, 3])
    }
  }

  @Test(
    "The blocked account's notifications keep the blocker's former name, also when a message is removed after a rename"
  )
  func names() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await run { services in
      try await befriend(ben, ana, services)
      let input = SendMessage.Input(accountID: ben.account, text: try ChatText(text: "PLANTED"))
      let message = try await services.call(SendMessage.self, input, as: ana.caller)
      _ = try await texts(ben, services)
      _ = try await services.call(CreateBlock.self, .init(accountID: ben.account), as: ana.caller)
      try await services.publish(
        .social,
        MessageRemoved(
          accountID: ben.account, otherAccountID: ana.account, conversationID: ID(), messageID: message.id,
          fromAccountID: ana.account, fromUsername: try Username(text: "ana.renamed"), at: .now, isSilent: true))
      let after = try await texts(ben, services)
      #expect(after.first == "This message was removed." && !after.contains { $0.contains("PLANTED") || $0.contains("renamed") })
    }
  }

  @Test(
    "No notification passes between blocked accounts, either way, whatever is published; after unblocking they do again"
  )
  func apart() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await run { services in
      func requests() -> [any Event] {
        [(ana, ben), (ben, ana)].map { from, to in
          FollowRequestSent(
            followRequestID: ID(), fromAccountID: from.account, fromUsername: from.username, toAccountID: to.account, at: .now)
        }
      }
      _ = try await services.call(CreateBlock.self, .init(accountID: ben.account), as: ana.caller)
      for event in requests() { try await services.publish(.social, event) }
      _ = try await services.call(SendFriendRequest.self, .init(username: ana.username), as: ben.caller)
      for person in [ana, ben] { #expect(try await texts(person, services).isEmpty) }
      #expect(try await services.published(by: .notifications).isEmpty)
      _ = try await services.call(DeleteBlock.self, .init(accountID: ben.account), as: ana.caller)
      // What was asked meanwhile stays unseen.
      for person in [ana, ben] { #expect(try await texts(person, services).isEmpty) }
      for event in requests() { try await services.publish(.social, event) }
      #expect(try await texts(ana, services) == ["ben wants to follow you."])
      #expect(try await texts(ben, services) == ["ana wants to follow you."])
    }
  }

  @Test(
    "Blocks follow the latest event about the two accounts in any order, and nothing is kept of accounts that never blocked"
  )
  func revisions() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await run { services in
      func changed(_ one: AccountID, _ other: AccountID, isBlocked: Bool, _ revision: Int) -> RelationChanged {
        RelationChanged(
          accountID: one, otherAccountID: other, relation: Relation(isBlocked: isBlocked), isBlockedByOther: false,
          revision: revision, at: .now)
      }
      try await services.publish(
        .social, changed(ana.account, ben.account, isBlocked: true, 2), changed(ana.account, ben.account, isBlocked: false, 3),
        changed(ana.account, ben.account, isBlocked: true, 1), changed(ana.account, eva.account, isBlocked: false, 1))
      try await services.hasReceived(.notifications, of: .social)
      let store = services.store(of: .notifications)
      #expect(try await store.rows("blocks") == 1)
      #expect(
        try await store.read { try !BlockStore.isApart(ana.account, fromAnyOf: [ben.account, eva.account], in: $0) })
    }
  }

  @Test("Nothing of a deleted account's blocks remains (ID-12)")
  func erasure() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await run { services in
      _ = try await services.call(CreateBlock.self, .init(accountID: ben.account), as: ana.caller)
      try await services.hasReceived(.notifications, of: .social)
      let store = services.store(of: .notifications)
      #expect(try await store.rows("blocks") == 2)
      try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: ben.account, at: .now))
      try await store.hasErased(ben.account)
      #expect(try await store.rows("blocks") == 0)
      // What comes late of it is not kept.
      try await services.publish(
        .social,
        RelationChanged(
          accountID: ana.account, otherAccountID: ben.account, relation: Relation(isBlocked: true), isBlockedByOther: false,
          revision: 9_000_000_000_000_000, at: .now))
      try await services.hasReceived(.notifications, of: .social)
      #expect(try await store.rows("blocks") == 0)
    }
  }
}
