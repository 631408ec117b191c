import ServiceKit
import ServiceLifecycle
import Storage

/// Ends the invitations that nobody has answered in time; see ``ConnectionRequestLife``.
struct TeamInvitationWorker: Service {
  /// How many end in one transaction: other writers wait for no more than that.
  static let batch = 200

  let store: Store
  let life: ConnectionRequestLife

  func run() async throws { try await repeating(every: .seconds(600)) { try await expire() } }

  /// Ends all that are due.
  func expire() async throws {
    let life = life
    while try await store.write({ try TeamInvitationStore.expire(life, limit: Self.batch, $0) }) == Self.batch {}
  }
}
