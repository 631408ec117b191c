/// Operations on text as syntax: header fields, addresses, queries, markup.
///
/// Syntax consists of Unicode scalars, or of their bytes, and never of characters. A `Character` can be U+0600 with a following `<`, or a
/// quotation mark with a following vowel sign (UAX #29, GB9a and GB9b), and U+037E equals the semicolon (canonical equivalence). Code that
/// looks for a delimiter among characters would miss one that all other programs see, and see one that they do not. Only lengths that
/// people see count characters.
extension StringProtocol {
  /// The parts of the text between each occurrence of a scalar; an empty text is one empty part.
  ///
  /// - Parameters:
  ///   - maxSplits: the number of splits after which the rest is one part.
  ///   - omitsEmpty: whether empty parts are left out.
  public func split(
    at delimiter: Unicode.Scalar, maxSplits: Int = .max, omitsEmpty: Bool = false
  ) -> [SubSequence] {
    var parts: [SubSequence] = []
    var (start, position) = (startIndex, startIndex)
    while position < endIndex, parts.count < maxSplits {
      let next = unicodeScalars.index(after: position)
      if unicodeScalars[position] == delimiter {
        if !omitsEmpty || start < position { parts.append(self[start..<position]) }
        start = next
      }
      position = next
    }
    if !omitsEmpty || start < endIndex { parts.append(self[start..<endIndex]) }
    return parts
  }

  /// The text without those scalars at its ends.
  public func trimming(where isTrimmed: (Unicode.Scalar) -> Bool) -> SubSequence {
    guard let first = unicodeScalars.firstIndex(where: { !isTrimmed($0) }) else { return self[endIndex..<endIndex] }
    var end = endIndex
    while end > first {
      let before = unicodeScalars.index(before: end)
      guard isTrimmed(unicodeScalars[before]) else { break }
      end = before
    }
    return self[first..<end]
  }

  /// The text without blanks and tabs at its ends: what stands around the parts of a header field (RFC 9110, section 5.6.3).
  public var withoutBlanks: SubSequence { trimming { $0 == " " || $0 == "\t" } }

  /// The beginning of the text in at most `maxBytes` bytes of UTF-8, in whole scalars; for texts that may have any length.
  public func beginning(maxBytes: Int) -> String {
    guard utf8.count > maxBytes else { return String(self) }
    var (end, bytes) = (startIndex, 0)
    for scalar in unicodeScalars {
      bytes += UTF8.width(scalar)
      if bytes > maxBytes { break }
      end = unicodeScalars.index(after: end)
    }
    return String(self[startIndex..<end])
  }

  /// Whether the text begins with the same bytes.
  public func begins(with beginning: some StringProtocol) -> Bool { utf8.starts(with: beginning.utf8) }

  /// Whether the text ends with the same bytes.
  public func ends(with end: some StringProtocol) -> Bool {
    utf8.count >= end.utf8.count && utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  /// Whether both have the same bytes; `==` also treats canonically equivalent texts as equal.
  public func isSame(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// The text with A to Z in lower case and everything else unchanged: names in syntax have no other letters, and `lowercased()` turns the
  /// kelvin sign into the letter k.
  public var asciiLowercased: String {
    String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

/// Text inside HTML and XML.
public enum Markup {
  /// The text as content of an element or as the value of an attribute in quotes.
  public static func escaped(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
