import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import Messaging
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import SocialService
import Storage
import Synchronization
import Testing

@testable import NotificationsService

@Suite("The inbox")
struct InboxTests {
  let identity = IdentityDouble()

  /// Stands in for rewards: it only publishes.
  private static let rewards: ServicesInProcess.Build = { _ in ServiceDefinition(.rewards, migrations: []) }

  /// Social and notifications as they are; identity and rewards stood in for.
  private func run(_ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running(
      [{ Social.service($0) }, { try Notifications.service($0) }, InboxTests.rewards], identity: identity, at: nil
    ) { services in
      // Whoever subscribes late gets the state that there is then, and not how it came about.
      try await services.hasReceived(.notifications, of: .social)
      try await body(services)
    }
  }

  private func inbox(_ services: ServicesInProcess, _ person: IdentityDouble.Account) async throws -> [NotificationsContract
    .Notification]
  {
    try await services.call(ListNotifications.self, .init(), as: person.caller).items
  }

  /// Each on a day of its own, so that none is added to another.
  private func earned(_ person: IdentityDouble.Account, _ coins: Int) -> CoinsEarned {
    let day = Self.days.add(1, ordering: .relaxed).newValue
    return CoinsEarned(
      accountID: person.account, transferID: ID(), coins: coins, balance: coins,
      at: Instant(milliseconds: Int64(day) * 86_400_000))
  }

  private static let days = Atomic(0)

  @Test(
    "The inbox notifies of received and accepted follow requests, and not of rejected ones or ended follows (SOC-7)"
  )
  func follows() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben", language: .spanish))
    try await run { services in
      for answer in [FollowRequest.State.rejected, .accepted] {
        let request = try await services.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
        let input = AnswerFollowRequest(followRequestID: request.id)
        _ =
          answer == .accepted
          ? try await services.call(AcceptFollowRequest.self, input, as: ben.caller)
          : try await services.call(RejectFollowRequest.self, input, as: ben.caller)
      }
      _ = try await services.call(RemoveFollower.self, .init(accountID: ana.account), as: ben.caller)
      // Published behind it, so that whatever came of it would be there.
      _ = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      try await services.untilPublished(4, by: .notifications)
      let (anas, bens) = (try await inbox(services, ana), try await inbox(services, ben))
      #expect(bens.map(\.kind) == ["friendRequestReceived", "followRequestReceived", "followRequestReceived"])
      #expect(bens[1].title == "Nueva solicitud de seguimiento" && bens[1].text == "ana quiere seguirte.")
      #expect(anas.map(\.kind) == ["followRequestAccepted"] && anas[0].text == "You are following ben now.")
      #expect(anas[0].links.accountID == ben.account && anas[0].links.followRequestID == bens[1].links.followRequestID)
    }
  }

  @Test("Each event makes exactly one notification for its addressee, which is delivered live")
  func social() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben", language: .spanish))
    try await run { services in
      let request = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      _ = try await services.call(AcceptFriendRequest.self, .init(friendRequestID: request.id), as: ben.caller)
      let input = SendMessage.Input(accountID: ana.account, text: try ChatText(text: "¿Qué\ntal?"))
      let message = try await services.call(SendMessage.self, input, as: ben.caller)
      try await services.publish(
        .rewards, earned(ana, 12),
        OfferRedeemed(
          accountID: ana.account, offerID: ID(), redemptionID: ID(), title: "Coffee", coins: 5, balance: 7, at: .now))
      try await services.untilPublished(5, by: .notifications)
      let (anas, bens) = (try await inbox(services, ana), try await inbox(services, ben))
      #expect(bens.map(\.kind) == ["friendRequestReceived"])
      #expect(bens.map(\.title) == ["Nueva solicitud de amistad"])
      #expect(bens[0].links.friendRequestID?.description == request.id.description)
      #expect(Set(anas.map(\.kind)) == ["friendRequestAccepted", "messageReceived", "coinsEarned", "offerRedeemed"])
      #expect(anas.map(\.number) == [4, 3, 2, 1])
      let quoted = try #require(anas.first { $0.kind == "messageReceived" })
      #expect(quoted.text == "¿Qué tal?" && quoted.title == "Message from ben")
      #expect(quoted.links.messageID?.description == message.id.description)
      // What is delivered live is what the inbox lists.
      let published = try await services.published(by: .notifications).map { try NotificationCreated.decode($0.body) }
      #expect(published.count == 5)
      let live = published.filter { $0.accountID == ana.account }.map(\.notification)
      #expect(live.sorted { $0.number > $1.number } == anas)
      #expect(published.allSatisfy { $0.number == $0.notification.number })
    }
  }

  @Test("Each notification is listed and delivered live with its severity")
  func severities() async throws {
    let ana = try identity.person("ana")
    try await run { services in
      let refused = LoginAlertRaised(
        alertID: LoginAlertID(), accountID: ana.account, level: .high, device: "Firefox on Linux", place: "Tokyo, Japan", at: .now
      )
      try await services.publish(.identity, refused)
      try await services.publish(.rewards, earned(ana, 12))
      try await services.untilPublished(2, by: .notifications)
      let listed = try await inbox(services, ana)
      #expect(
        Dictionary(uniqueKeysWithValues: listed.map { ($0.kind, $0.severity) })
          == ["loginRefused": .critical, "coinsEarned": .info])
      let live = try await services.published(by: .notifications).map { try NotificationCreated.decode($0.body).notification }
      #expect(live.sorted { $0.number > $1.number } == listed)
    }
  }

  @Test("Notifications are delivered in the account's language, and listed in the reader's")
  func languages() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben", language: .spanish))
    let carrier = WatchedCarrier()
    let mail = VerificationMailRequested(
      linkID: try identity.link(of: ben, token: "token"), accountID: ben.account, reason: .registered)
    try await ServicesInProcess.mails(identity, carrier, and: [InboxTests.rewards]) { services in
      // The mail comes after the accounts, so when it goes out, they are known.
      try await services.publish(.identity, ana.event, ben.event, mail)
      _ = try await carrier.next(1)
      try await services.publish(.rewards, earned(ben, 3))
      try await services.untilPublished(1, by: .notifications)
      let published = try NotificationCreated.decode(try await services.published(by: .notifications)[0].body)
      #expect(published.notification.text == "Monedas ganadas: 3. Tu saldo es ahora de 3.")
      var english = ben.caller
      english.language = .english
      let listed = try await services.call(ListNotifications.self, .init(), as: english).items
      #expect(listed.map(\.text) == ["Coins earned: 3. Your balance is now 3."])
    }
  }

  @Test("An event published twice makes one notification")
  func doubles() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    let event = FriendRequestSent(
      friendRequestID: ID(), fromAccountID: ana.account, fromUsername: ana.username, toAccountID: ben.account, at: .now)
    var other = event
    other.friendRequestID = ID()
    try await run { services in
      try await services.publish(.social, event, event, other)
      try await services.untilPublished(2, by: .notifications)
      #expect(try await inbox(services, ben).map(\.number) == [2, 1])
    }
  }

  @Test("Numbers of notifications have no gaps under concurrent events")
  func gapFree() async throws {
    let people = try (0..<3).map { try identity.person("person\($0)") }
    try await run { services in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<120 {
          let person = people[index % 3]
          group.addTask {
            if index % 2 == 0 {
              try await services.publish(.rewards, earned(person, index))
            } else {
              try await services.publish(
                .social,
                FriendRequestSent(
                  friendRequestID: ID(), fromAccountID: AccountID(), fromUsername: person.username, toAccountID: person.account,
                  at: .now))
            }
          }
        }
        try await group.waitForAll()
      }
      try await services.untilPublished(120, by: .notifications)
      for person in people {
        let page = try await services.call(ListNotificationsSince.self, .init(after: 0, limit: 500), as: person.caller)
        #expect(page.items.map(\.number) == Array(1...40))
        #expect(page.lastNumber == 40)
        #expect(try await services.call(CountUnreadNotifications.self, .init(), as: person.caller).unreadCount == 40)
      }
    }
  }

  /// Two people with a home folder of their own, over runs of the services.
  private func withHome(
    _ body: (Home, _ run: ([ServicesInProcess.Build], (ServicesInProcess) async throws -> Void) async throws -> Void) async throws
      -> Void
  ) async throws {
    let home = Home(path: "/tmp/racha-inbox-\(UInt32.random(in: .min ... .max))")
    try Home.makePrivateFolder(home.path)
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    try await body(home) { builds, body in
      try await ServicesInProcess.running(builds, identity: identity, at: nil, home: home.path, body)
    }
  }

  private func write(
    _ texts: [String], _ services: ServicesInProcess, _ ben: IdentityDouble.Account, to ana: IdentityDouble.Account
  ) async throws {
    for text in texts {
      let input = SendMessage.Input(accountID: ana.account, text: try ChatText(text: text))
      _ = try await services.call(SendMessage.self, input, as: ben.caller)
    }
  }

  @Test("An inbox that must begin from the snapshot ends complete, without duplicates")
  func fromSnapshot() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    let social: ServicesInProcess.Build = { Social.service($0) }
    let notifications: ServicesInProcess.Build = { try Notifications.service($0) }
    try await withHome { _, run in
      try await run([social, notifications]) { services in
        let request = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
        _ = try await services.call(AcceptFriendRequest.self, .init(friendRequestID: request.id), as: ben.caller)
        try await write(["one"], services, ben, to: ana)
        try await services.untilPublished(3, by: .notifications)
      }
      try await run([social]) { services in
        try await write(["two", "three", "four"], services, ben, to: ana)
        try await services.prune(.social)
      }
      try await run([social, notifications]) { services in
        try await services.untilPublished(6, by: .notifications)
        #expect(try await inbox(services, ben).count == 1)
        #expect(
          try await inbox(services, ana).map(\.text).sorted() == [
            "You and ben are friends now.", "four", "one", "three", "two",
          ])
        // And it goes on behind the snapshot.
        try await write(["five"], services, ana, to: ben)
        try await services.untilPublished(7, by: .notifications)
        #expect(try await inbox(services, ben).count == 2)
      }
    }
  }

  @Test(
    "An empty store begins with empty inboxes: nothing is notified, mailed or pushed again, and blocks are known"
  )
  func emptyStore() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    let social: ServicesInProcess.Build = { Social.service($0) }
    let notifications: ServicesInProcess.Build = { try Notifications.service($0) }
    try await withHome { home, run in
      try await run([social, notifications]) { services in
        for friend in [ben, eva] {
          let request = try await services.call(SendFriendRequest.self, .init(username: friend.username), as: ana.caller)
          _ = try await services.call(AcceptFriendRequest.self, .init(friendRequestID: request.id), as: friend.caller)
        }
        _ = try await services.call(SendFollowRequest.self, .init(username: ana.username), as: ben.caller)
        try await write(["one", "two"], services, ben, to: ana)
        _ = try await services.call(CreateBlock.self, .init(accountID: eva.account), as: ana.caller)
        try await services.untilPublished(7, by: .notifications)
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: home.stores) where name.hasPrefix("notifications") {
        try FileManager.default.removeItem(atPath: "\(home.stores)/\(name)")
      }
      try await run([social, notifications]) { services in
        for table in ["notifications", "deliveries", "mails", "push_messages", "push_requests", "outbox"] {
          let count = try await services.store(of: .notifications).read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)")
          }
          #expect(count == 0, "\(table)")
        }
        let isApart = try await services.store(of: .notifications).read { database in
          try BlockStore.isApart(ana.account, fromAnyOf: [eva.account], in: database)
        }
        #expect(isApart)
        try await write(["three"], services, ben, to: ana)
        try await services.untilPublished(1, by: .notifications)
        #expect(try await inbox(services, ana).map(\.text) == ["three"])
      }
    }
  }

  @Test("An empty store notifies of nothing in publishers' states, except what identity's state says is pending")
  func state() async throws {
    let kinds = Set(
      (NotificationSpec.all.compactMap { $0.event?.spec } + NotificationRetraction.all.map { $0.event.spec }).flatMap(\.names))
    try await run { services in
      let environment = ServiceEnvironment(
        settings: Settings([:]), home: services.home, bus: services.gateway,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let definition = try Notifications.service(environment)
      for (publisher, events) in definition.stateEvents where publisher != .identity {
        #expect(events.isDisjoint(with: kinds), "\(publisher)")
      }
      #expect(definition.stateEvents[.social] == [RelationChanged.spec.name])
      #expect(definition.stateEvents[.identity]?.contains(VerificationMailRequested.spec.name) == true)
    }
  }

  @Test("The inbox is read one by one or up to a number and deleted from, by its account only")
  func reading() async throws {
    let (ana, eve) = (try identity.person("ana"), try identity.person("eve"))
    try await run { services in
      for coins in 1...6 { try await services.publish(.rewards, earned(ana, coins)) }
      try await services.untilPublished(6, by: .notifications)
      let all = try await inbox(services, ana)
      func read(_ index: Int) async throws -> Int {
        try await services.call(MarkNotificationRead.self, .init(notificationID: all[index].id), as: ana.caller).unreadCount
      }
      #expect(try await read(0) == 5)
      #expect(try await read(0) == 5)
      #expect(try await services.call(MarkAllNotificationsRead.self, .init(upTo: 2), as: ana.caller).unreadCount == 3)
      let unread = try await services.call(ListNotifications.self, .init(isUnread: true), as: ana.caller).items
      #expect(unread.map(\.number) == [5, 4, 3])
      let seen = try await services.call(ListNotifications.self, .init(isUnread: false, limit: 2), as: ana.caller)
      #expect(seen.items.map(\.number) == [6, 2] && seen.nextCursor != nil)
      // Number 4 is deleted unread, twice.
      for _ in 0..<2 { _ = try await services.call(DeleteNotification.self, .init(notificationID: all[2].id), as: ana.caller) }
      #expect(try await services.call(CountUnreadNotifications.self, .init(), as: ana.caller).unreadCount == 2)
      #expect(try await inbox(services, ana).map(\.number) == [6, 5, 3, 2, 1])
      #expect(
        try await services.refusal(MarkNotificationRead.self, .init(notificationID: all[2].id), as: ana.caller) == "not_found")
      let since = try await services.call(ListNotificationsSince.self, .init(after: 2, limit: 2), as: ana.caller)
      #expect(since.items.map(\.number) == [3, 5] && since.lastNumber == 6)
      #expect(
        try await services.refusal(MarkNotificationRead.self, .init(notificationID: all[0].id), as: eve.caller) == "not_found")
      #expect(
        try await services.refusal(DeleteNotification.self, .init(notificationID: all[0].id), as: eve.caller) == "not_found")
      #expect(try await inbox(services, eve).isEmpty)
      let empty = try await services.call(ListNotificationsSince.self, .init(after: 0), as: eve.caller)
      #expect(empty.items.isEmpty && empty.lastNumber == 0)
    }
  }

  @Test("A session in doubt can neither delete nor read notices such as the one about itself (ID-7)")
  func doubt() async throws {
    let ana = try identity.person("ana")
    try await run { services in
      try await services.publish(.rewards, earned(ana, 1))
      try await services.untilPublished(1, by: .notifications)
      let all = try await inbox(services, ana)
      var doubtful = ana.caller
      doubtful.isInDoubt = true
      let refusals = [
        try await services.refusal(DeleteNotification.self, .init(notificationID: all[0].id), as: doubtful),
        try await services.refusal(MarkNotificationRead.self, .init(notificationID: all[0].id), as: doubtful),
        try await services.refusal(MarkAllNotificationsRead.self, .init(upTo: 1), as: doubtful),
      ]
      #expect(refusals.allSatisfy { $0 == "login_alert_unanswered" }, "\(refusals)")
      #expect(try await services.call(ListNotifications.self, .init(isUnread: true), as: doubtful).items == all)
    }
  }

  @Test("A session in doubt does not see notices of logins, which show devices and places (ID-7)")
  func doubtfulReader() async throws {
    let ana = try identity.person("ana")
    try await run { services in
      let login = LoginAlertRaised(
        alertID: ID(), accountID: ana.account, level: .notice, device: "Ana's phone", place: "Network 192.0.2.0/24", at: .now)
      try await services.publish(.identity, login)
      try await services.untilPublished(1, by: .notifications)
      try await services.publish(.rewards, earned(ana, 1))
      try await services.untilPublished(2, by: .notifications)
      #expect(try await inbox(services, ana).map(\.kind) == ["coinsEarned", "loginNoticed"])
      var doubtful = ana.caller
      doubtful.isInDoubt = true
      #expect(try await services.call(ListNotifications.self, .init(), as: doubtful).items.map(\.kind) == ["coinsEarned"])
      let since = try await services.call(ListNotificationsSince.self, .init(after: 0), as: doubtful)
      #expect(since.items.map(\.kind) == ["coinsEarned"] && since.lastNumber == 2)
      let counts = try await services.call(CountUnreadNotifications.self, .init(), as: doubtful)
      #expect(counts.unreadCount == 2 && counts.byCategory == [.init(category: .rewards, unreadCount: 1)])
    }
  }
}
