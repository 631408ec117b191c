import NIOCore
import NIOHTTP1

/// What is known of a request whose head the parser refused, from the bytes that the parser was reading.
///
/// The bytes may include whole requests before the broken one: where a field occurs several times, the last one counts, as the nearest to
/// the fault.
struct BrokenHead {
  private(set) var acceptLanguage: String?
  private(set) var namesCoding = false
  /// Whether a line begins a request with an unknown method.
  private(set) var namesUnknownMethod = false

  init(_ bytes: ByteBuffer?) {
    for line in bytes?.readableBytesView.split(separator: UInt8(ascii: "\n")) ?? [] {
      if BrokenHead.hasUnknownMethod(line) { namesUnknownMethod = true }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = String(decoding: line[..<colon], as: UTF8.self)
      if name.isField("accept-language") {
        acceptLanguage = String(decoding: line[line.index(after: colon)...].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
          .filter { !$0.isNewline }
      } else if name.isField("transfer-encoding") {
        namesCoding = true
      }
    }
  }

  /// Whether the line is a request line (RFC 9112, section 3) with a method that the parser does not know.
  private static func hasUnknownMethod(_ line: ByteBufferView) -> Bool {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, parts[2].starts(with: "HTTP/1.".utf8) else { return false }
    let isToken = parts[0].allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
    guard isToken, case .RAW = HTTPMethod(rawValue: String(decoding: parts[0], as: UTF8.self)) else { return false }
    return true
  }
}
