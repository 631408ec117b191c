import ServiceKit

/// Reads the lists that proxies write.
enum ForwardedHops {
  private static let quote: Character = "\""

  /// Takes the last element off the list; nil where there is none.
  ///
  /// It is looked for from the end, so that nothing before it, a quote that never ends for one, can reach into it.
  static func last(of list: inout Substring, isQuoting: Bool) -> String? {
    guard !list.isEmpty else { return nil }
    var isQuoted = false
    var place = list.endIndex
    while place > list.startIndex {
      let before = list.index(before: place)
      if isQuoting, list[before] == quote, !isEscaped(list[..<before]) { isQuoted.toggle() }
      if list[before] == ",", !isQuoted {
        defer { list = list[..<before] }
        return String(list[place...])
      }
      place = before
    }
    defer { list = "" }
    return String(list)
  }

  /// The address that an element of `Forwarded` names (RFC 7239, section 4); nil for any other node, and where it is not well formed.
  static func node(_ element: String) -> IPAddress? {
    var found: String?
    var rest = trimmed(element[...])
    while !rest.isEmpty {
      guard let sign = rest.firstIndex(of: "="), let value = value(of: &rest, after: sign) else { return nil }
      if value.name.lowercased() == "for" {
        guard found == nil else { return nil }
        found = value.text
      }
    }
    return found.flatMap { address($0[...], isStrict: true) }
  }

  /// Takes a pair off the front, with the semicolon after it.
  private static func value(of rest: inout Substring, after sign: Substring.Index) -> (name: Substring, text: String)? {
    let name = trimmed(rest[..<sign])
    rest = rest[rest.index(after: sign)...]
    var text = ""
    if rest.first == quote {
      rest.removeFirst()
      var isClosed = false
      while let character = rest.popFirst() {
        if character == quote {
          isClosed = true
          break
        }
        guard character == "\\" else {
          text.append(character)
          continue
        }
        guard let next = rest.popFirst() else { return nil }
        text.append(next)
      }
      guard isClosed else { return nil }
    } else {
      text = String(trimmed(rest.prefix { $0 != ";" }))
      rest = rest.drop { $0 != ";" }
      guard !text.contains(where: { "\"\\ ,:[]".contains($0) }) else { return nil }
    }
    rest = rest.drop { $0 == " " || $0 == "\t" }
    if !rest.isEmpty { guard rest.removeFirst() == ";" else { return nil } }
    rest = rest.drop { $0 == " " || $0 == "\t" }
    return (name, text)
  }

  /// The address of a node, which may have a port: `192.0.2.7:80`, `[2001:db8::1]:80`.
  ///
  /// - Parameter isStrict: whether an IPv6 address stands in brackets, as RFC 7239 has it; in `X-Forwarded-For` it often does not.
  static func address(_ node: Substring, isStrict: Bool = false) -> IPAddress? {
    let node = trimmed(node)
    guard !node.contains("%") else { return nil }
    if node.first == "[" {
      guard let end = node.firstIndex(of: "]"), isPort(node[node.index(after: end)...]),
        case .some(let address) = IPAddress(String(node[..<end].dropFirst())), node[..<end].contains(":")
      else { return nil }
      return address
    }
    let colons = node.count { $0 == ":" }
    if colons > 1 { return isStrict ? nil : IPAddress(String(node)) }
    let host = node.prefix { $0 != ":" }
    return isPort(node[host.endIndex...]) ? IPAddress(String(host)) : nil
  }

  /// Nothing, or a colon and a port; one may be hidden by a name (RFC 7239, section 6.2).
  private static func isPort(_ text: Substring) -> Bool {
    guard !text.isEmpty else { return true }
    guard text.first == ":" else { return false }
    let port = text.dropFirst()
    if port.first == "_" {
      return port.count > 1 && port.dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }
    return (1...5).contains(port.count) && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether a character after that text is escaped: an odd number of backslashes stands before it.
  private static func isEscaped(_ before: Substring) -> Bool {
    before.reversed().prefix { $0 == "\\" }.count % 2 == 1
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
