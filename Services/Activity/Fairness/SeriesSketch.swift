import Operations

/// A small sample of a day's step samples, for estimating how much of them another day shares: those with the lowest hashes, which are as
/// good as random and are chosen alike on every day (a bottom-k sketch; Cohen and Kaplan, 2007). For a day with few samples it contains all
/// of them.
///
/// It depends only on the samples, not on their order. A sample is identified by its times and its amount; for one that lasts a minute or
/// more the times are rounded to the nearest third of a minute, so that shifting the clock by a second does not change it.
struct SeriesSketch: Hashable, Sendable {
  /// The maximum number of samples: enough to estimate a share within about six per cent.
  static let maximum = 64

  struct Item: Hashable, Sendable {
    /// The hash, with the UTC day in the bits above it, so that an index of keys grows at one end.
    let key: UInt64
    let amount: UInt32

    /// The hash alone.
    var rank: UInt64 { key & Item.ranks }

    fileprivate static let ranks: UInt64 = 1 << 48 - 1
  }

  /// Sorted by rank.
  private(set) var items: [Item] = []

  /// How much of a day another one shares.
  struct Overlap: Hashable, Sendable {
    var samples = 0
    var amount = 0
    var sharedSamples = 0
    var sharedAmount = 0
  }

  init() {}

  mutating func insert(_ spread: Spread) { insert(SeriesSketch.item(spread)) }

  mutating func formUnion(_ other: SeriesSketch) {
    for item in other.items { insert(item) }
  }

  func contains(rankOf item: Item) -> Bool { contains(item.rank) }

  /// Estimates how much of the day is in any of the others.
  func overlap(with others: [SeriesSketch]) -> Overlap {
    // Beyond the last rank of a full sketch it is unknown what else its day has.
    let end = others.filter { $0.items.count == SeriesSketch.maximum }.compactMap(\.items.last?.rank).min() ?? .max
    let known = Set(others.flatMap { $0.items.map(\.key) })
    var overlap = Overlap()
    for item in items where item.rank <= end {
      overlap.samples += 1
      overlap.amount += Int(item.amount)
      guard known.contains(item.key) else { continue }
      overlap.sharedSamples += 1
      overlap.sharedAmount += Int(item.amount)
    }
    return overlap
  }

  private mutating func insert(_ item: Item) {
    if items.count == SeriesSketch.maximum, let last = items.last, item.rank >= last.rank { return }
    let index = index(of: item.rank)
    if index < items.count, items[index].rank == item.rank { return }
    items.insert(item, at: index)
    if items.count > SeriesSketch.maximum { items.removeLast() }
  }

  private func contains(_ rank: UInt64) -> Bool {
    let index = index(of: rank)
    return index < items.count && items[index].rank == rank
  }

  /// The index of the first item with that rank or a higher one.
  private func index(of rank: UInt64) -> Int {
    var (low, high) = (0, items.count)
    while low < high {
      let middle = (low + high) / 2
      if items[middle].rank < rank { low = middle + 1 } else { high = middle }
    }
    return low
  }

  static func item(_ spread: Spread) -> Item {
    var (from, until) = (spread.from, spread.until)
    if until - from >= 60_000 { (from, until) = (nearest(from), nearest(until)) }
    let day = UInt64(truncatingIfNeeded: from.floorDivided(by: 86_400_000))
    let hash = SplitMix64.hash(UInt64(bitPattern: from), UInt64(bitPattern: until), UInt64(spread.amount))
    return Item(key: day << 48 | hash & Item.ranks, amount: UInt32(clamping: spread.amount))
  }

  private static func nearest(_ time: Int64) -> Int64 { (time + 10_000).floorDivided(by: 20_000) * 20_000 }
}

extension SeriesSketch {
  private static let itemBytes = 12

  /// Creates a sketch from its stored form: 12 bytes an item, the lowest first.
  init(bytes: [UInt8]) {
    items = stride(from: 0, to: bytes.count, by: SeriesSketch.itemBytes).map { start in
      func number(_ range: Range<Int>) -> UInt64 { bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
      return Item(key: number(start..<start + 8), amount: UInt32(truncatingIfNeeded: number(start + 8..<start + 12)))
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.count * SeriesSketch.itemBytes)
    for item in items {
      withUnsafeBytes(of: item.key.littleEndian) { bytes.append(contentsOf: $0) }
      withUnsafeBytes(of: item.amount.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }
}

/// The finalizer of SplitMix64, applied to several numbers in turn: deterministic across processes.
enum SplitMix64 {
  static func hash(_ first: UInt64, _ second: UInt64, _ third: UInt64) -> UInt64 {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    for number in [first, second, third] {
      hash = (hash ^ number) &+ 0x9E37_79B9_7F4A_7C15
      hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
      hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
      hash ^= hash >> 31
    }
    return hash
  }
}
