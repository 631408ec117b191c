import NIOCore
public import Operations

/// An operation with its input, encoded for HTTP: for requests that are sent more than once, or must cost nothing when they are sent.
public struct PreparedCall<O: Operation>: Sendable {
  let method: Route.Method
  let path: String
  let body: ByteBuffer?

  public init(_ input: O.Input) throws {
    guard let route = O.spec.route else { preconditionFailure("\(O.spec.name) has no route") }
    let address = try Address(route, input)
    method = route.method
    path = address.path
    body = address.body.map { ByteBuffer(bytes: $0) }
  }
}

/// Path with query, and body: the input's members named in the path fill it; of the others, GET and DELETE make a query.
private struct Address {
  let path: String
  let body: [UInt8]?

  init(_ route: Route, _ input: some Document) throws {
    let segments = route.path.split(separator: "/")
    if route.method.hasBody, !segments.contains(where: { $0.hasPrefix("{") }) {
      (path, body) = (route.path, input.json)
      return
    }
    guard case .object(var members) = try JSONTape(input.json).json else {
      (path, body) = (route.path, nil)
      return
    }
    var path = ""
    for segment in segments {
      path += "/"
      guard segment.hasPrefix("{") else {
        path += segment
        continue
      }
      let name = Route.name(of: segment)
      guard let index = members.firstIndex(where: { $0.name == name }) else { preconditionFailure("\(route.path) needs \(name)") }
      let text = Address.text(members.remove(at: index).value)
      let parts = Route.isTail(segment) ? text.split(separator: "/", omittingEmptySubsequences: false) : [text[...]]
      path += parts.map { Address.escape(String($0)) }.joined(separator: "/")
    }
    if route.method.hasBody {
      (self.path, body) = (path, JSON.object(members).bytes)
    } else {
      let query = members.map { "\($0.name)=\(Address.escape(Address.text($0.value)))" }.joined(separator: "&")
      (self.path, body) = (query.isEmpty ? path : "\(path)?\(query)", nil)
    }
  }

  private static func text(_ value: JSON) -> String {
    switch value {
    case .string(let text): text
    case .array(let values): values.map(text).joined(separator: ",")
    default: value.text
    }
  }

  private static func escape(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}

extension Route.Method {
  /// Whether its fields travel in a body rather than in the query.
  fileprivate var hasBody: Bool {
    switch self {
    case .post, .put, .patch: true
    case .get, .delete: false
    }
  }
}
