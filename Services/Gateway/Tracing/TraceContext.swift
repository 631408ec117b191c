import Synchronization

/// W3C trace context, level 1: the `traceparent` header, version 00.
struct TraceContext: Sendable, Hashable {
  let traceHigh: UInt64
  let traceLow: UInt64
  let flags: UInt8

  /// A new trace.
  init() {
    traceHigh = TraceNumbers.next()
    traceLow = TraceNumbers.next()
    flags = 1
  }

  /// The caller's trace, or nil where its header is not one (then a new trace begins, as section 3.2.2.1 asks).
  init?(traceparent: String) {
    let bytes = Array(traceparent.utf8)
    guard bytes.count == 55 || (bytes.count > 55 && bytes[55] == UInt8(ascii: "-") && !bytes.starts(with: Array("00".utf8))),
      bytes.count <= 128, bytes[2] == UInt8(ascii: "-"), bytes[35] == UInt8(ascii: "-"), bytes[52] == UInt8(ascii: "-"),
      let version = TraceContext.hex(bytes[0..<2]), version != 0xFF, let high = TraceContext.hex(bytes[3..<19]),
      let low = TraceContext.hex(bytes[19..<35]), high | low != 0, let parent = TraceContext.hex(bytes[36..<52]), parent != 0,
      let flags = TraceContext.hex(bytes[53..<55])
    else { return nil }
    traceHigh = high
    traceLow = low
    self.flags = UInt8(flags) & 1
  }

  /// Only lower-case digits are valid.
  private static func hex(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      switch digit {
      case 0x30...0x39: value = value << 4 | UInt64(digit - 0x30)
      case 0x61...0x66: value = value << 4 | UInt64(digit - 0x57)
      default: return nil
      }
    }
    return value
  }

  /// The 32 digits by which logs name the trace.
  var traceID: String { String(unsafeUninitializedCapacity: 32) { TraceContext.write(traceHigh, traceLow, $0, at: 0) } }

  /// The header for what this process calls: the same trace, a new parent.
  func nextTraceparent() -> String {
    let span = TraceNumbers.next()
    return String(unsafeUninitializedCapacity: 55) { buffer in
      buffer[0] = UInt8(ascii: "0")
      buffer[1] = UInt8(ascii: "0")
      buffer[2] = UInt8(ascii: "-")
      _ = TraceContext.write(traceHigh, traceLow, buffer, at: 3)
      buffer[35] = UInt8(ascii: "-")
      TraceContext.write(span, buffer, at: 36)
      buffer[52] = UInt8(ascii: "-")
      buffer[53] = UInt8(ascii: "0")
      buffer[54] = UInt8(ascii: "0") + flags
      return 55
    }
  }

  private static func write(_ high: UInt64, _ low: UInt64, _ buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
    write(high, buffer, at: start)
    write(low, buffer, at: start + 16)
    return 32
  }

  private static func write(_ value: UInt64, _ buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
    for index in 0..<16 {
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * index)) & 0xF
      buffer[start + index] = digit < 10 ? 0x30 + digit : 0x57 + digit
    }
  }
}

/// Numbers for traces and their spans: never 0, unique within a process, and without a pattern across processes. They are names and not
/// secrets: a system call for each, as the system's random numbers need, would be a good part of a request's cost.
enum TraceNumbers {
  private static let state = Atomic(UInt64.random(in: .min ... .max))

  /// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
  static func next() -> UInt64 {
    var number = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
    number ^= number >> 31
    return number == 0 ? next() : number
  }
}
