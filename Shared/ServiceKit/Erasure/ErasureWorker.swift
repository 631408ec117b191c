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
  /// Longer than the file of a large store takes to be rewritten. Who is stuck for longer shows it: the service is not ready then.
  static let round = Duration.seconds(600)

  private let store: Store
  private let wake: Wake
  private let pulse: Pulse
  private let logger: Logger
  private let clean: Clean
  private let confirm: Confirm
  private let afterwards: Afterwards

  /// - Parameters:
  ///   - pulse: by which it shows that it does not stick while there is something to finish.
  ///   - afterwards: for what waits for a rewriting by itself.
  public init(
    store: Store, wake: Wake, pulse: Pulse, logger: Logger, clean: @escaping Clean, confirm: @escaping Confirm,
    afterwards: @escaping Afterwards = { _ in .zero }
  ) {
    self.store = store
    self.wake = wake
    self.pulse = pulse
    self.logger = logger
    self.clean = clean
    self.confirm = confirm
    self.afterwards = afterwards
  }

  public func run() async throws { try await cancelWhenGracefulShutdown { try await work() } }

  private func work() async throws {
    var rings = wake.rings.makeAsyncIterator()
    var delay = Self.shortestDelay
    while true {
      pulse.promise(within: Self.round)
      let outcome = try await finish()
      let rest = try await outcome.rest + afterwards(store) * Self.restFactor
      pulse.promise(within: max(rest, delay) + Self.round)
      if outcome.isDone {
        delay = Self.shortestDelay
        try await Task.sleep(for: rest)
        // Nothing is left to do, for any time.
        pulse.rest()
        guard await rings.next() != nil else { return }
      } else {
        try await Task.sleep(for: max(rest, delay))
        delay = min(delay * 2, Self.longestDelay)
      }
    }
  }

  /// Finishes all that wait. One that cannot be finished yet keeps no other waiting.
  ///
  /// - Returns: how long the store is to be left alone after it, and whether none is left.
  func finish() async throws -> (rest: Duration, isDone: Bool) {
    var rest = Duration.zero
    var left: Set<AccountID> = []
    while true {
      let limit = Self.batch + left.count
      let known = left
      let waiting = try await store.read { try $0.unconfirmedErasures(limit: limit) }.filter { !known.contains($0.account) }
      guard !waiting.isEmpty else { return (rest, left.isEmpty) }
      var isCleaned: Set<AccountID> = []
      for erasure in waiting where !erasure.isCleaned {
        if try await attempt({ try await clean(erasure, store) }) {
          isCleaned.insert(erasure.account)
        } else {
          left.insert(erasure.account)
        }
      }
      if !isCleaned.isEmpty { rest += try await noteCleaning(of: isCleaned) }
      for erasure in waiting where !left.contains(erasure.account) {
        if try await attempt({ try await confirm(erasure, store) }) {
          try await store.write { try $0.noteConfirmation(of: erasure.account) }
        } else {
          left.insert(erasure.account)
        }
      }
    }
  }

  /// - Returns: whether it succeeded.
  private func attempt(_ body: () async throws -> Void) async throws -> Bool {
    do {
      try await body()
      return true
    } catch let error as CancellationError {
      throw error
    } catch {
      logger.warning("an erasure is not finished yet", metadata: ["code": .string(Failure(error).code)])
      return false
    }
  }

  /// Rewrites the store's file and notes that nothing is left of the accounts, so that a confirmation that fails does not repeat it.
  private func noteCleaning(of accounts: Set<AccountID>) async throws -> Duration {
    let duration = try await store.rewrite()
    try await store.write { transaction in
      for account in accounts { try transaction.noteCleaning(of: account) }
    }
    return duration * Self.restFactor
  }
}
