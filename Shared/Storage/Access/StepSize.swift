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
  /// How many steps in a row were of this size.
  private var repeated = 0

  /// - Parameters:
  ///   - first: of the first step.
  ///   - max: of any step.
  ///   - target: how long a step is to take.
  init(first: Int, max: Int, target: Duration) {
    (count, self.max, self.target) = (min(first, max), max, target)
  }

  /// Learns from a step: one that took too long makes the next ones smaller, by as much as it took longer; one that took
  /// less than four fifths of what it may lets the next be larger by as much, twice as large at most.
  ///
  /// Where commits take long however little was done, smaller steps would barely shorten others' waits, and there would be many more of them: then
  /// a step may take as long for its rows as such a commit does. To learn that, the second step is larger than the first where that did not take
  /// too long, however little is left; and after many of one size comes a smaller one, for what two commits by chance took would else be believed for
  /// ever.
  ///
  /// - Parameter commit: how much of it was its commit.
  mutating func took(_ duration: Duration, commit: Duration = .zero) {
    if let last, last.count != count {
      // The line through both steps.
      let perRow = (commit - last.commit) / (count - last.count)
      overhead = Swift.max(.zero, min(commit - perRow * count, commit, last.commit))
    }
    let isFirst = last == nil
    last = (count, commit)
    let rows = Swift.max(duration - overhead, .nanoseconds(1))
    let share = Swift.max(target - overhead, overhead) / rows
    let former = count
    if share < 1 {
      count = Swift.max(1, Int(Double(count) * share))
    } else if isFirst || share > 1.25 {
      let larger = Int(Double(count) * Swift.max(1.25, min(share, 2)))
      count = min(isFirst ? Swift.max(count + 1, larger) : larger, max)
    }
    repeated = count == former ? repeated + 1 : 0
    if repeated == Self.maxRepeated, count > 1 {
      count -= Swift.max(1, count / 4)
      repeated = 0
    }
  }

  private static let maxRepeated = 16
}
