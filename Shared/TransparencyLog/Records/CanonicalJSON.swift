/// A JSON value with exactly one written form (RFC 8785), so that every holder of the record computes the same hash.
public indirect enum CanonicalJSON: Sendable {
  case null
  case bool(Bool)
  /// Finite. Whole numbers beyond 2^53 would lose precision, so such ids and amounts are strings.
  case number(Double)
  case string(String)
  case array([CanonicalJSON])
  /// Members in any order, no name twice.
  case object([(name: String, value: CanonicalJSON)])

  /// Its one text.
  ///
  /// - Throws: ``LogFault/malformed(_:)`` for a number that is not finite, or a name that stands twice.
  public func text() throws -> String {
    var text = ""
    try write(into: &text)
    return text
  }

  private func write(into text: inout String) throws {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += try CanonicalNumber.text(value)
    case .string(let value): Self.write(value, into: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        try value.write(into: &text)
      }
      text += "]"
    case .object(let members): try Self.write(members, into: &text)
    }
  }

  /// Members by the UTF-16 code units of their names (RFC 8785 §3.2.3).
  private static func write(_ members: [(name: String, value: CanonicalJSON)], into text: inout String) throws {
    let sorted = members.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
    text += "{"
    for (index, member) in sorted.enumerated() {
      if index > 0 {
        guard !member.name.utf16.elementsEqual(sorted[index - 1].name.utf16) else { throw LogFault.malformed(.json) }
        text += ","
      }
      write(member.name, into: &text)
      text += ":"
      try member.value.write(into: &text)
    }
    text += "}"
  }

  /// Only what JSON demands is escaped, the shortest way (RFC 8785 §3.2.2.2).
  private static func write(_ string: String, into text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{08}": text += "\\b"
      case "\t": text += "\\t"
      case "\n": text += "\\n"
      case "\u{0C}": text += "\\f"
      case "\r": text += "\\r"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
