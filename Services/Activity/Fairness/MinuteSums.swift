import Operations

/// How much of a day's movement falls into each minute of the clock, over all its samples.
///
/// The sums depend only on what was added, not on the order.
struct MinuteSums: Hashable, Sendable {
  /// Slots are added by the hour, so that the array rarely grows.
  private static let hour: Int64 = 60

  /// The first minute since 1970 that has a slot; a whole hour.
  private(set) var first: Int64
  /// Steps or millimetres; a sum that would overflow stays at the maximum.
  private var sums: [UInt32]

  init() {
    first = 0
    sums = []
  }

  var isEmpty: Bool { sums.isEmpty }

  /// Adds to a minute.
  mutating func add(_ amount: Int, at minute: Int64) {
    guard amount > 0 else { return }
    let index = index(of: minute)
    sums[index] = sums[index].addingAtMost(UInt32(clamping: amount))
  }

  /// Adds the sums of other samples.
  mutating func add(_ other: MinuteSums) {
    guard !other.isEmpty else { return }
    guard !isEmpty else {
      self = other
      return
    }
    _ = index(of: other.first)
    let start = index(of: other.first + Int64(other.sums.count) - 1) - other.sums.count + 1
    for (offset, sum) in other.sums.enumerated() { sums[start + offset] = sums[start + offset].addingAtMost(sum) }
  }

  /// The sum of the minutes that have no more than the maximum, and whether any minute has more.
  func sum(ofMinutesUpTo maximum: Int) -> (sum: Int, isExceeded: Bool) {
    var (sum, isExceeded) = (0, false)
    for minute in sums {
      if Int(minute) > maximum { isExceeded = true } else { sum += Int(minute) }
    }
    return (sum, isExceeded)
  }

  private mutating func index(of minute: Int64) -> Int {
    let start = minute.floorDivided(by: Self.hour) * Self.hour
    if sums.isEmpty { first = start }
    if start < first {
      sums.insert(contentsOf: repeatElement(0, count: Int(first - start)), at: 0)
      first = start
    }
    let missing = Int(start + Self.hour - first) - sums.count
    if missing > 0 { sums.append(contentsOf: repeatElement(0, count: missing)) }
    return Int(minute - first)
  }
}

extension MinuteSums {
  /// Creates the sums from their stored form: four bytes a minute, the lowest first.
  init(first: Int64, bytes: [UInt8]) {
    self.first = first
    sums = stride(from: 0, to: bytes.count, by: 4).map { start in
      bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sums.count * 4)
    for sum in sums { withUnsafeBytes(of: sum.littleEndian) { bytes.append(contentsOf: $0) } }
    return bytes
  }
}

extension UInt32 {
  /// The sum, limited to the maximum value.
  fileprivate func addingAtMost(_ other: UInt32) -> UInt32 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}
