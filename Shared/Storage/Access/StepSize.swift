/// How much the next of many steps does, so that each takes about as long as others may wait for it, whatever the disk does meanwhile.
struct StepSize: Sendable {
  /// Of the next step.
  private(set) var count: Int
  private let max: Int
  private let target: Duration
  /// The last step and its commit.
  private var last: (count: Int, commit: Duration)?
  /// What any commit takes, however little was done, as two steps of different sizes show it; zero until there were two.
  private var overhead = Duration.zero

  /// - Parameters:
  ///   - first: of the first step.
  ///   - max: of any step.
  ///   - target: how long a step is to take.
  init(first: Int, max: Int, target: Duration) {
    (count, self.max, self.target) = (min(first, max), max, target)
  }

  /// Learns from a step: one that took too long makes the next ones smaller, by as much as it took longer; one that took
  /// less than half of what it may lets the next be twice as large.
  ///
  /// Where commits take long however little was done, smaller steps would barely shorten others' waits, and there would be many more of them: then
  /// a step may take as long for its rows as such a commit does.
  ///
  /// - Parameter commit: how much of it was its commit.
  mutating func took(_ duration: Duration, commit: Duration = .zero) {
    if let last, last.count != count {
      // The line through both steps.
      let perRow = (commit - last.commit) / (count - last.count)
      overhead = Swift.max(.zero, min(commit - perRow * count, commit, last.commit))
    }
    last = (count, commit)
    let rows = Swift.max(duration - overhead, .nanoseconds(1))
    let share = Swift.max(target - overhead, overhead) / rows
    if share < 1 {
      count = Swift.max(1, Int(Double(count) * share))
    } else if share > 2 {
      count = min(count * 2, max)
    }
  }
}
