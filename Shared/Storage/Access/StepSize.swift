/// How much the next of many steps does, so that each takes about as long as others may wait for it, whatever the disk does meanwhile.
struct StepSize: Hashable, Sendable {
  /// Of the next step.
  private(set) var count: Int
  private let max: Int
  private let target: Duration

  /// - Parameters:
  ///   - first: of the first step.
  ///   - max: of any step.
  ///   - target: how long a step is to take.
  init(first: Int, max: Int, target: Duration) {
    (count, self.max, self.target) = (min(first, max), max, target)
  }

  /// Learns from a step: one that took too long makes the next ones smaller, by as much as it took longer; one that took
  /// less than half of what it may lets the next be twice as large.
  mutating func took(_ duration: Duration) {
    if duration > target {
      count = Swift.max(1, Int(Double(count) * (target / duration)))
    } else if duration * 2 < target {
      count = min(count * 2, max)
    }
  }
}
