import Operations

/// What a request is about (RFC 9112, section 3.2): a path with its query, given by itself or inside a whole URL.
struct RequestTarget: Hashable, Sendable {
  let path: Substring
  let query: Substring
  /// The authority of a target in absolute form, which stands above the `Host` header (section 3.2.2).
  let authority: Substring?

  /// Nil for an `http` or `https` URL that names no host, a malformed one, or a user (RFC 9110, sections 4.2.1 and 4.2.4).
  init?(_ target: String) {
    var rest = target[...]
    var authority: Substring?
    // Nearly all begin with their path.
    if rest.utf8.first != UInt8(ascii: "/"),
      let scheme = ["http://", "https://"].first(where: {
        String(decoding: target.utf8.prefix($0.utf8.count), as: UTF8.self).asciiLowercased.isSame(as: $0)
      })
    {
      rest = rest[rest.utf8.index(rest.startIndex, offsetBy: scheme.utf8.count)...]
      let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
      let found = rest[..<end]
      guard !found.isEmpty, Authority.isWellFormed(found) else { return nil }
      authority = found
      rest = rest[end...]
    }
    self.authority = authority
    let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
    // An empty path is the root (RFC 9110, section 4.2.3).
    path = mark == rest.startIndex && authority != nil ? "/" : rest[..<mark]
    query = mark == rest.endIndex ? "" : rest[rest.utf8.index(after: mark)...]
  }
}
