import IdentityContract
import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import SocialContract
import Storage

/// Fetches what identity has registered of accounts, and makes leaves of it: at its start, when an account changed, and now and then.
///
/// The leaves and how far they go are one transaction, so that each record becomes one leaf.
struct RegisterAccountsWorker: Service {
  let store: Store
  let identity: ServiceClient
  let signal: WakeSignal
  let logger: Logger

  private static let interval = Duration.seconds(30)

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          while try await fetch() {}
        } catch let failure as Failure {
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
    let answer = try await identity.request(ListRegisterRecords.self, .init(after: last))
    if answer.records.isEmpty {
      // A copy that was put back has fewer: it goes on from there.
      if answer.lastNumber < last {
        try await store.write { try RegisterAccountStore.goBack(to: answer.lastNumber, from: last, $0) }
      }
      return false
    }
    return try await store.write { try RegisterAccountStore.append(answer.records, after: last, $0) }
  }
}
