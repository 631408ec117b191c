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
import Testing

@testable import NotificationsService

@Suite("Pushes that were given up (NOT-5)", .enabled(if: PushService.python != nil), .timeLimit(.minutes(2)))
final class DeadPushTests {
  let identity = IdentityDouble()
  private let administrator: Caller

  init() throws {
    let person = try identity.person("administrator")
    administrator = Caller(kind: .account, account: person.account, session: SessionID(), isAdministrator: true)
  }

  /// Somebody with a device whose pushes were refused, one for each name.
  private func refused(
    _ names: [String], _ path: String, _ body: (ServicesInProcess, PushService, Person) async throws -> Void
  ) async throws {
    try await PushService.run { service in
      let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }
      try await ServicesInProcess.running(
        [{ try Notifications.service($0) }, social], identity: identity,
        settings: ["racha.push.allowedOrigins": service.origin], at: nil
      ) { services in
        let ana = try await services.register()
        try await services.hasReceived(.notifications, of: .identity)
        _ = try await ana.send(CreatePushSubscription.self, try service.subscription(path))
        for name in names {
          try await services.publish(
            .social,
            FriendRequestSent(
              friendRequestID: ID(), fromAccountID: AccountID(), fromUsername: Username(text: name), toAccountID: ana.id, at: .now
            ))
          _ = try await service.next()
        }
        try await services.store(of: .notifications).until(within: .seconds(20)) {
          try await log(ana).count { $0.hasPrefix("failed") } == names.count
        }
        try await body(services, service, ana)
      }
    }
  }

  private func log(_ person: Person) async throws -> [String] {
    try await person.send(ListDeliveries.self, .init(channel: .push)).items.map {
      [$0.state.rawValue, $0.reason].compactMap { $0 }.joined(separator: " ")
    }
  }

  @Test("Only administrators can list given-up pushes, newest first, with the reason and without endpoint or content")
  func listed() async throws {
    try await refused(["ben", "cleo", "dora"], "/push/413/ana") { services, service, ana in
      let page = try await services.call(ListDeadPushes.self, .init(), as: administrator)
      #expect(page.items.map(\.id) == (try await ana.send(ListDeliveries.self, .init(channel: .push)).items.map(\.id)))
      #expect(
        page.items.allSatisfy { $0.accountID == ana.id && $0.kind == "friendRequestReceived" && $0.failure == "refused_413" })
      #expect(page.items[0].explanation == "The push service refused it.")
      var spanish = administrator
      spanish.language = .spanish
      let first = try await services.call(ListDeadPushes.self, .init(limit: 2), as: spanish)
      let rest = try await services.call(ListDeadPushes.self, .init(cursor: first.nextCursor), as: spanish)
      #expect((first.items + rest.items).map(\.id) == page.items.map(\.id) && first.items.count == 2)
      #expect(first.items[0].explanation == "El servicio de notificaciones push la rechazó.")
      let text = String(decoding: page.json, as: UTF8.self)
      #expect(!text.contains(service.origin) && !text.contains("cleo"))
      #expect(try await ana.failure(ListDeadPushes.self, .init()) == "forbidden")
      #expect(try await ana.failure(RetryDeadPush.self, .init(deliveryID: page.items[0].id)) == "forbidden")
      #expect(try await services.refusal(RetryDeadPush.self, .init(deliveryID: ID()), as: administrator) == "not_found")
      let figures = try await services.call(GetDeliveryStatistics.self, .init(), as: administrator).figures
      #expect(figures.contains { $0.channel == .push && $0.outcome == "failed" && $0.reason == "refused_413" && $0.count == 3 })
    }
  }

  @Test("An administrator can retry a given-up push once, and one that was read meanwhile is not sent")
  func retried() async throws {
    try await refused(["ben", "cleo"], "/push/413,413,201/ana") { services, service, ana in
      let dead = try await services.call(ListDeadPushes.self, .init(), as: administrator).items
      let (cleo, ben) = (dead[0].id, dead[1].id)
      let inbox = try await ana.send(ListNotifications.self, .init()).items
      _ = try await ana.send(MarkNotificationRead.self, .init(notificationID: inbox[1].id))
      for id in [ben, cleo] {
        _ = try await services.call(RetryDeadPush.self, .init(deliveryID: id), as: administrator, key: "\(id)")
      }
      let push = try await service.next()
      #expect(push.faults == [] && push.text.contains("cleo"))
      try await services.store(of: .notifications).until(within: .seconds(20)) {
        try await log(ana) == ["sent", "silent read"]
      }
      #expect(try await services.call(ListDeadPushes.self, .init(), as: administrator).items.isEmpty)
      #expect(try await services.refusal(RetryDeadPush.self, .init(deliveryID: cleo), as: administrator) == "not_found")
    }
  }
}
