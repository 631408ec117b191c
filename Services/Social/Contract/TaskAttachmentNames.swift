public import Operations

/// The name of an attached file: 1 to 200 characters, without what could lead to another folder.
public struct TaskAttachmentName: TextValue {
  public static let maxCharacters = 200
  /// In UTF-8.
  public static let maxBytes = 800

  public let description: String

  public init(text: String) throws(FieldRule) {
    let text = text.trimmed
    if text.isEmpty { throw FieldRule("empty") }
    if let rule = ShortText.brokenLength(text, maximum: Self.maxCharacters, maxBytes: Self.maxBytes) { throw rule }
    if ShortText.hasControl(text) { throw FieldRule("control_character") }
    guard !text.unicodeScalars.contains(where: Self.separates), text != ".", text != ".." else {
      throw FieldRule("not_a_file_name")
    }
    description = text
  }

  private init(trusted: String) { description = trusted }

  /// A name for a file from the one that the browser sent: without folders, and without characters that no name may have. A name that is
  /// too long is shortened but keeps its extension.
  public static func cleaned(_ text: String) -> TaskAttachmentName {
    let last = text.unicodeScalars.split(whereSeparator: separates).last.map { String($0) } ?? ""
    var name = String(String.UnicodeScalarView(last.unicodeScalars.filter { !ShortText.hasControl(String($0)) })).trimmed
    if ShortText.brokenLength(name, maximum: maxCharacters, maxBytes: maxBytes) != nil {
      let dot = name.unicodeScalars.lastIndex { $0 == "." }
      let ending = dot.map { String(name[$0...]) } ?? ""
      let kept = ending.count <= 20 && ending.utf8.count <= 80 ? ending : ""
      var stem = String(name.dropLast(kept.count).prefix(maxCharacters - kept.count))
      while stem.utf8.count + kept.utf8.count > maxBytes { stem.removeLast() }
      name = (stem + kept).trimmed
    }
    do throws(FieldRule) { return try TaskAttachmentName(text: name) } catch { return TaskAttachmentName(trusted: "file") }
  }

  private static func separates(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }

  public static let placeholder = TaskAttachmentName(trusted: "file")
  public static let schema: JSON = ["type": "string", "minLength": 1, "maxLength": .integer(maxCharacters)]
}

/// The media type of an attached file (RFC 6838, section 4.2), without parameters, in lower case. It is the uploader's claim, and decides
/// nothing: each file is served as a mere download.
public struct TaskAttachmentType: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(Self.isName) else { throw FieldRule("not_a_media_type") }
    description = text.lowercased()
  }

  private init(trusted: String) { description = trusted }

  /// What any bytes are.
  public static let unknown = TaskAttachmentType(trusted: "application/octet-stream")

  /// The media type that a browser gives a file.
  public static func cleaned(_ text: String) -> TaskAttachmentType {
    let type = String(text.split(at: ";", maxSplits: 1)[0]).trimmed
    do throws(FieldRule) { return try TaskAttachmentType(text: type) } catch { return unknown }
  }

  private static func isName(_ part: Substring.UTF8View.SubSequence) -> Bool {
    (1...127).contains(part.count)
      && part.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$&-^_.+".utf8.contains(byte)
        }
      }
  }

  public static let placeholder = unknown
  public static let schema: JSON = ["type": "string", "minLength": 3, "maxLength": 255]
}
