import BuiltPrograms
import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import SocialContract
import Storage
import Synchronization
import Testing

@testable import NotificationsService

@Suite("Notifications switched off while they are being sent (NOT-4)", .timeLimit(.minutes(2)))
struct SwitchedOffTests {
  private static let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }

  private func asked(_ account: AccountID) throws -> FriendRequestSent {
    FriendRequestSent(
      friendRequestID: ID(), fromAccountID: AccountID(), fromUsername: try Username(text: "ben"), toAccountID: account, at: .now)
  }

  private func accepted(_ account: AccountID) throws -> FriendRequestAccepted {
    FriendRequestAccepted(
      friendRequestID: ID(), fromAccountID: account, fromUsername: try Username(text: "ana"), toAccountID: AccountID(),
      toUsername: try Username(text: "ben"), at: .now)
  }

  private func noticed(_ account: AccountID, _ notice: TaskNotice) throws -> TaskNoticeCreated {
    TaskNoticeCreated(
      noticeID: ID(), accountID: account, taskID: ID(), taskName: try TaskName(text: "Paint"), notice: notice,
      byAccountID: AccountID(), byUsername: try Username(text: "ben"), at: .now)
  }

  private func log(_ person: Person, _ channel: NotificationChannel) async throws -> [String] {
    try await person.send(ListDeliveries.self, .init(channel: channel)).items.map {
      [$0.kind, $0.state.rawValue, $0.reason].compactMap { $0 }.joined(separator: " ")
    }
  }

  /// Has everything wait that is not urgent.
  private func beQuiet(_ person: Person) async throws {
    let minute = Int(Instant.now.milliseconds / 60_000 % 1440)
    _ = try await person.send(
      SetQuietHours.self,
      QuietHours(
        startsAt: try #require(QuietTime(minutes: (minute + 1380) % 1440)),
        endsAt: try #require(QuietTime(minutes: (minute + 600) % 1440))))
  }

  @Test(
    "E UC-07 AF-03: a waiting push that is switched off is not sent, alone or with others, and logged as silent",
    .enabled(if: PushService.python != nil))
  func push() async throws {
    let identity = IdentityDouble()
    try await PushService.run { service in
      try await ServicesInProcess.running(
        [{ try Notifications.service($0) }, Self.social], identity: identity,
        settings: ["racha.push.allowedOrigins": service.origin], at: nil
      ) { services in
        let ana = try await services.register()
        try await services.hasReceived(.notifications, of: .identity)
        func subscribe() async throws {
          _ = try await ana.send(CreatePushSubscription.self, try service.subscription("/push/201/phone"))
        }
        try await subscribe()
        try await beQuiet(ana)
        try await services.publish(.social, try asked(ana.id), try accepted(ana.id))
        try await services.hasReceived(.notifications, of: .social)
        // Its session is in doubt, so that pushes wait; two of them as one.
        identity.setState(of: try #require(ana.session), .inDoubt)
        _ = try await ana.send(ClearQuietHours.self, .init())
        let store = services.store(of: .notifications)
        try await store.until { try await ana.send(ListPushSubscriptions.self, .init()).items.map(\.isPaused) == [true] }
        try await services.publish(.social, try noticed(ana.id, .enrolled))
        try await services.hasReceived(.notifications, of: .social)
        _ = try await ana.send(
          UpdateNotificationPreferences.self,
          .init(choices: [.init(kind: "friendRequestReceived", .push, isOn: false), .init(category: .tasks, .push, isOn: false)]))
        identity.setState(of: try #require(ana.session), .live)
        // Subscribed anew, it is asked about again with the next push.
        try await subscribe()
        try await services.publish(.social, try accepted(ana.id))
        for _ in 0..<2 {
          let push = try await service.next()
          #expect(try JSONTape(Array(push.text.utf8)).json["notification"]?["data"]?["kind"] == "friendRequestAccepted")
        }
        try await store.until(within: .seconds(20)) { try await store.rows("push_messages") == 0 }
        #expect(
          try await log(ana, .push) == [
            "friendRequestAccepted sent", "taskEnrolled silent switched_off", "friendRequestAccepted sent",
            "friendRequestReceived silent switched_off",
          ])
      }
    }
  }

  /// The mail server, which is down at first.
  private final class MailServerDouble: Sendable {
    let isUp = Mutex(false)
  }

  @Test(
    "E UC-07 AF-03: a waiting mail that is switched off or unsubscribed is not sent, and logged as silent, unless required"
  )
  func mail() async throws {
    let server = MailServerDouble()
    let carrier = WatchedCarrier { _ throws(MailFailure) in if !server.isUp.withLock({ $0 }) { throw .connection } }
    func text(_ letter: Letter) -> String {
      String(decoding: letter.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
    }
    try await ServicesInProcess.mails(
      IdentityDouble(), carrier, and: [Self.social], settings: ["racha.publicUrl": "https://racha.example"],
      retry: MailRetry(firstDelayMilliseconds: 60_000)
    ) { services in
      let ana = try await services.register()
      try await services.hasReceived(.notifications, of: .identity)
      let categories = [NotificationCategory.tasks, .social]
      _ = try await ana.send(
        UpdateNotificationPreferences.self, .init(choices: categories.map { .init(category: $0, .email, isOn: true) }))
      try await services.publish(.social, try noticed(ana.id, .enrolled))
      let alone = try await carrier.next(1)[0].letter
      try await services.publish(.identity, PasswordChanged(changeID: ID(), accountID: ana.id))
      _ = try await carrier.next(1)
      try await beQuiet(ana)
      try await services.publish(.social, try asked(ana.id), try noticed(ana.id, .removed))
      try await services.hasReceived(.notifications, of: .social)
      _ = try await ana.send(ClearQuietHours.self, .init())
      #expect(text(try await carrier.next(1)[0].letter).contains("friend request"))

      // One click in the first, and the category of one of the others.
      let start = try #require(text(alone).range(of: "/unsubscribe?token="))
      let token = String(text(alone)[start.upperBound...].prefix { $0 != ">" })
      let nobody = Person(bus: services.gateway, caller: Caller(kind: .anonymous))
      #expect(try await nobody.send(CreateUnsubscribe.self, .init(token: token)).isOff)
      _ = try await ana.send(
        UpdateNotificationPreferences.self, .init(choices: [.init(category: .social, .email, isOn: false)]))
      server.isUp.withLock { $0 = true }
      services.clock.advance(seconds: 61)
      // Wakes the worker.
      try await services.publish(.identity, PasswordChanged(changeID: ID(), accountID: ana.id))
      let letters = try await carrier.next(3).map { text($0.letter) }
      #expect(letters.count { $0.contains("/recover") } == 2)
      let digest = try #require(letters.first { !$0.contains("/recover") })
      #expect(digest.contains("Paint") && !digest.contains("friend request"))
      let store = services.store(of: .notifications)
      try await store.until {
        try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM deliveries WHERE state = 'queued'") } == 0
      }
      #expect(
        try await Set(log(ana, .email)) == [
          "taskEnrolled silent switched_off", "passwordChanged sent", "friendRequestReceived silent switched_off",
          "taskRemoved sent",
        ])
      try await store.until {
        try await store.read { try Set(String.fetchAll($0, sql: "SELECT kind || ' ' || state FROM mails")) }
          == ["notification obsolete", "passwordChanged delivered", "digest delivered"]
      }
    }
  }
}
