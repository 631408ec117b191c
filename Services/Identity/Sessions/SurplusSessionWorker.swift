import ServiceLifecycle
import Storage

/// Ends once the live sessions that accounts had beyond the bound before there was one, a few at a time: to end all of an account at once,
/// as for a new password, is then short.
struct SurplusSessionWorker: Service {
  private static let limits = StepLimits(first: 50, max: 500)

  let store: Store

  func run() async throws { try await cancelWhenGracefulShutdown { try await endAll() } }

  func endAll() async throws {
    try await store.writeInSteps(of: "surplusSessions", Self.limits) { try SessionStore.endSurplus(limit: $0, $1) }
  }
}
