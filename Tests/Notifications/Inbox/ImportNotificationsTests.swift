import ActivityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Testing

@testable import NotificationsService

@Suite("The progress of an import")
struct ImportNotificationsTests {
  let identity = IdentityDouble()

  /// Stands in for activity: it only publishes.
  private static let activity: ServicesInProcess.Build = { _ in ServiceDefinition(.activity, migrations: []) }

  @Test(
    "An import's progress is one notification, replaced and delivered live each time; a cancelled import has none"
  )
  func progress() async throws {
    let ana = try identity.person("ana", language: .spanish)
    try await ServicesInProcess.running(
      [{ try Notifications.service($0) }, ImportNotificationsTests.activity], identity: identity, at: nil
    ) { services in
      try await services.hasReceived(.notifications, of: .activity)
      let (first, other) = (ImportID(), ImportID())
      func publish(_ id: ImportID, _ state: ImportState, _ progress: Int, _ taken: Int) async throws {
        let counts = ImportCounts(records: taken + 2, accepted: taken, repeated: 1, rejected: 1, days: 1)
        try await services.publish(
          .activity, ImportProgressed(accountID: ana.account, importID: id, state: state, progress: progress, counts: counts))
      }
      try await publish(first, .reading, 10, 100)
      try await publish(other, .reading, 5, 5)
      try await publish(first, .reading, 60, 600)
      try await publish(other, .cancelled, 5, 5)
      try await publish(first, .done, 100, 1000)
      try await services.hasReceived(.notifications, of: .activity)
      let inbox = try await services.call(ListNotifications.self, .init(), as: ana.caller).items
      #expect(inbox.map(\.kind) == ["importDone"])
      #expect(inbox[0].title == "Importación terminada" && inbox[0].number == 4)
      #expect(inbox[0].text == "Se ha leído tu archivo. Registros tomados: 1000, ya conocidos: 1, no tomados: 1.")
      #expect(inbox[0].links.importID?.description == first.description)
      #expect(try await services.call(CountUnreadNotifications.self, .init(), as: ana.caller).unreadCount == 1)
    }
  }
}
