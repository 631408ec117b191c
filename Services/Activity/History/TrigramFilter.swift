import Operations

/// The trigrams of some texts as a Bloom filter with one hash (B. Bloom, 'Space/time trade-offs in hash coding with allowable errors',
/// 1970). It never misses a text that is present; a few per cent of its positive answers are wrong.
struct TrigramFilter: Hashable, Sendable {
  /// The size in bytes, chosen so that a row with a filter fits into a page of the store.
  static let size = 3_840

  private(set) var bytes: [UInt8]

  init() { bytes = Array(repeating: 0, count: TrigramFilter.size) }

  /// Creates a filter from its stored form.
  init(bytes: [UInt8]) {
    precondition(bytes.count == TrigramFilter.size)
    self.bytes = bytes
  }

  /// Adds the trigrams of a folded text.
  mutating func insert(folded text: String) {
    TrigramFilter.eachBit(of: text) { bytes[$0 >> 3] |= 1 << UInt8($0 & 7) }
  }

  /// Whether a text with these bits may have been inserted.
  func mayHold(_ bits: Set<Int>) -> Bool {
    bits.allSatisfy { bytes[$0 >> 3] & (1 << UInt8($0 & 7)) != 0 }
  }

  /// The bits of a text to search for; empty where it has fewer than three characters.
  static func bits(of text: FoldedText) -> Set<Int> {
    var bits: Set<Int> = []
    eachBit(of: text.description) { bits.insert($0) }
    return bits
  }

  /// Works scalar by scalar, as texts are compared. Filters are stored, so the bits must not change.
  private static func eachBit(of text: String, _ body: (Int) -> Void) {
    /// Three scalars of 21 bits.
    var trigram: UInt64 = 0
    for (index, scalar) in text.unicodeScalars.enumerated() {
      trigram = ((trigram << 21) | UInt64(scalar.value)) & ((1 << 63) - 1)
      if index < 2 { continue }
      // Fibonacci hashing (Knuth, TAOCP volume 3, section 6.4); the upper half is scaled to the range.
      let hash = (trigram &* 0x9E37_79B9_7F4A_7C15) >> 32
      body(Int((hash * UInt64(size * 8)) >> 32))
    }
  }
}
