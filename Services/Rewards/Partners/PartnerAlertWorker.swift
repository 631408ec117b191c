import IdentityContract
import Logging
import Operations
import RewardsContract
import ServiceKit
import ServiceLifecycle
import Storage

/// Notifies administrators of partners that lost their last owner, and resumes partners whose owner's suspension has ended.
struct PartnerAlertWorker: ServiceLifecycle.Service {
  private static let pause = Duration.seconds(1)

  let store: Store
  let identity: ServiceClient
  let clock: Clock
  let logger: Logger

  func run() async throws {
    try await repeating(every: Self.pause) { try await look() }
  }

  /// Processes the pending alerts.
  func look() async throws {
    let (alerts, withoutOwner) = try await store.read {
      (try PartnerStore.alerts(in: $0), try PartnerStore.withoutOwner(in: $0))
    }
    if !withoutOwner.isEmpty { try await followOwners(of: withoutOwner) }
    guard !alerts.isEmpty else { return }
    do {
      let administrators = try await identity.request(ListAdministrators.self, Empty()).accountIDs
      // Without an administrator the alert waits for the first one.
      guard !administrators.isEmpty else { return }
      try await store.write { transaction in
        for partner in alerts { try PartnerStore.alert(administrators, of: partner, transaction) }
      }
    } catch let failure as Failure {
      // The alert stays until identity answers.
      logger.warning(
        "administrators have not been notified yet of a partner without an owner", metadata: ["code": .string(failure.code)])
    }
  }

  private func followOwners(of partners: [PartnerID]) async throws {
    let now = clock.now
    let returned = try await store.read { database in
      try partners.filter { try PartnerMemberStore.hasOwner($0, at: now, in: database) }
    }
    guard !returned.isEmpty else { return }
    try await store.write { transaction in
      for partner in returned { try PartnerStore.followOwners(of: partner, transaction) }
    }
  }
}
