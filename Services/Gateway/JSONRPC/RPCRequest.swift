import Operations

/// A request object of JSON-RPC 2.0, its parameters unread.
struct RPCRequest: Sendable {
  let method: String
  /// A JSON object; nil where parameters were given by position, which no method takes.
  let params: [UInt8]?
  /// The id as it was sent; nil for a notification, which is never answered.
  let id: [UInt8]?
  /// An extension of the specification: the idempotency key, which makes a retry harmless.
  let idempotencyKey: String?
  /// Another extension: the language of answers for callers that are not signed in; English without it.
  let language: Language?
  /// What is wrong with a member of our own: the request is whole, and is answered so unless it is a notification.
  let refusal: Failure?

  private static let members: Set<String> = ["jsonrpc", "method", "params", "id", "idempotencyKey", "language"]

  /// - Throws: ``RPCError`` with the id if that much could be read.
  init(_ bytes: [UInt8]) throws(RPCError) {
    let tape: JSONTape
    do {
      tape = try JSONTape(bytes)
    } catch {
      throw .parseError(error, in: bytes)
    }
    guard tape.kind == .object else { throw .invalidRequest(id: nil, .notAnObject) }
    let id = tape.rawMember("id")
    if let id, ![.string, .number, .null].contains(RPCRequest.kind(id)) {
      throw .invalidRequest(id: nil, .id)
    }
    if let unknown = tape.memberNames.first(where: { !RPCRequest.members.contains($0) }) {
      throw .invalidRequest(id: id, .unknownMember, ["member": .text(unknown.beginning(maxBytes: FieldProblem.maxNameBytes))])
    }
    guard RPCRequest.string(tape, "jsonrpc") == "2.0" else { throw .invalidRequest(id: id, .jsonrpc) }
    guard let method = RPCRequest.string(tape, "method") else { throw .invalidRequest(id: id, .method) }
    let params = tape.rawMember("params") ?? Array("{}".utf8)
    let paramsKind = RPCRequest.kind(params)
    guard paramsKind == .object || paramsKind == .array else { throw .invalidRequest(id: id, .params) }
    let key = RPCRequest.string(tape, "idempotencyKey")
    let language = RPCRequest.string(tape, "language").flatMap { Language(rawValue: $0) }
    if tape.rawMember("idempotencyKey") != nil, !(key.map(RequestFields.isIdempotencyKey) ?? false) {
      refusal = Failure(RequestFailure.idempotencyKeyInvalid)
    } else if tape.rawMember("language") != nil, language == nil {
      let choices = Language.allCases.map(\.rawValue).joined(separator: ", ")
      let problem = FieldProblem(field: "language", FieldRule("not_a_choice", ["choices": .text(choices)]))
      refusal = Failure(RequestFailure.invalidFields, fields: [problem])
    } else {
      refusal = nil
    }
    self.language = language
    self.method = method
    self.params = paramsKind == .object ? params : nil
    self.id = id
    idempotencyKey = key
  }

  /// The kind of a value by its first byte: the text is known to be JSON.
  private static func kind(_ json: [UInt8]) -> JSONTape.Kind {
    switch json.first {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "n"): .null
    case UInt8(ascii: "t"): .true
    case UInt8(ascii: "f"): .false
    default: .number
    }
  }

  private static func string(_ tape: JSONTape, _ name: String) -> String? {
    guard let raw = tape.rawMember(name), kind(raw) == .string, raw.count <= 1024 else { return nil }
    do {
      guard case .string(let text) = try JSONTape(raw).json else { return nil }
      return text
    } catch {
      return nil
    }
  }
}
