/// Makes files that are nearly right out of right ones: the same in every run with the same seed.
public struct Mutator {
  private var generator: SeededGenerator

  /// Numbers at which programs err: signs, carries, sizes.
  private static let edges: [UInt64] = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]

  public init(seed: UInt64) { generator = SeededGenerator(seed) }

  /// A number below that.
  public mutating func below(_ bound: Int) -> Int { bound > 0 ? Int.random(in: 0..<bound, using: &generator) : 0 }

  /// Some changes of a file.
  ///
  /// - Parameters:
  ///   - other: another one, of which pieces are taken.
  ///   - max: how large the outcome may be.
  public mutating func mutated(_ file: [UInt8], with other: [UInt8], max: Int) -> [UInt8] {
    var bytes = file
    for _ in 0...below(6) { change(&bytes, other) }
    if Self.isPNG(bytes), below(4) > 0 { Self.mendChecksums(&bytes) }
    return Array(bytes.prefix(max))
  }

  private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
    guard !bytes.isEmpty else { return bytes.append(contentsOf: other) }
    let offset = below(bytes.count)
    switch below(9) {
    case 0: bytes[offset] ^= 1 << UInt8(below(8))
    case 1: bytes[offset] = UInt8(below(256))
    case 2: put(Self.edges[below(Self.edges.count)], [1, 2, 4][below(3)], isBig: below(2) == 0, &bytes, offset)
    case 3: bytes.removeLast(below(bytes.count))
    case 4: bytes.removeSubrange(piece(of: bytes))
    case 5: bytes.insert(contentsOf: Array(bytes[piece(of: bytes)]), at: offset)
    case 6 where !other.isEmpty: bytes.insert(contentsOf: other[piece(of: other)], at: offset)
    case 7 where !other.isEmpty:
      let piece = other[piece(of: other)].prefix(bytes.count - offset)
      bytes.replaceSubrange(offset..<offset + piece.count, with: piece)
    default: for index in piece(of: bytes) { bytes[index] = UInt8(below(256)) }
    }
  }

  /// A short piece most of the time.
  private mutating func piece(of bytes: [UInt8]) -> Range<Int> {
    let start = below(bytes.count)
    let count = below(min(bytes.count - start, below(4) == 0 ? 4096 : 32)) + 1
    return start..<min(bytes.count, start + count)
  }

  private func put(_ value: UInt64, _ count: Int, isBig: Bool, _ bytes: inout [UInt8], _ offset: Int) {
    for index in 0..<count where offset + index < bytes.count {
      let shift = UInt64(isBig ? count - 1 - index : index) * 8
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
    }
  }

  // MARK: - PNG

  private static func isPNG(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) }

  /// Makes all chunks' checksums right, so that what is wrong comes to whoever looks behind them (ISO/IEC 15948, annex D).
  private static func mendChecksums(_ bytes: inout [UInt8]) {
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard offset + 12 + length <= bytes.count else { return }
      var sum: UInt32 = 0xFFFF_FFFF
      for byte in bytes[(offset + 4)..<(offset + 8 + length)] {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
      }
      sum = ~sum
      for index in 0..<4 { bytes[offset + 8 + length + index] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - index * 8)) }
      offset += 12 + length
    }
  }
}
