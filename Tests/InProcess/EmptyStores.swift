import Foundation
import GRDB
import Logging
import Operations
public import ServiceKit
import Storage
import Synchronization

/// Stores with all of a service's tables and nothing in them. To migrate a new file takes longer than most tests do with it, so each is made once,
/// and copied.
public enum EmptyStores {
  private static let made = Mutex<[String: Data]>([:])

  /// Puts a store into a home folder that has none of the service: one that is migrated and was never opened.
  public static func put(for definition: ServiceDefinition, into home: Home) async throws {
    let path = "\(home.stores)/\(definition.contract.service.rawValue).sqlite"
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let key = "\(definition.contract.service) \(definition.migrations.map(\.name))"
    let content: Data
    if let known = made.withLock({ $0[key] }) {
      content = known
    } else {
      content = try await make(definition)
      made.withLock { $0[key] = content }
    }
    try Home.makePrivateFolder(home.stores)
    try content.write(to: URL(fileURLWithPath: path))
  }

  private static func make(_ definition: ServiceDefinition) async throws -> Data {
    let folder = "/tmp/racha-empty-\(UInt64.random(in: .min ... .max))"
    try Home.makePrivateFolder(folder)
    defer { ServicesInProcess.removeFolder(folder) }
    let path = "\(folder)/empty.sqlite"
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let store = try Store(
      path: path, service: definition.contract.service, migrations: definition.migrations, secret: Array(repeating: 0, count: 32),
      logger: logger)
    await store.close()
    let file = try DatabaseQueue(path: path)
    // Who opens it next begins an epoch of its own.
    try await file.write { try $0.execute(sql: "DELETE FROM store_states") }
    try file.close()
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }
}
