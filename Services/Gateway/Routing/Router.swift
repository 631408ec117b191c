import Operations

/// Finds what a method and a path lead to.
///
/// Paths without parameters are found by one look-up; the others by walking a tree segment by segment, literal before parameter, and a
/// parameter before a tail, which takes all segments that are left (`/register/tile/{path*}`).
struct Router<Target: Sendable>: Sendable {
  /// What a path leads to for each method.
  struct Methods: Sendable {
    fileprivate(set) var targets: [(method: String, target: Target, parameters: [String])] = []
    /// Whether the last parameter is all segments from its position on.
    fileprivate var endsInTail = false

    /// For the `Allow` header (RFC 9110, section 10.2.1).
    ///
    /// Where GET is allowed, HEAD is too.
    var allowed: String { targets.map { $0.method == "GET" ? "GET, HEAD" : $0.method }.joined(separator: ", ") }
  }

  enum Match {
    case found(Target, parameters: [String: String])
    case otherMethod(allowed: String)
    case notFound
  }

  private struct Node: Sendable {
    var literals: [Substring: Int] = [:]
    var parameter: Int?
    var methods: Methods?
    /// Where the segments from here on are one parameter.
    var tail: Methods?
  }

  private var fixed: [String: Methods] = [:]
  private var nodes = [Node()]

  init() {}

  /// Adds a route; two for the same method and shape of path are a programming error.
  mutating func add(_ method: String, _ path: String, _ target: Target) {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let parameters = segments.filter { $0.hasPrefix("{") }.map { Route.name(of: $0) }
    if parameters.isEmpty {
      Router.insert(method, target, [], into: &fixed[path, default: Methods()])
      return
    }
    var node = 0
    let hasTail = segments.last.map { Route.isTail($0) } ?? false
    for segment in hasTail ? segments.dropLast() : segments {
      precondition(!segment.hasPrefix("{") || !Route.isTail(segment), "a tail ends its path")
      let existing = segment.hasPrefix("{") ? nodes[node].parameter : nodes[node].literals[segment]
      let next = existing ?? nodes.count
      if existing == nil {
        nodes.append(Node())
        if segment.hasPrefix("{") { nodes[node].parameter = next } else { nodes[node].literals[segment] = next }
      }
      node = next
    }
    let slot = hasTail ? \Node.tail : \Node.methods
    var methods = nodes[node][keyPath: slot] ?? Methods()
    Router.insert(method, target, parameters, into: &methods)
    methods.endsInTail = hasTail
    nodes[node][keyPath: slot] = methods
  }

  private static func insert(_ method: String, _ target: Target, _ parameters: [String], into methods: inout Methods) {
    precondition(!methods.targets.contains { $0.method == method }, "two routes for \(method) of one path")
    methods.targets.append((method, target, parameters))
  }

  /// - Parameter path: as it stands in the request, without the query, percent-encoded.
  func match(_ method: String, _ path: Substring) -> Match {
    if let methods = fixed[String(path)] { return pick(method, methods, []) }
    var values: [Substring] = []
    guard let methods = walk(path.dropFirst(), 0, &values) else { return .notFound }
    return pick(method, methods, values)
  }

  private func pick(_ method: String, _ methods: Methods, _ values: [Substring]) -> Match {
    guard let entry = methods.targets.first(where: { $0.method == method }) else { return .otherMethod(allowed: methods.allowed) }
    var parameters: [String: String] = [:]
    for (name, value) in zip(entry.parameters, values) {
      guard let decoded = PercentEncoding.decode(value) else { return .notFound }
      // An escaped slash within a tail would make two paths one.
      if methods.endsInTail, name == entry.parameters.last {
        guard decoded.utf8.count(where: Router.isSlash) == value.utf8.count(where: Router.isSlash) else { return .notFound }
      }
      parameters[name] = decoded
    }
    return .found(entry.target, parameters: parameters)
  }

  private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") }

  private func walk(_ path: Substring, _ node: Int, _ values: inout [Substring]) -> Methods? {
    let slash = path.utf8.firstIndex(of: UInt8(ascii: "/"))
    let segment = path[..<(slash ?? path.endIndex)]
    func go(_ next: Int) -> Methods? {
      guard let slash else { return nodes[next].methods }
      return walk(path[path.utf8.index(after: slash)...], next, &values)
    }
    if let next = nodes[node].literals[segment], let methods = go(next) { return methods }
    guard !segment.isEmpty else { return nil }
    if let next = nodes[node].parameter {
      values.append(segment)
      if let methods = go(next) { return methods }
      values.removeLast()
    }
    guard let methods = nodes[node].tail else { return nil }
    values.append(path)
    return methods
  }
}

/// Percent-encoding of paths and queries (RFC 3986, section 2.1).
enum PercentEncoding {
  /// The text without its escapes, or nil if an escape is broken or the result is not UTF-8.
  ///
  /// - Parameter isForm: whether `+` stands for a space, as in queries made by forms.
  static func decode(_ text: Substring, isForm: Bool = false) -> String? {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || (isForm && $0 == UInt8(ascii: "+")) }) else {
      return String(text)
    }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where isForm: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Everything escaped but the unreserved characters.
  static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
