/// The effect of a transaction on a day's samples of steps as a series, whatever their ids, sources and order: a sum of their hashes, from
/// which a deleted sample is subtracted, and a sketch of the new samples. Samples of 0 are left out, because standing still looks the same
/// for everybody.
struct SeriesDigest: Hashable, Sendable {
  private(set) var sum: UInt64 = 0
  private(set) var samples = 0
  /// The sketch of the added samples.
  private(set) var sketch = SeriesSketch()
  /// The removed samples.
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

  /// Whether nothing was added or removed.
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
