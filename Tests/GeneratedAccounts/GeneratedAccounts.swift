import Cluster
import Foundation
import GRDB
public import Operations

/// Very many accounts, each a copy of one of a few that the services themselves have made by calls (``AccountTemplates``): everything that
/// any of them keeps of those is there again for each copy, with ids, usernames and numbers of its own.
///
/// The copies are written by SQL while the services are away. What the services keep of all accounts together — leaderboards' counts, the
/// register's tree, the ledger's house — is made anew. Outboxes and cursors stay, since nothing of a copy was ever an event: each
/// subscriber already has what it would have had of it.
///
/// Two things are not as a service would have written them: what the register commits to is what it is for the account that was copied, so
/// that a copy's records do not prove what they say; and what a service keeps sealed cannot be opened for a copy. A copy has the password of
/// the account that it is of.
public struct GeneratedAccounts: Sendable {
  /// The cluster's folder.
  let home: String
  let era: Era
  /// How often the group is copied.
  public let copies: Int

  /// The services that keep something, the largest first.
  public static let services: [ServiceName] = [.activity, .social, .rewards, .notifications, .identity]

  /// - Parameter milliseconds: when the group was made.
  public init(home: String, madeIn milliseconds: ClosedRange<Int64>, copies: Int) throws {
    self.home = home
    self.copies = copies
    era = try Era(milliseconds)
  }

  /// Fills all stores, two at a time; their services must be away.
  ///
  /// - Returns: how many seconds each took.
  public func fill() async throws -> [ServiceName: Double] {
    try await withThrowingTaskGroup(of: (ServiceName, Double).self) { group in
      for service in Self.services {
        group.addTask {
          let start = ContinuousClock.now
          try fill(service)
          let elapsed = (ContinuousClock.now - start).components
          return (service, Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// Lets accounts of some copies log in as on their first device: on one that is not known they would be in doubt.
  public func forgetDevices(ofCopies copies: ClosedRange<Int>) throws {
    let store = try Self.open(.identity, home: home)
    try store.write { database in
      for copy in copies {
        for table in ["known_devices", "known_places"] {
          try database.execute(
            sql: "DELETE FROM \(table) WHERE account_id IN (SELECT account_id FROM accounts WHERE username BETWEEN ? AND ?)",
            arguments: [CopiedTable.username(copy), CopiedTable.username(copy) + "9"])
        }
      }
    }
    try store.close()
  }

  /// Opens a store of a service that is away, for writing without its rules.
  static func open(_ service: ServiceName, home: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      // Nothing is lost if the machine stops: it is begun anew.
      try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; PRAGMA temp_store = MEMORY")
    }
    return try DatabaseQueue(path: "\(home)/stores/\(service.rawValue).sqlite", configuration: configuration)
  }

  private func fill(_ service: ServiceName) throws {
    let store = try Self.open(service, home: home)
    try store.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF")
      try database.inTransaction {
        try copy(service, in: database)
        return .commit
      }
      try database.execute(sql: "PRAGMA journal_mode = WAL")
    }
    try store.close()
  }

  private func copy(_ service: ServiceName, in database: Database) throws {
    let triggers = try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").map {
      (name: $0["name"] as String, sql: $0["sql"] as String)
    }
    // What they do for a row is copied with it.
    for (name, _) in triggers { try database.execute(sql: "DROP TRIGGER \"\(name)\"") }
    try WholeStore.prepare(service, in: database)
    let copied = try CopiedStore(service, era, in: database)
    try CopiedTable.makeCopies(copies, era, in: database)
    for table in copied.tables { try table.write(in: database) }
    try WholeStore.make(service, copies: copies, in: database)
    for (_, sql) in triggers { try database.execute(sql: sql) }
  }
}
