import Foundation
import GRDB
import IdentityContract
import Operations
import SecureStorage
import ServiceKit
import Storage

extension SecretKind {
  /// The recipient of a deletion's report; its owner is the deletion.
  static let deletionAddressee = SecretKind("deletionAddressee", .sealed)

  /// By what an external provider's grant is given back; its owner is the grant, which is an identity's and outlives it until then.
  static let providerToken = SecretKind("providerToken", .sealed)

  /// Every kind that identity keeps. One whose owner is an account would go with it.
  static let all = [deletionAddressee, providerToken]
}

extension SecureStorage {
  /// Identity's secure storage: the keys are in the home's `keys` folder; where that one fails, in `spare/keys`, or beneath the folder that
  /// `racha.secrets.spareFolder` names, best on another disk.
  init(_ environment: ServiceEnvironment) {
    let spare = environment.settings.string("racha.secrets.spareFolder", default: "\(environment.home.path)/spare")
    self.init(KeyFolder(id: 1, home: environment.home), second: KeyFolder(id: 2, home: Home(path: spare)))
  }
}

/// The table of secrets, within one transaction.
private struct SecretTable: SecretShelf {
  let transaction: Transaction

  func put(_ sealed: [UInt8], _ name: SecretName) throws {
    try transaction.database.cachedStatement(
      sql: "INSERT OR REPLACE INTO secrets (kind, owner, sealed, written_at) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [name.kind.name, Data(name.owner), Data(sealed), transaction.now])
  }

  func get(_ name: SecretName) throws -> [UInt8]? {
    let statement = try transaction.database.cachedStatement(sql: "SELECT sealed FROM secrets WHERE kind = ? AND owner = ?")
    return try Data.fetchOne(statement, arguments: [name.kind.name, Data(name.owner)]).map { Array($0) }
  }

  func remove(_ name: SecretName) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM secrets WHERE kind = ? AND owner = ?")
      .execute(arguments: [name.kind.name, Data(name.owner)])
  }
}

/// Secrets that have to be read back (ID-16).
enum SecretStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "secrets") { database in
      try database.execute(
        sql: """
          -- Ciphertexts; their keys are outside the store.
          CREATE TABLE secrets (
            kind TEXT NOT NULL,
            -- An account, or what else the kind is about.
            owner BLOB NOT NULL CHECK (length(owner) = 16),
            sealed BLOB NOT NULL,
            written_at INTEGER NOT NULL,
            PRIMARY KEY (kind, owner)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX secrets_by_owner ON secrets (owner);
          """)
    }
  }

  static func keyMigration(_ number: Int) -> Migration {
    Migration(number, "secrets by their key") { database in
      // The head of a sealed secret names its key.
      try database.execute(sql: "CREATE INDEX secrets_by_key ON secrets (kind, substr(sealed, 1, 6))")
    }
  }

  /// Stores a secret, and verifies it by reading it back. Failures are recorded as security events.
  ///
  /// - Throws: `SecureStorageFailure`; nothing of the secret is then kept.
  static func keep(_ secret: [UInt8], _ name: SecretName, in storage: SecureStorage, _ transaction: Transaction) throws {
    try storage.save(secret, name, on: SecretTable(transaction: transaction)) { try record($0, account: nil, transaction) }
  }

  /// Reads a secret; nil if there is none, or no longer any.
  ///
  /// A damaged secret is removed and recorded, and its account has to log in again: the account's data may have been tampered with.
  ///
  /// - Parameter account: the secret's account; nil if it has none.
  /// - Throws: `SecureStorageFailure.keyMissing`.
  static func read(
    _ name: SecretName, of account: AccountID?, in storage: SecureStorage, _ transaction: Transaction
  ) throws -> [UInt8]? {
    switch try storage.read(
      name, on: SecretTable(transaction: transaction), record: { try record($0, account: account, transaction) })
    {
    case .found(let secret): return secret
    case .missing: return nil
    case .removed:
      if let account { try SessionStore.revokeAll(of: account, .secretDamaged, transaction) }
      return nil
    }
  }

  /// Forgets a secret.
  static func forget(_ name: SecretName, _ transaction: Transaction) throws {
    try SecretTable(transaction: transaction).remove(name)
  }

  /// How the sealed secrets of a kind begin: there is one beginning for each key under which any of them rest.
  static func heads(of kind: SecretKind, in database: Database) throws -> [[UInt8]] {
    let next = """
      SELECT substr(sealed, 1, 6) FROM secrets INDEXED BY secrets_by_key WHERE kind = ? AND substr(sealed, 1, 6) > ?
      ORDER BY substr(sealed, 1, 6) LIMIT 1
      """
    var heads: [[UInt8]] = []
    while let head = try database.first(next, .text(kind.name), .bytes(heads.last ?? []), read: { $0.bytes(0) }) {
      heads.append(head)
    }
    return heads
  }

  /// Brings secrets that rest under an older key under the newest one, a few at a time.
  ///
  /// - Parameters:
  ///   - head: how they begin.
  ///   - last: the owner of the last one looked at before; empty at the beginning.
  /// - Returns: the owner of the last one looked at, nil after the last of all.
  static func renew(
    _ kind: SecretKind, beginning head: [UInt8], after last: [UInt8], atMost count: Int, in storage: SecureStorage,
    _ transaction: Transaction
  ) throws -> [UInt8]? {
    let owners = try Data.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT owner FROM secrets INDEXED BY secrets_by_key WHERE kind = ? AND substr(sealed, 1, 6) = ? AND owner > ?
          ORDER BY owner LIMIT ?
          """),
      arguments: [kind.name, Data(head), Data(last), count]
    ).map { Array($0) }
    for owner in owners {
      do {
        _ = try storage.renew(SecretName(kind, of: owner), on: SecretTable(transaction: transaction)) {
          try record($0, account: nil, transaction)
        }
      } catch is SecureStorageFailure {
        // Recorded; it stays as it is, and is looked at again at the next start.
        continue
      }
    }
    return owners.count < count ? nil : owners.last
  }

  /// Records that secrets of a kind cannot be brought under the newest key, since that cannot be read.
  static func recordMissingKey(of kind: SecretKind, _ transaction: Transaction) throws {
    try record(.keyStoreFailed, of: kind, account: nil, transaction)
  }

  private static func record(_ incident: SecretIncident, account: AccountID?, _ transaction: Transaction) throws {
    try record(incident.problem, of: incident.name.kind, account: account, transaction)
  }

  private static func record(
    _ problem: SecretIncident.Problem, of kind: SecretKind, account: AccountID?, _ transaction: Transaction
  ) throws {
    let event: SecurityEvent.Kind = problem == .corrupt ? .secretDamaged : .secretStorageFailed
    let detail = "\(kind.name) \(problem.rawValue)"
    try SecurityEventStore.record(SecurityEvent(event, account: account, detail: detail), from: .service(.identity), transaction)
    // However many are concerned, it is one cause to look for.
    try IncidentStore.raise(IncidentFinding(.secretsFailing, count: 1), on: .system, transaction)
  }
}
