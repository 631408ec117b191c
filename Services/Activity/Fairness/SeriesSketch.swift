import Operations

/// A small part of a day's samples of steps, from which it is estimated how much of them another day has: those with the lowest hashes, which are
/// as good as drawn by lot, and drawn alike on every day (a bottom-k sketch; Cohen and Kaplan, 2007). Of a day of few samples it is all of
/// them.
///
/// It depends on the samples alone, in whatever order they came. A sample counts by its times and its amount; of one that lasts a minute or
/// more, the times count to the nearest third of a minute, so that it stays what it is when the clock is put a second on.
struct SeriesSketch: Hashable, Sendable {
  /// How many samples it holds at most: enough to estimate a share within some six hundredths.
  static let maximum = 64

  struct Item: Hashable, Sendable {
    /// The hash, and above it the day of UTC, which lets an index of them grow at one end.
    let key: UInt64
    let amount: UInt32

    /// The hash alone.
    var rank: UInt64 { key & Item.ranks }

    fileprivate static let ranks: UInt64 = 1 << 48 - 1
  }

  /// In the order of their ranks.
  private(set) var items: [Item] = []

  /// How much of a day another has.
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

  /// How much of it, as far as can be estimated, is in any of the others.
  func overlap(with others: [SeriesSketch]) -> Overlap {
    // Beyond the last rank of one that is full it is not known what else its day has.
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

  /// Where the first item of that rank or a higher one stands.
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

  /// From what a store keeps: 12 bytes an item, the lowest first.
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

/// The finalizer of SplitMix64 over some numbers, one after the other: the same in every process.
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
