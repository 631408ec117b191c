import Operations

/// The bounds of long work that is done in steps.
public struct StepLimits: Hashable, Sendable {
  /// The size of the first step and the largest size of any step, in rows or whatever the steps count.
  public var first: Int
  public var max: Int
  /// How long a step is to take, since other writes wait for it. Longer steps are made smaller, steps that take less than four fifths of it
  /// larger. If the overhead alone takes most of it, a step may take twice as long as the overhead.
  public var target = Duration.milliseconds(15)

  public init(first: Int, max: Int) { (self.first, self.max) = (first, max) }
}

extension Store {
  /// Does long work in steps, each in its own transaction, so that other writes need not wait for all of it. Between two steps the store is
  /// left to others for as long as the step took. What remains to be done must be stored, so that the work can continue after the process
  /// was killed between two steps.
  ///
  /// - Parameters:
  ///   - owner: the owner of the work: large writes of several owners take turns.
  ///   - willStep: called before each step.
  ///   - step: does `count` units of the work, and returns whether there may be more.
  /// - Throws: what the step or ``write(traceparent:usingReserve:largeOf:_:)`` throws.
  public func writeInSteps(
    of owner: String, _ limits: StepLimits, willStep: () -> Void = {},
    _ step: @escaping @Sendable (_ count: Int, Transaction) throws -> Bool
  ) async throws {
    var size = StepSize(first: limits.first, max: limits.max, target: limits.target)
    while true {
      willStep()
      let count = size.count
      // Measured without the wait for its turn, but with the commit and the checkpoint that it may cause: others wait for those too.
      let (start, isMore): (ContinuousClock.Instant, Bool)
      do {
        (start, isMore) = try await write(largeOf: owner) { (ContinuousClock.now, try step(count, $0)) }
      } catch let failure as Failure where failure.status == RequestFailure.overloaded.status && !failure.isOfStorage {
        // Other writes come first.
        try await Task.sleep(for: .seconds(1))
        continue
      }
      guard isMore else { return }
      let duration = ContinuousClock.now - start
      size.took(duration)
      try await Task.sleep(for: duration)
    }
  }
}
