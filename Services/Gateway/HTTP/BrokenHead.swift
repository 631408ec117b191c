import NIOCore

/// What can be told of a request whose head the parser refused, from the bytes it was reading.
///
/// The bytes may hold whole requests before it: of several fields the last counts, the one nearest to the fault.
struct BrokenHead {
  private(set) var acceptLanguage: String?
  private(set) var namesCoding = false

  init(_ bytes: ByteBuffer?) {
    for line in bytes?.readableBytesView.split(separator: UInt8(ascii: "\n")) ?? [] {
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
}
