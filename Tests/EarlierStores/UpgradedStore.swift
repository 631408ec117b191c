import Foundation
import Logging
public import Operations
public import Storage

/// A service's store that was made by older migrations and is opened with newer ones behind them, in a folder that goes with the test.
public enum UpgradedStore {
  /// - Parameters:
  ///   - plant: writes what the older store holds.
  ///   - check: looks at what has become of it.
  public static func upgrading(
    _ service: ServiceName, _ older: [Migration], by newer: [Migration],
    plant: @escaping @Sendable (Transaction) throws -> Void, check: (Store) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-old-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let result: Result<Void, any Error>
    do {
      result = .success(
        try await upgrade(service, folder.appendingPathComponent("store.sqlite").path, older, newer, plant, check))
    } catch {
      result = .failure(error)
    }
    try FileManager.default.removeItem(at: folder)
    try result.get()
  }

  /// The same with all migrations of a service.
  ///
  /// - Parameter number: the first of the newer ones.
  public static func upgrading(
    _ service: ServiceName, _ migrations: [Migration], before number: Int,
    plant: @escaping @Sendable (Transaction) throws -> Void, check: (Store) async throws -> Void
  ) async throws {
    try await upgrading(
      service, migrations.filter { $0.number < number }, by: migrations.filter { $0.number >= number }, plant: plant,
      check: check)
  }

  private static func upgrade(
    _ service: ServiceName, _ path: String, _ older: [Migration], _ newer: [Migration],
    _ plant: @escaping @Sendable (Transaction) throws -> Void, _ check: (Store) async throws -> Void
  ) async throws {
    func open(_ migrations: [Migration]) throws -> Store {
      try Store(
        path: path, service: service, migrations: migrations, secret: [UInt8](repeating: 1, count: 32),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    let old = try open(older)
    do {
      try await old.write(plant)
    } catch {
      await old.close()
      throw error
    }
    await old.close()
    let new = try open(older + newer)
    do {
      try await check(new)
    } catch {
      await new.close()
      throw error
    }
    await new.close()
  }
}
