import Foundation
import Logging
import Operations
import ServiceKit
import Storage
import Testing

/// A store of the activity service that was made by older migrations and is opened with newer ones behind them, in a folder that goes
/// with the test.
enum UpgradedStore {
  /// - Parameters:
  ///   - plant: writes what the older store holds.
  ///   - check: looks at what has become of it.
  static func upgrading(
    _ older: [Migration], by newer: [Migration], plant: @escaping @Sendable (Transaction) throws -> Void,
    check: (Store) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-old-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do {
        try FileManager.default.removeItem(at: folder)
      } catch {
        Issue.record(error)
      }
    }
    func open(_ migrations: [Migration]) throws -> Store {
      try Store(
        path: folder.appendingPathComponent("activity.sqlite").path, service: .activity, migrations: migrations,
        secret: [UInt8](repeating: 1, count: 32), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    let old = try open(older)
    try await old.write(plant)
    await old.close()
    let new = try open(older + newer)
    do {
      try await check(new)
    } catch {
      Issue.record(error)
    }
    await new.close()
  }
}
