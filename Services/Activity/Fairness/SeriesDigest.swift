/// What a transaction does to a day's samples of steps as a series, whatever their ids and sources and in whatever order they came: a sum of
/// their hashes, from which a deleted sample is taken again, and a sketch of what is new. Samples of 0 are left out: who does not move does
/// so like everybody.
struct SeriesDigest: Hashable, Sendable {
  private(set) var sum: UInt64 = 0
  private(set) var samples = 0
  /// Of those that were added.
  private(set) var sketch = SeriesSketch()
  /// Those that were taken away.
  private(set) var removed: [SeriesSketch.Item] = []

  mutating func add(_ spread: Spread) {
    guard spread.amount > 0 else { return }
    sum &+= SeriesDigest.hash(spread)
    samples += 1
    sketch.insert(spread)
  }

  mutating func add(_ other: SeriesDigest) {
    sum &+= other.sum
    samples += other.samples
    sketch.formUnion(other.sketch)
    removed += other.removed
  }

  /// Whether nothing was added, nor taken away.
  var isEmpty: Bool { sum == 0 && samples == 0 }

  mutating func remove(_ spread: Spread) {
    guard spread.amount > 0 else { return }
    sum &-= SeriesDigest.hash(spread)
    samples -= 1
    removed.append(SeriesSketch.item(spread))
  }

  private static func hash(_ spread: Spread) -> UInt64 {
    SplitMix64.hash(UInt64(bitPattern: spread.from), UInt64(bitPattern: spread.until), UInt64(spread.amount))
  }
}
