public import Logging
public import Operations
public import ServiceLifecycle
public import Storage

/// Finishes what the transactions of erasure began: erases the rows of accounts with many rows, removes data outside the store, makes sure
/// that nothing is left in the store's files (``Store/cleanFiles()``), and confirms.
///
/// The remaining work is recorded in the store, so a killed process continues where it was. One cleaning of the files serves all waiting
/// erasures. Cleaning takes at most a twentieth of the time: after a long cleaning, the next one waits.
public struct ErasureWorker: ServiceLifecycle.Service {
  /// Removes data outside the store, or throws if that is not possible yet; then it is retried.
  public typealias Clean = @Sendable (ErasedAccount, Store) async throws -> Void
  /// Does what has to follow each pass, and returns whether all of it is done.
  public typealias Afterwards = @Sendable (Store) async throws -> Bool
  /// Confirms an erasure, the first time or again.
  public typealias Confirm = @Sendable (ErasedAccount, Store) async throws -> Void

  static let batch = 100
  private static let shortestDelay = Duration.milliseconds(200)
  private static let longestDelay = Duration.seconds(30)
  private static let restFactor = 20
  private static let longestRest = Duration.seconds(3600)
  /// Rows of the first step; few, since each may have a photo.
  private static let firstStep = 10
  /// Longer than any work between two signs of life. If the worker is stuck for longer, the service is not ready.
  static let round = Duration.seconds(600)

  private let store: Store
  private let erasure: Erasure
  private let cleanSeconds: Int
  private let clock: Operations.Clock
  private let signal: WakeSignal
  private let pulse: Pulse
  private let logger: Logger
  private let clean: Clean
  private let confirm: Confirm
  private let afterwards: Afterwards

  /// - Parameters:
  ///   - cleanSeconds: the time within which nothing is to be left in the files; exceeding it is logged as an error.
  ///   - pulse: shows that the worker is not stuck while there is work to finish.
  ///   - afterwards: for other work that waits for clean files.
  public init(
    store: Store, erasure: Erasure, cleanSeconds: Int, clock: Operations.Clock, signal: WakeSignal, pulse: Pulse, logger: Logger,
    clean: @escaping Clean, confirm: @escaping Confirm,
    afterwards: @escaping Afterwards = { _ in true }
  ) {
    self.store = store
    self.erasure = erasure
    self.cleanSeconds = cleanSeconds
    self.clock = clock
    self.signal = signal
    self.pulse = pulse
    self.logger = logger
    self.clean = clean
    self.confirm = confirm
    self.afterwards = afterwards
  }

  public func run() async throws { try await cancelWhenGracefulShutdown { try await work() } }

  private func work() async throws {
    var delay = Self.shortestDelay
    while true {
      pulse.promise(within: Self.round)
      var outcome = try await finish()
      let start = ContinuousClock.now
      outcome.isDone = try await afterwards(store) && outcome.isDone
      let rest = min(outcome.rest + (ContinuousClock.now - start) * Self.restFactor, Self.longestRest)
      pulse.promise(within: max(rest, delay) + Self.round)
      if outcome.isDone {
        delay = Self.shortestDelay
        try await Task.sleep(for: rest)
        // Nothing is left to do; the wait may take any time.
        pulse.rest()
        guard await signal.wait() else { return }
      } else {
        try await Task.sleep(for: max(rest, delay))
        delay = min(delay * 2, Self.longestDelay)
      }
    }
  }

  /// Finishes all waiting erasures. One that cannot be finished yet does not delay the others.
  ///
  /// - Returns: how long to leave the store alone afterwards, and whether none is left.
  func finish() async throws -> (rest: Duration, isDone: Bool) {
    var rest = Duration.zero
    var left: Set<AccountID> = []
    while true {
      let limit = Self.batch + left.count
      let known = left
      let waiting = try await store.read { try $0.unconfirmedErasures(limit: limit) }.filter { !known.contains($0.account) }
      guard !waiting.isEmpty else { return (rest, left.isEmpty) }
      let unerased = waiting.filter { !$0.areRowsErased }
      if !unerased.isEmpty {
        for erasure in unerased { try await eraseRows(of: erasure.account) }
        continue
      }
      var ready: Set<AccountID> = []
      for erasure in waiting where !erasure.isCleaned {
        if try await attempt({ try await clean(erasure, store) }) {
          ready.insert(erasure.account)
        } else {
          left.insert(erasure.account)
        }
      }
      if !ready.isEmpty {
        let start = ContinuousClock.now
        if try await !noteCleaning(of: ready) { left.formUnion(ready) }
        rest += (ContinuousClock.now - start) * Self.restFactor
      }
      for erasure in waiting where left.contains(erasure.account) { warnIfOverdue(erasure) }
      for erasure in waiting where !left.contains(erasure.account) {
        if try await attempt({ try await confirm(erasure, store) }) {
          try await store.write { try $0.noteConfirmation(of: erasure.account) }
        } else {
          left.insert(erasure.account)
        }
      }
    }
  }

  /// Erases the rows of an account that has many, a few at a time.
  private func eraseRows(of account: AccountID) async throws {
    let limits = StepLimits(first: Self.firstStep, max: erasure.rowsPerTransaction)
    let position = Erasure.Position()
    try await store.writeInSteps(of: "erasure", limits, willStep: { pulse.promise(within: Self.round) }) { [erasure] in
      try erasure.step(account, rows: $0, from: position, $1)
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

  /// Cleans the store's files and records that nothing is left of the accounts, so that a failed confirmation does not repeat it.
  ///
  /// - Returns: false if the files cannot be cleaned yet.
  private func noteCleaning(of accounts: Set<AccountID>) async throws -> Bool {
    let isClean = try await attempt {
      guard try await store.cleanFiles() else { throw Failure(RequestFailure.unavailable) }
    }
    guard isClean else { return false }
    try await store.write { transaction in
      for account in accounts { try transaction.noteCleaning(of: account) }
    }
    return true
  }

  private func warnIfOverdue(_ erasure: ErasedAccount) {
    let due = erasure.erasedAt.adding(seconds: cleanSeconds)
    guard due < clock.now else { return }
    logger.error("deleted data has been in the files for longer than allowed", metadata: ["since": "\(erasure.erasedAt)"])
  }
}
