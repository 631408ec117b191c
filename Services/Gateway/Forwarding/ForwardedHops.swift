import ServiceKit

/// Reads the lists that proxies write, byte by byte as they do.
enum ForwardedHops {
  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  private static let semicolon = UInt8(ascii: ";")
  private static let colon = UInt8(ascii: ":")

  /// Takes the last element off the list; nil where there is none.
  ///
  /// It is looked for from the end, so that nothing before it, a quote that never ends for one, can reach into it.
  static func last(of list: inout ArraySlice<UInt8>, isQuoting: Bool) -> ArraySlice<UInt8>? {
    guard !list.isEmpty else { return nil }
    var isQuoted = false
    var index = list.endIndex
    while index > list.startIndex {
      let before = index - 1
      if isQuoting, list[before] == quote, !isEscaped(list[..<before]) { isQuoted.toggle() }
      if list[before] == UInt8(ascii: ","), !isQuoted {
        defer { list = list[..<before] }
        return list[index...]
      }
      index = before
    }
    defer { list = [] }
    return list
  }

  /// The address that an element of `Forwarded` names (RFC 7239, section 4); nil for any other node, and where it is not well formed.
  static func node(_ element: ArraySlice<UInt8>) -> IPAddress? {
    var found: [UInt8]?
    var rest = trimmed(element)
    while !rest.isEmpty {
      guard let sign = rest.firstIndex(of: UInt8(ascii: "=")), let value = value(of: &rest, after: sign) else { return nil }
      if value.name.elementsEqual("for".utf8, by: { $0 | 0x20 == $1 }) {
        guard found == nil else { return nil }
        found = value.text
      }
    }
    return found.flatMap { address($0[...], isStrict: true) }
  }

  /// Takes a pair off the front, with the semicolon after it.
  private static func value(of rest: inout ArraySlice<UInt8>, after sign: Int) -> (name: ArraySlice<UInt8>, text: [UInt8])? {
    let name = trimmed(rest[..<sign])
    rest = rest[(sign + 1)...]
    var text: [UInt8] = []
    if rest.first == quote {
      rest.removeFirst()
      var isClosed = false
      while let byte = rest.popFirst() {
        if byte == quote {
          isClosed = true
          break
        }
        guard byte == backslash else {
          text.append(byte)
          continue
        }
        guard let next = rest.popFirst() else { return nil }
        text.append(next)
      }
      guard isClosed else { return nil }
    } else {
      text = Array(trimmed(rest.prefix { $0 != semicolon }))
      rest = rest.drop { $0 != semicolon }
      guard !text.contains(where: { "\"\\ ,:[]".utf8.contains($0) }) else { return nil }
    }
    rest = rest.drop(while: isBlank)
    if !rest.isEmpty { guard rest.removeFirst() == semicolon else { return nil } }
    rest = rest.drop(while: isBlank)
    return (name, text)
  }

  /// The address of a node, which may have a port: `192.0.2.7:80`, `[2001:db8::1]:80`.
  ///
  /// - Parameter isStrict: whether an IPv6 address stands in brackets, as RFC 7239 has it; in `X-Forwarded-For` it often does not.
  static func address(_ node: ArraySlice<UInt8>, isStrict: Bool = false) -> IPAddress? {
    let node = trimmed(node)
    guard !node.contains(UInt8(ascii: "%")) else { return nil }
    if node.first == UInt8(ascii: "[") {
      guard let end = node.firstIndex(of: UInt8(ascii: "]")), isPort(node[(end + 1)...]), node[..<end].contains(colon) else {
        return nil
      }
      return address(text: node[(node.startIndex + 1)..<end])
    }
    let colons = node.count { $0 == colon }
    if colons > 1 { return isStrict ? nil : address(text: node) }
    let host = node.prefix { $0 != colon }
    return isPort(node[host.endIndex...]) ? address(text: host) : nil
  }

  private static func address(text: ArraySlice<UInt8>) -> IPAddress? { IPAddress(String(decoding: text, as: UTF8.self)) }

  /// Nothing, or a colon and a port; one may be hidden by a name (RFC 7239, section 6.2).
  private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
    guard !text.isEmpty else { return true }
    guard text.first == colon else { return false }
    let port = text.dropFirst()
    if port.first == UInt8(ascii: "_") { return port.count > 1 && port.dropFirst().allSatisfy(isOfName) }
    return (1...5).contains(port.count) && port.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "._-".utf8.contains(byte)
    }
  }

  /// Whether a byte after that text is escaped: an odd number of backslashes stands before it.
  private static func isEscaped(_ before: ArraySlice<UInt8>) -> Bool {
    before.reversed().prefix { $0 == backslash }.count % 2 == 1
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
