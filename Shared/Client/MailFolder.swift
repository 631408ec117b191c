import Foundation

/// The mails that a cluster without an SMTP server writes as `.eml` files, read back: for demonstrations and tests.
public struct MailFolder: Sendable {
  /// A mail, its text part decoded.
  public struct Mail: Sendable, Hashable {
    public let to: String
    public let subject: String
    public let text: String

    /// The value of `token=` in the first link of the text.
    public var token: String? {
      guard let start = text.range(of: "token=")?.upperBound else { return nil }
      return String(text[start...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.~".contains($0)) })
    }
  }

  private let path: String

  /// - Parameter home: the cluster's home folder.
  public init(home: String) { path = home + "/mails" }

  /// The mails to that address, oldest first.
  public func mails(to address: String) throws -> [Mail] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path).filter {
      // A hidden file is one that is being written.
      $0.hasSuffix(".eml") && !$0.hasPrefix(".")
    }.sorted().compactMap { name in
      guard let data = FileManager.default.contents(atPath: "\(path)/\(name)") else { return nil }
      return MailFolder.read(String(decoding: data, as: UTF8.self))
    }.filter { $0.to.lowercased().contains(address.lowercased()) }
  }

  /// Headers and the text part of a message (RFC 5322, RFC 2045) as this system writes them.
  static func read(_ message: String) -> Mail? {
    let normal = message.replacingOccurrences(of: "\r\n", with: "\n")
    let (headers, body) = split(normal)
    guard let to = headers["to"] else { return nil }
    var text = decode(body, headers["content-transfer-encoding"])
    if let type = headers["content-type"], let boundary = parameter("boundary", of: type) {
      for part in body.components(separatedBy: "--" + boundary) {
        let (partHeaders, partBody) = split(part.hasPrefix("\n") ? String(part.dropFirst()) : part)
        guard partHeaders["content-type"]?.lowercased().hasPrefix("text/plain") == true else { continue }
        text = decode(partBody, partHeaders["content-transfer-encoding"])
        break
      }
    }
    return Mail(to: to, subject: headers["subject"] ?? "", text: text)
  }

  private static func split(_ message: String) -> (headers: [String: String], body: String) {
    guard let blank = message.range(of: "\n\n") else { return ([:], message) }
    var headers: [String: String] = [:]
    let unfolded = message[..<blank.lowerBound].replacingOccurrences(of: "\n ", with: " ").replacingOccurrences(
      of: "\n\t", with: " ")
    for line in unfolded.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    return (headers, String(message[blank.upperBound...]))
  }

  private static func parameter(_ name: String, of value: String) -> String? {
    guard let start = value.range(of: name + "=")?.upperBound else { return nil }
    return String(value[start...].prefix { $0 != ";" }).trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
  }

  private static func decode(_ body: String, _ encoding: String?) -> String {
    switch encoding?.lowercased() {
    case "base64":
      let bytes = Data(base64Encoded: body.filter { !$0.isWhitespace })
      return bytes.map { String(decoding: $0, as: UTF8.self) } ?? body
    case "quoted-printable":
      var bytes: [UInt8] = []
      var rest = Array(body.replacingOccurrences(of: "=\n", with: "").utf8)[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "="), rest.count >= 2,
          let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        {
          bytes.append(code)
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    default: return body
    }
  }
}
