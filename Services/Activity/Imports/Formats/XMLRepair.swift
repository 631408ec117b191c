/// Repairs violations of XML so that libxml2 can read the text: an invalid document type, such as iOS 16 writes, is left out, and control
/// characters become spaces, each recorded with its line. Nothing else changes, no line moves, and texts in encodings that do not contain
/// ASCII pass unchanged.
struct XMLRepair {
  private enum Stage { case prolog, content, untouched }

  /// The bytes to parse next.
  private(set) var output: [UInt8] = []
  private var stage = Stage.prolog
  /// An incomplete piece of the prolog, or the beginning of a reference.
  private var held: [UInt8] = []
  private var hasBegun = false
  private var line = 1
  private var badLines: [Int] = []

  /// The longest character reference that is examined: `&#x10FFFF;` with some zeros.
  private static let maxReference = 12

  /// Takes the next bytes, none at the end of the text; the bytes to parse are then in ``output``.
  ///
  /// - Throws: ``FormatFault/unsafe`` for what `XMLPushParser` would refuse before it could be examined.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(FormatFault) {
    output.removeAll(keepingCapacity: true)
    let isLast = bytes.isEmpty
    if stage == .prolog {
      held.append(contentsOf: bytes)
      try passProlog(isLast: isLast)
    } else {
      output.append(contentsOf: held)
      held.removeAll(keepingCapacity: true)
      output.append(contentsOf: bytes)
    }
    if stage != .untouched { mend(isLast: isLast) }
  }

  /// Returns the lines on which characters were replaced since the last call.
  mutating func takeBadLines() -> [Int] {
    defer { badLines.removeAll() }
    return badLines
  }

  // MARK: - The prolog

  /// Passes on the complete pieces of the prolog: declaration, instructions, comments and the document type.
  private mutating func passProlog(isLast: Bool) throws(FormatFault) {
    if !hasBegun {
      guard isLast || held.count >= 4 else { return }
      hasBegun = true
      if isOfOtherBytes { return passAll(.untouched) }
      if held.starts(with: [0xEF, 0xBB, 0xBF]) { pass(3) }
    }
    while stage == .prolog {
      pass(held.firstIndex { !Self.isSpace($0) } ?? held.count)
      guard held.first == UInt8(ascii: "<") || held.isEmpty else { return passAll(.content) }
      guard let end = pieceEnd(of: held[...]) else {
        if isLast { return passAll(.content) }
        guard held.count <= XMLPushParser.maxPending else { throw .unsafe }
        return
      }
      guard end > 0 else { return passAll(.content) }
      let piece = held[..<end]
      if Self.begins(piece, "<!DOCTYPE"), try !Self.isReadable(piece) {
        output += piece.filter { $0 == UInt8(ascii: "\n") }
        held.removeFirst(end)
      } else {
        let isOfOtherBytes = Self.namesOtherBytes(piece)
        pass(end)
        if isOfOtherBytes { return passAll(.untouched) }
      }
    }
  }

  private mutating func pass(_ count: Int) {
    output += held[..<count]
    held.removeFirst(count)
  }

  private mutating func passAll(_ next: Stage) {
    output += held
    held.removeAll(keepingCapacity: true)
    stage = next
  }

  /// Whether the text begins like UTF-16, UTF-32 or EBCDIC.
  private var isOfOtherBytes: Bool {
    let head = held.prefix(4)
    return head.contains(0) || head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE])
      || head.starts(with: [0x4C, 0x6F])
  }

  /// Whether the piece declares an encoding in which the bytes of control characters may be parts of other characters: this is assumed for
  /// all but the usual encodings.
  private static func namesOtherBytes(_ piece: ArraySlice<UInt8>) -> Bool {
    guard begins(piece, "<?xml") else { return false }
    let text = String(decoding: piece, as: UTF8.self).lowercased()
    guard let name = text.firstRange(of: "encoding").map({ text[$0.upperBound...].drop { "= \t\r\n\"'".contains($0) } }) else {
      return false
    }
    return !["utf-8", "us-ascii", "iso-8859-", "windows-125"].contains { name.hasPrefix($0) }
  }

  /// Where the piece of the prolog that begins there ends: at its beginning if it is none; nil while its end is missing.
  private func pieceEnd(of rest: ArraySlice<UInt8>) -> Int? {
    guard rest.count > 1 else { return nil }
    if Self.begins(rest, "<?") { return Self.end(of: "?>", in: rest) }
    guard Self.begins(rest, "<!") else { return rest.startIndex }
    if Self.begins(rest, "<!--") { return Self.end(of: "-->", in: rest.dropFirst(4)) }
    if Self.begins(rest, "<!DOCTYPE") { return Self.documentTypeEnd(rest) }
    return rest.count < 9 ? nil : rest.startIndex
  }

  /// Where a document type ends, whatever its declarations: at the first `>` outside or after the brackets, not counting quoted texts,
  /// comments and instructions.
  private static func documentTypeEnd(_ text: ArraySlice<UInt8>) -> Int? {
    var index = text.startIndex
    var isWithin = false
    while index < text.endIndex {
      let rest = text[index...]
      switch text[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let close = rest.dropFirst().firstIndex(of: text[index]) else { return nil }
        index = close
      case UInt8(ascii: "<") where begins(rest, "<!--"):
        guard let end = end(of: "-->", in: rest.dropFirst(4)) else { return nil }
        index = end - 1
      case UInt8(ascii: "<") where begins(rest, "<?"):
        guard let end = end(of: "?>", in: rest) else { return nil }
        index = end - 1
      case UInt8(ascii: "["): isWithin = true
      case UInt8(ascii: "]"): isWithin = false
      case UInt8(ascii: ">") where !isWithin: return index + 1
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Whether libxml2 can read a document type. One that it cannot read is not needed, since no record depends on it.
  ///
  /// - Throws: ``FormatFault/unsafe`` where it is refused, or declares entities.
  private static func isReadable(_ type: ArraySlice<UInt8>) throws(FormatFault) -> Bool {
    if end(of: "<!ENTITY", in: type) != nil { throw .unsafe }
    let parser = try XMLPushParser(Silent(), isRepairing: false)
    var outcome: Result<Void, FormatFault> = .success(())
    (Array(type) + Array("<a/>".utf8)).withUnsafeBytes { bytes in
      do throws(FormatFault) {
        try parser.parse(bytes)
        try parser.parse(UnsafeRawBufferPointer(start: nil, count: 0))
      } catch {
        outcome = .failure(error)
      }
    }
    switch outcome {
    case .success: return true
    case .failure(.damaged): return false
    case .failure(let fault): throw fault
    }
  }

  private final class Silent: XMLHandler {
    func start(_ element: XMLStart, line: Int) {}
    func end(_ name: XMLStart.Name, line: Int) {}
  }

  // MARK: - Characters

  /// Replaces characters that XML does not allow (https://www.w3.org/TR/xml/#charsets), literal or as references.
  private mutating func mend(isLast: Bool) {
    var (line, badLines) = (line, badLines)
    var unfinished: Int?
    output.withUnsafeMutableBufferPointer { text in
      var index = 0
      while index < text.count {
        let byte = text[index]
        if byte == UInt8(ascii: "\n") {
          line += 1
        } else if byte < 0x20 && byte != UInt8(ascii: "\t") && byte != UInt8(ascii: "\r") {
          text[index] = UInt8(ascii: " ")
          if badLines.last != line { badLines.append(line) }
        } else if byte == UInt8(ascii: "&") {
          switch Self.reference(text, index) {
          case .some(.bad(let count)):
            for position in index..<index + count { text[position] = UInt8(ascii: " ") }
            if badLines.last != line { badLines.append(line) }
          case .some(.unfinished) where !isLast:
            unfinished = index
            index = text.count
          default: break
          }
        }
        index += 1
      }
    }
    (self.line, self.badLines) = (line, badLines)
    guard let unfinished else { return }
    held = Array(output[unfinished...])
    output.removeSubrange(unfinished...)
  }

  private enum Reference {
    /// One to no character, of so many bytes.
    case bad(Int)
    /// Its end has not come yet.
    case unfinished
  }

  private static func reference(_ text: UnsafeMutableBufferPointer<UInt8>, _ start: Int) -> Reference? {
    let end = min(text.count, start + maxReference)
    guard start + 1 < end else { return .unfinished }
    guard text[start + 1] == UInt8(ascii: "#") else { return nil }
    guard start + 2 < end else { return .unfinished }
    let isHexadecimal = text[start + 2] == UInt8(ascii: "x")
    var (index, value) = (start + (isHexadecimal ? 3 : 2), 0)
    let first = index
    while index < end, let digit = Character(Unicode.Scalar(text[index])).hexDigitValue, isHexadecimal || digit < 10 {
      value = value * (isHexadecimal ? 16 : 10) + digit
      index += 1
    }
    guard index < end else { return end == text.count ? .unfinished : nil }
    guard text[index] == UInt8(ascii: ";"), index > first else { return nil }
    let isCharacter =
      [0x9, 0xA, 0xD].contains(value) || (0x20...0xD7FF).contains(value) || (0xE000...0xFFFD).contains(value)
      || (0x10000...0x10FFFF).contains(value)
    return isCharacter ? nil : .bad(index + 1 - start)
  }

  // MARK: - Bytes

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private static func begins(_ text: ArraySlice<UInt8>, _ start: StaticString) -> Bool {
    text.starts(with: UnsafeBufferPointer(start: start.utf8Start, count: start.utf8CodeUnitCount))
  }

  /// The index after the first occurrence.
  private static func end(of part: StaticString, in text: ArraySlice<UInt8>) -> Int? {
    var index = text.startIndex
    while index + part.utf8CodeUnitCount <= text.endIndex {
      if text[index] == part.utf8Start[0], begins(text[index...], part) { return index + part.utf8CodeUnitCount }
      index += 1
    }
    return nil
  }
}
