import InMemoryBus
import Logging
import Operations
import ServiceKit
import Storage

@testable import ActivityService

/// The migrations of the activity service, for stores of earlier versions.
enum ActivityMigrations {
  /// All there are, in their order.
  static var all: [Migration] {
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: Home(path: "/nonexistent"), bus: MemoryBus(.activity, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return Activities.features(environment).flatMap(\.migrations).sorted { $0.number < $1.number }
  }

  /// That of the read model of accounts.
  static let accounts = AccountsFeature(migrations: (table: 1, settings: 5, people: 35, enrollment: 38, everyone: 50)).migrations[
    0]
  /// That of the accounts' settings.
  static let accountSettings = AccountsFeature(migrations: (table: 1, settings: 5, people: 35, enrollment: 38, everyone: 50))
    .migrations[1]
}
