import ServiceKit
import ServiceLifecycle
import Storage

/// Registers the accounts that were there before the register, once, a few at a time.
struct RegisterRecordWorker: Service {
  let store: Store

  private static let batch = 100

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while try await store.write({ try RegisterRecordStore.noteEarlier(atMost: Self.batch, $0) }) > 0 {}
      // Its work is done; it ends with the service.
    }
  }
}
