/// Writes the messages between a decoder and its caller: numbers in little-endian order, texts and bytes after their length.
public struct ByteWriter {
  public private(set) var bytes: [UInt8] = []

  public init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

  public mutating func byte(_ value: UInt8) { bytes.append(value) }

  public mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

  public mutating func number(_ value: Int) { append(UInt64(bitPattern: Int64(value)), count: 8) }

  public mutating func number(_ value: UInt64) { append(value, count: 8) }

  /// A number of 0...2^32-1, in four bytes.
  public mutating func short(_ value: Int) { append(UInt64(truncatingIfNeeded: value), count: 4) }

  public mutating func number(_ value: Double) { append(value.bitPattern, count: 8) }

  public mutating func text(_ value: String) {
    short(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  public mutating func bytes(_ value: [UInt8]) {
    short(value.count)
    bytes.append(contentsOf: value)
  }

  /// Whether there is a value, followed by the value.
  public mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
    flag(value != nil)
    if let value { write(&self, value) }
  }

  private mutating func append(_ value: UInt64, count: Int) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0.prefix(count)) }
  }
}

/// Reads what ``ByteWriter`` wrote, without trusting it.
///
/// Input that ends too early, has a length beyond its limit or a number outside its range is ``DecoderFault/malformed``.
public struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Ends the reading.
  ///
  /// - Throws: if bytes are left.
  public func end() throws(DecoderFault) { guard position == bytes.count else { throw .malformed } }

  public mutating func byte() throws(DecoderFault) -> UInt8 {
    guard position < bytes.count else { throw .malformed }
    defer { position += 1 }
    return bytes[position]
  }

  public mutating func flag() throws(DecoderFault) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw .malformed
    }
  }

  public mutating func number(in range: ClosedRange<Int>) throws(DecoderFault) -> Int {
    let value = Int(Int64(bitPattern: try fixed(8)))
    guard range.contains(value) else { throw .malformed }
    return value
  }

  /// Any 64 bits.
  public mutating func bits() throws(DecoderFault) -> UInt64 { try fixed(8) }

  public mutating func short(in range: ClosedRange<Int>) throws(DecoderFault) -> Int {
    let value = Int(try fixed(4))
    guard range.contains(value) else { throw .malformed }
    return value
  }

  public mutating func number(in range: ClosedRange<Double>) throws(DecoderFault) -> Double {
    let value = Double(bitPattern: try fixed(8))
    guard range.contains(value) else { throw .malformed }
    return value
  }

  /// A text of UTF-8 of at most so many bytes.
  public mutating func text(maxBytes: Int) throws(DecoderFault) -> String {
    guard let text = String(validating: try slice(maxBytes), as: UTF8.self) else { throw .malformed }
    return text
  }

  public mutating func bytes(maxCount: Int) throws(DecoderFault) -> [UInt8] { Array(try slice(maxCount)) }

  public mutating func optional<Value>(
    _ read: (inout ByteReader) throws(DecoderFault) -> Value
  ) throws(DecoderFault) -> Value? {
    try flag() ? try read(&self) : nil
  }

  private mutating func slice(_ max: Int) throws(DecoderFault) -> ArraySlice<UInt8> {
    let count = try short(in: 0...max)
    guard count <= bytes.count - position else { throw .malformed }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func fixed(_ count: Int) throws(DecoderFault) -> UInt64 {
    guard bytes.count - position >= count else { throw .malformed }
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(bytes[position + index]) << UInt64(index * 8) }
    position += count
    return value
  }
}
