public import Operations

/// An e-mail address as mail programs take it: a dot-atom at a domain (RFC 5321, section 4.1.2; RFC 5322, section 3.4.1).
///
/// Quoted local parts, comments and address literals are refused: nobody has them, and half of all mail servers do not take them.
/// A domain may be international; it is compared in its ASCII form (RFC 5890).
public struct EmailAddress: TextValue {
  /// As it was typed, blanks at the ends cut off.
  public let description: String
  /// What makes two addresses the same: lower case, the domain in ASCII.
  public let normalized: String

  public init(text: String) throws(FieldRule) {
    let trimmed = text.trimming { $0 == " " }
    guard trimmed.utf8.count <= 1000, let at = trimmed.lastAt,
      let local = EmailAddress.localPart(trimmed[..<at]),
      let domain = EmailAddress.domain(trimmed[trimmed.utf8.index(after: at)...])
    else { throw FieldRule("invalid_email") }
    let normalized = "\(local)@\(domain)"
    guard normalized.utf8.count <= 254 else { throw FieldRule("invalid_email") }
    self.description = String(trimmed)
    self.normalized = normalized
  }

  /// The text before the `@`, as typed.
  public var localPart: Substring { description[..<(description[...].lastAt ?? description.endIndex)] }

  /// The address as a mail server takes it: the domain in ASCII, the local part as typed.
  public var ascii: String { "\(localPart)\(normalized[(normalized[...].lastAt ?? normalized.startIndex)...])" }

  public static func == (left: Self, right: Self) -> Bool { left.normalized == right.normalized }
  public func hash(into hasher: inout Hasher) { hasher.combine(normalized) }

  public static let placeholder = EmailAddress(unchecked: "nobody@invalid")
  public static let schema: JSON = ["type": "string", "format": "email", "maxLength": 254, "examples": ["ana.ruiz@example.com"]]

  private init(unchecked text: String) {
    description = text
    normalized = text
  }

  private static func localPart(_ text: Substring) -> String? {
    guard (1...64).contains(text.utf8.count) else { return nil }
    let atoms = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isDotAtom = atoms.allSatisfy { atom in
      !atom.isEmpty && atom.allSatisfy { $0.isLetterOrDigit || "!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }
    }
    return isDotAtom ? text.asciiLowercased : nil
  }

  private static func domain(_ text: Substring) -> String? {
    // The ideographic full stops separate labels too (RFC 3490, section 3.1).
    let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
    let labels = text.unicodeScalars.split(omittingEmptySubsequences: false) { dots.contains($0) }
    guard labels.count >= 2 else { return nil }
    var ascii: [String] = []
    for label in labels {
      guard let label = DomainLabel.ascii(String(label)) else { return nil }
      ascii.append(label)
    }
    guard let last = ascii.last, !last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let domain = ascii.joined(separator: ".")
    return domain.utf8.count <= 253 ? domain : nil
  }
}

extension Substring {
  fileprivate var lastAt: Index? { utf8.lastIndex(of: UInt8(ascii: "@")) }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x61...0x7A).contains(self) || (0x41...0x5A).contains(self) || (0x30...0x39).contains(self)
  }
}
