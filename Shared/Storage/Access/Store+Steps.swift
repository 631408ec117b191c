import Operations

/// The bounds of long work that is done in steps.
public struct StepLimits: Hashable, Sendable {
  /// How much the first step does, and any step at most, in rows or whatever the steps count.
  public var first: Int
  public var max: Int
  /// How long a step is to take: others' writes wait for it. Steps that take longer are made smaller, those that take less than four fifths of it
  /// larger. Where any step takes most of that, however little it does, one may take twice as long as that.
  public var target = Duration.milliseconds(15)

  public init(first: Int, max: Int) { (self.first, self.max) = (first, max) }
}

extension Store {
  /// Does in steps what would keep others' writes waiting, each in a transaction of its own; between them the store is left to others for as
  /// long as the step took. What is left to do must lie in the store, so that a process which was killed between two steps goes on where it was.
  ///
  /// - Parameters:
  ///   - owner: whose work it is: large writes of several owners take turns.
  ///   - willStep: called before each step.
  ///   - step: does so much of it, and returns whether there may be more.
  /// - Throws: what the step throws, or as ``write(traceparent:usingReserve:largeOf:_:)``.
  public func writeInSteps(
    of owner: String, _ limits: StepLimits, willStep: () -> Void = {},
    _ step: @escaping @Sendable (_ count: Int, Transaction) throws -> Bool
  ) async throws {
    var size = StepSize(first: limits.first, max: limits.max, target: limits.target)
    while true {
      willStep()
      let count = size.count
      // Without the wait for its turn, but with the commit, and the checkpoint that may come of it: others wait for those too.
      let (start, isMore): (ContinuousClock.Instant, Bool)
      do {
        (start, isMore) = try await write(largeOf: owner) { (ContinuousClock.now, try step(count, $0)) }
      } catch let failure as Failure where failure.status == RequestFailure.overloaded.status && !failure.isOfStorage {
        // Others come first.
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
