import Operations

/// How a request is called: by its client, and inside.
struct RequestName: Sendable, Hashable {
  /// What the client gave as `X-Request-ID` and is echoed.
  let outer: String
  /// What the bus and the logs of all services use. It begins with ``outer`` but is always unique, so that two clients that
  /// choose the same name never get each other's replies.
  let inner: String

  /// - Parameter given: the client's name; one that is not 1 to 64 of letters, digits and `-_.` is replaced.
  init(given: String? = nil) {
    let fresh = ID<RequestHeader>().description
    if let given, RequestName.isSane(given) {
      outer = given
      inner = "\(given).\(fresh)"
    } else {
      outer = fresh
      inner = fresh
    }
  }

  private static func isSane(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
      }
  }
}
