import Operations

/// Text as 7-bit lines of at most 76 characters (RFC 2045, section 6.7).
enum QuotedPrintable {
  private static let longestLine = 76
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Encodes text whose lines end in `\n`; the result's end in CRLF.
  static func encode(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count * 5 / 4)
    let lines = text.split(at: "\n")
    for (index, line) in lines.enumerated() {
      if index > 0 { result += [0x0D, 0x0A] }
      encode(line: Array(line.utf8), into: &result)
    }
    return result
  }

  private static func encode(line: [UInt8], into result: inout [UInt8]) {
    var length = 0
    for (index, byte) in line.enumerated() {
      let isLast = index == line.count - 1
      let isPlain =
        switch byte {
        case UInt8(ascii: "="): false
        // White space at the end of a line gets lost on the way.
        case 0x09, 0x20: !isLast
        default: (0x21...0x7E).contains(byte)
        }
      let width = isPlain ? 1 : 3
      // The last column of a continued line is reserved for the `=`.
      if length + width > longestLine - (isLast ? 0 : 1) {
        result += [UInt8(ascii: "="), 0x0D, 0x0A]
        length = 0
      }
      if isPlain {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
      length += width
    }
  }
}

/// Text of a header field that may hold any character (RFC 2047).
enum EncodedWord {
  /// Most bytes of text in one word, so that its line stays within 76 characters (RFC 2047, section 2): 45 bytes are 60 in base64,
  /// `=?utf-8?B??=` 12, and there is a space before it.
  private static let maxBytes = 45
  /// The same for the first word, which comes after `Subject: `.
  private static let maxFirstBytes = 39

  /// The text itself where it is printable ASCII that cannot be taken for an encoded word; otherwise words in base64.
  static func encode(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?") && text.utf8.count <= 60
    if isPlain { return text }
    var words: [[UInt8]] = [[]]
    for character in text {
      // A character never spans two words, unless it is longer than a word: then none of its scalars does (RFC 2047, section 5).
      let isShort = character.utf8.count <= maxFirstBytes
      for bytes in isShort ? [Array(character.utf8)] : character.unicodeScalars.map({ Array(String($0).utf8) }) {
        let limit = words.count == 1 ? maxFirstBytes : maxBytes
        if words[words.count - 1].count + bytes.count > limit { words.append([]) }
        words[words.count - 1] += bytes
      }
    }
    return words.map { "=?utf-8?B?\(base64($0))?=" }.joined(separator: "\r\n ")
  }

  /// RFC 4648, section 4.
  static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    for group in bytes.pieces(of: 3) {
      let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for position in 0..<4 {
        result.append(position <= group.count ? alphabet[number >> (18 - 6 * position) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension Array {
  fileprivate func pieces(of count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
  }
}
