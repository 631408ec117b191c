import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An identifier of one kind of thing: a UUID of version 7 (RFC 9562, section 5.7), so that newer ones sort last.
///
/// The phantom type keeps an account's id from being used where a session's is meant: `typealias AccountID = ID<Account>`.
public struct ID<Entity>: TextValue, Comparable {
  package let high: UInt64
  package let low: UInt64

  /// The 16 bytes in network order, as the stores keep them.
  public var bytes: [UInt8] {
    var bytes = [UInt8]()
    bytes.reserveCapacity(16)
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: high >> UInt64(shift))) }
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: low >> UInt64(shift))) }
    return bytes
  }

  /// An id from its 16 bytes, or nil if there are not 16.
  public init?(bytes: some Collection<UInt8>) {
    // Reads contiguous storage at once, without a call for each byte.
    let found = bytes.withContiguousStorageIfAvailable { Self(bigEndian: UnsafeRawBufferPointer($0)) }
    guard let id = found ?? Array(bytes).withUnsafeBytes(Self.init(bigEndian:)) else { return nil }
    self = id
  }

  /// An id from its 16 bytes in network order, or nil if there are not 16.
  package init?(bigEndian bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// A fresh id, later than every id this process made before.
  public init() {
    (high, low) = UUIDv7.next()
  }

  public init(text: String) throws(FieldRule) {
    var text = text
    guard let value = text.withUTF8(Self.read) else { throw FieldRule("not_an_id") }
    self = value
  }

  public init(utf8: UnsafeBufferPointer<UInt8>) throws(FieldRule) {
    guard let value = Self.read(utf8) else { throw FieldRule("not_an_id") }
    self = value
  }

  private static func read(_ utf8: UnsafeBufferPointer<UInt8>) -> Self? {
    guard utf8.count == 36 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    for position in 0..<36 {
      let byte = utf8[position]
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt64
      switch byte {
      case 0x30...0x39: digit = UInt64(byte - 0x30)
      case 0x61...0x66: digit = UInt64(byte - 0x61 + 10)
      case 0x41...0x46: digit = UInt64(byte - 0x41 + 10)
      default: return nil
      }
      if position < 19 { halves.0 = halves.0 << 4 | digit } else { halves.1 = halves.1 << 4 | digit }
    }
    return Self(high: halves.0, low: halves.1)
  }

  public var description: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var position = 0
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          buffer[position] = UInt8(ascii: "-")
          position += 1
        }
        let word = index < 16 ? high : low
        let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - (index % 16) * 4)) & 0xF
        buffer[position] = nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
        position += 1
      }
      return 36
    }
  }

  /// When the id was made, to the millisecond.
  public var instant: Instant { Instant(milliseconds: Int64(high >> 16)) }

  public static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }

  public static var placeholder: Self { Self(high: 0, low: 0) }

  public static var schema: JSON { ["type": "string", "format": "uuid"] }

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// Makes the two halves of a UUIDv7: 48 bits of milliseconds, a 12-bit counter, 62 random bits.
enum UUIDv7 {
  private static let last = Mutex<UInt64>(0)

  static func next() -> (high: UInt64, low: UInt64) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let milliseconds = UInt64(now.tv_sec) * 1000 + UInt64(now.tv_nsec) / 1_000_000
    let random = UInt64.random(in: .min ... .max)
    // The millisecond and the counter as one number: a full counter or a clock that went back just continue it.
    let stamp = last.withLock { last in
      last = max(last + 1, milliseconds << 12)
      return last
    }
    let high = (stamp >> 12) << 16 | 0x7000 | (stamp & 0xFFF)
    return (high, random & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}
