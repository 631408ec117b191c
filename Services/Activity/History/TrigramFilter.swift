import Operations

/// Which three characters in a row some texts have: a Bloom filter with one hash (B. Bloom, 'Space/time trade-offs in hash coding with
/// allowable errors', 1970). It never denies a text that is there; that one is there it says wrongly of a few in a hundred.
struct TrigramFilter: Hashable, Sendable {
  /// How many bytes it has, so that a row with it fits into a page of the store.
  static let size = 3_840

  private(set) var bytes: [UInt8]

  init() { bytes = Array(repeating: 0, count: TrigramFilter.size) }

  /// One as it was kept.
  init(bytes: [UInt8]) {
    precondition(bytes.count == TrigramFilter.size)
    self.bytes = bytes
  }

  /// Takes a text in, as it is compared with what is looked for.
  mutating func insert(folded text: String) {
    TrigramFilter.eachBit(of: text) { bytes[$0 >> 3] |= 1 << UInt8($0 & 7) }
  }

  /// Whether a text with these bits may be among those taken in.
  func mayHold(_ bits: Set<Int>) -> Bool {
    bits.allSatisfy { bytes[$0 >> 3] & (1 << UInt8($0 & 7)) != 0 }
  }

  /// The bits of a text that is looked for; none where it is shorter than three characters.
  static func bits(of text: FoldedText) -> Set<Int> {
    var bits: Set<Int> = []
    eachBit(of: text.description) { bits.insert($0) }
    return bits
  }

  /// Scalar by scalar, as texts are compared. The bits are kept: they must not change.
  private static func eachBit(of text: String, _ body: (Int) -> Void) {
    /// Three scalars of 21 bits.
    var trigram: UInt64 = 0
    for (index, scalar) in text.unicodeScalars.enumerated() {
      trigram = ((trigram << 21) | UInt64(scalar.value)) & ((1 << 63) - 1)
      if index < 2 { continue }
      // Fibonacci hashing (Knuth, TAOCP volume 3, section 6.4), and its upper half brought into the range.
      let hash = (trigram &* 0x9E37_79B9_7F4A_7C15) >> 32
      body(Int((hash * UInt64(size * 8)) >> 32))
    }
  }
}
