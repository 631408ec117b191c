import ActivityService
import Foundation
import IdentityService
import InMemoryBus
import Logging
import NotificationsService
import Operations
import RewardsService
import ServiceKit
import SocialService
import Storage

/// Every service that has a store, defined as its executable does, in a home folder that goes with the test.
struct AllServices {
  let definitions: [ServiceDefinition]
  let environment: (ServiceName) -> ServiceEnvironment

  static func with(_ body: (AllServices) async throws -> Void) async throws {
    let home = Home(path: "/tmp/racha-contracts-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let exchange = MemoryExchange()
    func environment(_ service: ServiceName) -> ServiceEnvironment {
      ServiceEnvironment(
        settings: Settings([:]), home: home, bus: MemoryBus(service, on: exchange),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    let definitions = [
      Activities.service(environment(.activity)), try await Identity.service(environment(.identity)),
      try Notifications.service(environment(.notifications)), try Rewards.service(environment(.rewards)),
      Social.service(environment(.social)),
    ]
    try await body(AllServices(definitions: definitions, environment: environment))
  }

  /// Every service's definition with a new store of it.
  static func withStores(_ body: (ServiceDefinition, Store) async throws -> Void) async throws {
    try await with { services in
      for definition in services.definitions {
        let host = try ServiceHost(definition, services.environment(definition.contract.service))
        try await body(definition, host.store)
        await host.store.close()
      }
    }
  }
}
