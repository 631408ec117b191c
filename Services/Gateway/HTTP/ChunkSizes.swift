import NIOCore

/// The sizes that a body in chunks announces (RFC 9112, section 7.1), read beside the parser that reads the body itself.
struct ChunkSizes {
  enum Outcome: Hashable {
    /// Nothing is wrong so far.
    case fine
    /// The body is announced to be larger than it may be.
    case tooLarge
    /// What comes behind a chunk is none; what to say of it is the parser's.
    case unreadable
  }

  private enum Place {
    case size
    /// Behind the size up to the end of its line.
    case line
    /// So many bytes of a chunk are still to come, then the end of its line.
    case chunk(Int)
    /// Behind the last chunk, or behind what is none.
    case end(Outcome)
  }

  private let max: Int
  private var place = Place.size
  private var size = 0
  /// Bytes of the chunks before.
  private var total = 0

  /// - Parameter max: bytes of the largest body.
  init(max: Int) { self.max = max }

  /// Reads on.
  mutating func read(_ bytes: some Collection<UInt8>) -> Outcome {
    var rest = bytes[...]
    while let byte = rest.first {
      switch place {
      case .size:
        rest = rest.dropFirst()
        if let digit = ChunkSizes.digit(byte) {
          size = size * 16 + digit
          // Further digits only make it larger.
          if size > max - total { place = .end(.tooLarge) }
        } else {
          place = .line
          if byte == UInt8(ascii: "\n") { beginChunk() }
        }
      case .line:
        rest = rest.dropFirst()
        if byte == UInt8(ascii: "\n") { beginChunk() }
      case .chunk(let left) where left > 0:
        let count = min(left, rest.count)
        rest = rest.dropFirst(count)
        place = .chunk(left - count)
      case .chunk:
        rest = rest.dropFirst()
        switch byte {
        case UInt8(ascii: "\r"): break
        case UInt8(ascii: "\n"): place = .size
        default: place = .end(.unreadable)
        }
      case .end(let outcome): return outcome
      }
    }
    if case .end(let outcome) = place { return outcome }
    return .fine
  }

  private mutating func beginChunk() {
    total += size
    place = size == 0 ? .end(.fine) : .chunk(size)
    size = 0
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30
    case 0x41...0x46: Int(byte) - 0x41 + 10
    case 0x61...0x66: Int(byte) - 0x61 + 10
    default: nil
    }
  }
}

/// Where in what a parser reads the head of a request ends, of which the parser says only that it did.
struct HeadTracker {
  /// The last bytes of a head of which the rest is still to come, and whether it has begun: blank lines before it are none of its end.
  private var tail: [UInt8] = []
  private var hasBegun = false
  /// A request ended somewhere in what was read last, and the next one may have begun there.
  private var isUnclear = false
  /// A request's body is arriving.
  private var isInBody = false
  private var wasInBody = false
  /// Heads that arrived in what is being read.
  private var count = 0

  /// Some bytes are about to be read.
  mutating func begin() {
    count = 0
    wasInBody = isInBody
  }

  mutating func headArrived() {
    count += 1
    isInBody = true
  }

  mutating func requestArrived() { isInBody = false }

  /// What of the bytes that were read belongs to the body that is arriving; nil where that is not known.
  mutating func end(_ bytes: ByteBufferView) -> ByteBufferView? {
    guard isInBody || count > 0 || wasInBody else {
      // Within a head.
      note(bytes)
      return nil
    }
    defer { (tail, hasBegun, isUnclear) = ([], false, !isInBody) }
    if wasInBody, count == 0 { return isInBody ? bytes : nil }
    guard isInBody, !wasInBody, count == 1 else { return nil }
    return body(behind: bytes)
  }

  private mutating func note(_ bytes: ByteBufferView) {
    let rest = hasBegun ? bytes[...] : bytes.drop { HeadTracker.isLineEnd($0) }
    hasBegun = hasBegun || !rest.isEmpty
    tail = Array((tail + rest.suffix(2)).suffix(2))
  }

  /// What is behind the first line without anything in it.
  private func body(behind bytes: ByteBufferView) -> ByteBufferView? {
    let head = hasBegun ? bytes[...] : bytes.drop { HeadTracker.isLineEnd($0) }
    guard !isUnclear || !hasBegun && HeadTracker.beginsRequest(head) else { return nil }
    // Whether the bytes before are the end of a line and perhaps half of the next one's.
    var isLineEmpty = tail.last == UInt8(ascii: "\n") || tail.elementsEqual("\n\r".utf8)
    for index in head.indices {
      switch head[index] {
      case UInt8(ascii: "\n"):
        if isLineEmpty { return head[head.index(after: index)...] }
        isLineEmpty = true
      case UInt8(ascii: "\r"): break
      default: isLineEmpty = false
      }
    }
    return nil
  }

  /// Whether its first line is that of a request (RFC 9112, section 3).
  private static func beginsRequest(_ bytes: ByteBufferView) -> Bool {
    let line = bytes.prefix { !isLineEnd($0) }
    return line.count > 9 && line.suffix(9).elementsEqual(" HTTP/1.1".utf8)
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") }
}
