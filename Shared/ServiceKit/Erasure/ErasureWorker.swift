public import Logging
import Operations
public import ServiceLifecycle
public import Storage

/// Finishes what the transactions of erasure began: removes what lies outside the store, writes the store's file anew, and confirms.
///
/// What is to do is in the store, so a process that was killed goes on where it was. One rewriting of the file serves all erasures
/// that wait for it, and takes at most a twentieth of the time: while one took long, the next waits.
public struct ErasureWorker: ServiceLifecycle.Service {
  /// Wakes the worker once the transaction is durable. A ring that is lost with its process is not missed: each start looks.
  public struct Wake: Sendable {
    fileprivate let rings: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    public init() { (rings, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Lets the worker look for what is to do; several calls before it looks are one.
    public func callAsFunction() { ring.yield() }
  }

  /// Removes what lies outside the store, or throws where it cannot yet be: then it is tried again.
  public typealias Clean = @Sendable (ErasedAccount, Store) async throws -> Void
  /// Does what is to be done after each look, and returns how long it kept the store busy.
  public typealias Afterwards = @Sendable (Store) async throws -> Duration
  /// Confirms an erasure, the first time or again.
  public typealias Confirm = @Sendable (ErasedAccount, Store) async throws -> Void

  static let batch = 100
  private static let shortestDelay = Duration.milliseconds(200)
  private static let longestDelay = Duration.seconds(30)
  private static let restFactor = 20

  private let store: Store
  private let wake: Wake
  private let logger: Logger
  private let clean: Clean
  private let confirm: Confirm
  private let afterwards: Afterwards

  /// - Parameter afterwards: for what waits for a rewriting by itself.
  public init(
    store: Store, wake: Wake, logger: Logger, clean: @escaping Clean, confirm: @escaping Confirm,
    afterwards: @escaping Afterwards = { _ in .zero }
  ) {
    self.store = store
    self.wake = wake
    self.logger = logger
    self.clean = clean
    self.confirm = confirm
    self.afterwards = afterwards
  }

  public func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { try await work() }
    } catch is CancellationError {
      // The next start goes on.
    }
  }

  private func work() async throws {
    var rings = wake.rings.makeAsyncIterator()
    var delay = Self.shortestDelay
    while true {
      do {
        let rest = try await finish() + afterwards(store) * Self.restFactor
        delay = Self.shortestDelay
        try await Task.sleep(for: rest)
        guard await rings.next() != nil else { return }
      } catch let error as CancellationError {
        throw error
      } catch {
        logger.warning("an erasure is not finished yet", metadata: ["code": .string(Failure(error).code)])
        try await Task.sleep(for: delay)
        delay = min(delay * 2, Self.longestDelay)
      }
    }
  }

  /// Finishes all that wait.
  ///
  /// - Returns: how long the store is to be left alone after it.
  func finish() async throws -> Duration {
    var rest = Duration.zero
    while true {
      let waiting = try await store.read { try $0.unconfirmedErasures(limit: Self.batch) }
      guard !waiting.isEmpty else { return rest }
      rest += try await cleanFiles(of: waiting.filter { !$0.isCleaned })
      for erasure in waiting {
        try await confirm(erasure, store)
        try await store.write { try $0.noteConfirmation(of: erasure.account) }
      }
    }
  }

  /// Removes what is left of the erasures in files, and notes it, so that a confirmation that fails does not repeat it.
  private func cleanFiles(of erasures: [ErasedAccount]) async throws -> Duration {
    guard !erasures.isEmpty else { return .zero }
    for erasure in erasures { try await clean(erasure, store) }
    let duration = try await store.rewrite()
    try await store.write { transaction in
      for erasure in erasures { try transaction.noteCleaning(of: erasure.account) }
    }
    return duration * Self.restFactor
  }
}
