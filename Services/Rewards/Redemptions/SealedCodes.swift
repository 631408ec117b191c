import GRDB
import Logging
import Operations
import RewardsContract
import SecureStorage
import ServiceKit
import Storage

/// The codes of redemptions as stored: encrypted, with their keys outside the store (REW-5).
struct SealedCodes: Sendable {
  static let kind = SecretKind("redemptionCode", .sealed)

  let storage: SecureStorage
  let logger: Logger

  /// The codes of rewards: the keys are in the home's `keys` folder; where that fails, in `spare/keys`, or below the folder that
  /// `racha.secrets.spareFolder` names.
  init(_ environment: ServiceEnvironment) {
    let spare = environment.settings.string("racha.secrets.spareFolder", default: "\(environment.home.path)/spare")
    storage = SecureStorage(KeyFolder(id: 1, home: environment.home), second: KeyFolder(id: 2, home: Home(path: spare)))
    logger = environment.logger
  }

  /// Stores a redemption's code in its row, and verifies it by reading it back.
  ///
  /// - Throws: `SecureStorageFailure`; then nothing is stored.
  func keep(_ code: RedemptionCode, of redemption: RedemptionID, in database: Database) throws {
    let shelf = Shelf(redemption: redemption, database: database)
    try storage.save(Array(code.description.utf8), name(redemption), on: shelf) { record($0) }
  }

  /// Returns the code of a row; nil where there is none, or where it is damaged.
  ///
  /// - Throws: `SecureStorageFailure.keyMissing`.
  func code(_ sealed: [UInt8]?, of redemption: RedemptionID) throws -> RedemptionCode? {
    guard let sealed else { return nil }
    let reading = try storage.read(name(redemption), on: Kept(sealed)) { record($0) }
    guard case .found(let bytes) = reading else { return nil }
    return try RedemptionCode(text: String(decoding: bytes, as: UTF8.self))
  }

  /// The first bytes of newly encrypted codes: their format, key store and key; nil where the newest key cannot be read, which is recorded.
  func newestHead() -> [UInt8]? {
    do {
      return try storage.newestHead()
    } catch {
      record(.keyStoreFailed)
      return nil
    }
  }

  /// Re-encrypts codes that are under an older key under the newest one, a few at a time.
  ///
  /// - Parameters:
  ///   - head: how they begin.
  ///   - last: the last redemption processed before.
  /// - Returns: the last redemption processed; nil where none is left.
  func renew(
    beginning head: [UInt8], after last: RedemptionID, atMost count: Int, in database: Database
  ) throws -> RedemptionID? {
    let found = try RedemptionStore.sealed(beginning: head, after: last, limit: count, in: database)
    for redemption in found {
      do {
        let shelf = Shelf(redemption: redemption, database: database)
        _ = try storage.renew(name(redemption), on: shelf) { record($0) }
      } catch is SecureStorageFailure {
        // The failure was recorded; the code is not changed, and is tried again at the next start.
        continue
      }
    }
    return found.count < count ? nil : found.last
  }

  private func name(_ redemption: RedemptionID) -> SecretName { SecretName(SealedCodes.kind, of: redemption.bytes) }

  private func record(_ incident: SecretIncident) { record(incident.problem) }

  private func record(_ problem: SecretIncident.Problem) {
    logger.error("a redemption's code could not be sealed or read", metadata: ["problem": .string(problem.rawValue)])
  }

  /// A redemption's row as storage for its code.
  private struct Shelf: SecretShelf {
    let redemption: RedemptionID
    let database: Database

    func put(_ sealed: [UInt8], _ name: SecretName) throws {
      try RedemptionStore.setSealedCode(sealed, of: redemption, in: database)
    }

    func get(_ name: SecretName) throws -> [UInt8]? { try RedemptionStore.sealedCode(of: redemption, in: database) }

    func remove(_ name: SecretName) throws { try RedemptionStore.removeSealedCode(of: redemption, in: database) }
  }

  /// The bytes already read from a row. A damaged code stays in its row, since reading changes nothing there.
  private final class Kept: SecretShelf {
    private var sealed: [UInt8]?

    init(_ sealed: [UInt8]?) { self.sealed = sealed }

    func put(_ sealed: [UInt8], _ name: SecretName) { self.sealed = sealed }
    func get(_ name: SecretName) -> [UInt8]? { sealed }
    func remove(_ name: SecretName) { sealed = nil }
  }
}
