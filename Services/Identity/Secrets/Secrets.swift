import Foundation
import GRDB
import IdentityContract
import Operations
import SecureStorage
import ServiceKit
import Storage

extension SecretKind {
  /// Where the report of a deletion goes; its owner is the deletion.
  static let deletionAddressee = SecretKind("deletionAddressee", .sealed)

  /// By what an external provider's grant is given back; its owner is the grant, which is an identity's and outlives it until then.
  static let providerToken = SecretKind("providerToken", .sealed)

  /// Every kind that identity keeps. One whose owner is an account would go with it.
  static let all = [deletionAddressee, providerToken]
}

extension SecureStorage {
  /// Identity's: the keys lie in the home's `keys` folder; where that one fails, in `spare/keys`, or beneath the folder that
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

extension Transaction {
  /// Keeps a secret, verified by reading it back. Failures are recorded as security events.
  ///
  /// - Throws: `SecureStorageFailure`; then nothing of it is kept.
  func keepSecret(_ secret: [UInt8], _ name: SecretName, in storage: SecureStorage) throws {
    try storage.save(secret, name, on: SecretTable(transaction: self)) { try record($0, account: nil) }
  }

  /// Reads a secret; nil if there is none, or none any more.
  ///
  /// One that is damaged is removed and recorded, and its account has to log in anew: what it had entrusted to us may have been
  /// tampered with.
  ///
  /// - Parameter account: whose it is; nil for what belongs to no account.
  /// - Throws: `SecureStorageFailure.keyMissing`.
  func secret(_ name: SecretName, of account: AccountID?, in storage: SecureStorage) throws -> [UInt8]? {
    switch try storage.read(name, on: SecretTable(transaction: self), record: { try record($0, account: account) }) {
    case .found(let secret): return secret
    case .missing: return nil
    case .removed:
      if let account { try revokeSessions(of: account, .secretDamaged) }
      return nil
    }
  }

  /// Forgets a secret.
  func forgetSecret(_ name: SecretName) throws { try SecretTable(transaction: self).remove(name) }

  /// Brings secrets that rest under older keys under the newest one, a few at a time.
  ///
  /// - Parameter last: the last one looked at before; nil at the beginning.
  /// - Returns: the last one looked at, nil after the last of all.
  func renewSecrets(after last: SecretName?, atMost count: Int, in storage: SecureStorage) throws -> SecretName? {
    let kinds = Dictionary(uniqueKeysWithValues: SecretKind.all.map { ($0.name, $0) })
    // Of other kinds are those that a newer version of the program keeps: they wait for it.
    let marks = Array(repeating: "?", count: kinds.count).joined(separator: ", ")
    let names = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT kind, owner FROM secrets WHERE kind IN (\(marks)) AND (kind, owner) > (?, ?) ORDER BY kind, owner LIMIT ?
          """),
      arguments: StatementArguments(kinds.keys.sorted()) + [last?.kind.name ?? "", Data(last?.owner ?? []), count]
    ).compactMap { row in kinds[row["kind"]].map { SecretName($0, of: Array(row["owner"] as Data)) } }
    for name in names {
      do {
        _ = try storage.renew(name, on: SecretTable(transaction: self)) { try record($0, account: nil) }
      } catch is SecureStorageFailure {
        // Recorded; it stays as it is, and is looked at again at the next start.
        continue
      }
    }
    return names.count < count ? nil : names.last
  }

  private func record(_ incident: SecretIncident, account: AccountID?) throws {
    let kind: SecurityEvent.Kind = incident.problem == .corrupt ? .secretDamaged : .secretStorageFailed
    let detail = "\(incident.name.kind.name) \(incident.problem.rawValue)"
    try record(SecurityEvent(kind, account: account, detail: detail), from: .service(.identity))
    // However many are concerned, it is one cause to look for.
    try raise(IncidentFinding(.secretsFailing, count: 1), on: .system)
  }
}
