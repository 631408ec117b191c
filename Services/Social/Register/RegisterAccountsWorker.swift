import IdentityContract
import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import SocialContract
import Storage

/// Fetches identity's records of accounts, and makes leaves of them: at its start, when an account changed, and from time to time.
///
/// The leaves and the position are written in one transaction, so that each record becomes exactly one leaf. Each answer begins with the
/// record of the last leaf: if identity was restored from a backup, that number has another record, and the new records are registered from
/// the last common one on.
struct RegisterAccountsWorker: Service {
  let store: Store
  let identity: ServiceClient
  let signal: WakeSignal
  let logger: Logger

  private static let interval = Duration.seconds(30)
  /// How many records are compared at a time: as many as an answer has.
  private static let compared = 500

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          while try await fetch() {}
        } catch let failure as Failure where !failure.isOfStorage {
          // Identity is away, or begins: what there is waits for the next time.
          logger.debug("accounts are not registered yet", metadata: ["reason": .string(failure.code)])
        }
        await signal.wait(atMost: Self.interval)
      }
    }
  }

  /// Takes in some records.
  ///
  /// - Returns: whether there may be more.
  func fetch() async throws -> Bool {
    let last = try await store.read { try RegisterAccountStore.last($0) }
    let records = try await identity.request(ListRegisterRecords.self, .init(after: max(0, last - 1))).records
    guard last > 0 else { return try await append(records, after: last) }
    guard let first = records.first, try await agreed([first]) == last else {
      try await goBack(from: last)
      return true
    }
    return try await append(Array(records.dropFirst()), after: last)
  }

  private func append(_ records: [RegisterRecordLine], after last: Int) async throws -> Bool {
    guard !records.isEmpty else { return false }
    return try await store.write { try RegisterAccountStore.append(records, after: last, $0) }
  }

  /// Goes back to the last record that still matches its leaf.
  private func goBack(from last: Int) async throws {
    let start = max(0, last - 1 - Self.compared)
    let records = try await identity.request(ListRegisterRecords.self, .init(after: start)).records
    let agreed = try await agreed(records) ?? start
    logger.notice(
      "records of identity have changed; going back to those that match", metadata: ["from": .stringConvertible(agreed + 1)])
    try await store.write { try RegisterAccountStore.goBack(to: agreed, from: last, $0) }
  }

  /// The last of these records that matches its leaf; nil where none does.
  private func agreed(_ records: [RegisterRecordLine]) async throws -> Int? {
    try await store.read { database in try records.last { try RegisterAccountStore.isLeaf($0, in: database) }?.number }
  }
}
