import InMemoryBus
import Logging
import Operations
import ServiceKit
import Storage

@testable import SocialService

/// The migrations of social, for stores of earlier versions.
enum SocialMigrations {
  /// All there are, in their order.
  static var all: [Migration] {
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: Home(path: "/nonexistent"), bus: MemoryBus(.social, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return SocialFeatures.all(environment).flatMap(\.migrations).sorted { $0.number < $1.number }
  }
}
