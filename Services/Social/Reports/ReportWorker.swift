import Operations
import ServiceKit
import ServiceLifecycle
import SocialContract
import Storage

/// Publishes the outcome of cases with many reports, and deletes copies that were kept long enough.
struct ReportWorker: Service {
  private static let batch = 200

  let store: Store
  let clock: Clock
  var interval = Duration.seconds(20)

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Does all that is due.
  func sweep() async throws {
    try await publish()
    try await deleteCopies()
  }

  private func publish() async throws {
    while true {
      let cases = try await store.read { try ModerationCaseStore.notPublished(limit: Self.batch, in: $0) }
      for moderationCase in cases {
        while try await !store.write({ try ReportStore.publishDecided(moderationCase, limit: Self.batch, $0) }) {}
      }
      if cases.count < Self.batch { return }
    }
  }

  private func deleteCopies() async throws {
    let before = clock.now.adding(seconds: -ReportRules.keptSeconds)
    while true {
      let cases = try await store.read { try ModerationCaseStore.decided(before: before, limit: Self.batch, in: $0) }
      for moderationCase in cases {
        try await store.write { transaction in
          try ReportStore.deleteCopies(moderationCase, transaction)
          try SuspensionStore.endAppeals(in: moderationCase, transaction)
        }
      }
      if cases.count < Self.batch { return }
    }
  }
}
