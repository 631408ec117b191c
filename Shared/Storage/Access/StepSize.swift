/// Chooses the size of each of many steps so that a step takes about as long as others may wait for it, however fast the disk is.
public struct StepSize: Sendable {
  /// The size of the next step.
  public private(set) var count: Int
  private let max: Int
  /// In milliseconds, like all durations below.
  private let target: Double
  /// Whether a step may take longer than the target if its overhead is large.
  private let allowsForOverhead: Bool
  private var recent = RecentSteps()
  /// The fixed part of any step's duration, estimated from steps of different sizes; zero until there were two.
  private var overhead = 0.0
  private var isFirst = true
  /// How many steps in a row were of this size.
  private var repeated = 0

  /// - Parameters:
  ///   - first: the size of the first step.
  ///   - max: the largest size of a step.
  ///   - target: how long a step is to take.
  ///   - allowsForOverhead: false if others' waits are to be as short as possible.
  public init(first: Int, max: Int, target: Duration, allowsForOverhead: Bool = true) {
    (count, self.max, self.target) = (min(first, max), max, Double(target.nanoseconds) / 1e6)
    self.allowsForOverhead = allowsForOverhead
  }

  /// Adjusts the size to the duration of a step. After one that took longer than the target, the next is smaller in proportion; after
  /// one that took less than four fifths of it, the next is larger in proportion, but at most twice as large.
  ///
  /// A part of the duration may be overhead, which does not depend on the size, such as a slow disk's commit. Where it is large, smaller
  /// steps would barely shorten others' waits, and there would be many more of them: so the rest of a step may take at least as long as
  /// the overhead. That is estimated from the last steps together, since one alone may take several times as long as another. The
  /// estimate needs steps of different sizes: the second step is larger than the first unless that took too long, and after many steps
  /// of one size the size changes.
  ///
  /// - Parameter done: how much the step did; nil for all of its size. One of less than half of it does not make the next larger.
  public mutating func took(_ duration: Duration, for done: Int? = nil) {
    let duration = Double(duration.nanoseconds) / 1e6
    let done = done ?? count
    if allowsForOverhead {
      recent.add(done, duration)
      // A step that took less shows that the overhead is no larger.
      overhead = Swift.max(0, min(recent.overhead(near: done) ?? overhead, duration))
    }
    let share = Swift.max(target - overhead, overhead) / Swift.max(duration - overhead, 1e-6)
    let former = count
    if share < 1 {
      count = Swift.max(1, min(count, Int(Double(done) * share)))
    } else if 2 * done >= count, isFirst || share > 1.25 {
      let larger = Int(Double(count) * Swift.max(1.25, min(share, 2)))
      count = min(isFirst ? Swift.max(count + 1, larger) : larger, max)
    }
    isFirst = false
    repeated = count == former ? repeated + 1 : 0
    guard allowsForOverhead, repeated == Self.maxRepeated else { return }
    repeated = 0
    count = count > 1 ? count - Swift.max(1, count / 4) : min(2, max)
  }

  private static let maxRepeated = 16
}

/// The sizes and durations of the last steps.
struct RecentSteps: Sendable {
  private var points: [(count: Double, duration: Double)] = []

  mutating func add(_ count: Int, _ duration: Double) {
    if points.count == Self.max { points.removeFirst() }
    points.append((Double(count), duration))
  }

  /// The duration of an empty step, by a least-squares line through the steps of about that size; nil while they are all of one size. Much
  /// larger steps would outweigh all others, though conditions may have been different then.
  func overhead(near count: Int) -> Double? {
    let near = points.filter { $0.count <= 4 * Double(count) && 4 * $0.count >= Double(count) }
    let number = Double(near.count)
    let mean = near.reduce((0.0, 0.0)) { ($0.0 + $1.count / number, $0.1 + $1.duration / number) }
    let variance = near.reduce(0) { $0 + ($1.count - mean.0) * ($1.count - mean.0) }
    guard variance > 0 else { return nil }
    let covariance = near.reduce(0) { $0 + ($1.count - mean.0) * ($1.duration - mean.1) }
    return mean.1 - Swift.max(0, covariance / variance) * mean.0
  }

  private static let max = 24
}
