import Operations

/// An error object of JSON-RPC 2.0: a code of the specification (section 5.1), and the problem document as `data`.
struct RPCError: Error, Sendable {
  /// Code of every refusal that the specification has no code for; which one it is, `data.code` says.
  static let otherCode = -32000

  let code: Int
  let failure: Failure
  /// The request's id as it was sent; nil where it could not be read.
  let id: [UInt8]?

  private init(code: Int, _ failure: Failure, id: [UInt8]?) {
    self.code = code
    self.failure = failure
    self.id = id
  }

  /// What a call ended in.
  init(_ failure: Failure, id: [UInt8]?) {
    let isParams = failure.code == RequestFailure.invalidFields.rawValue || failure.code == RequestFailure.invalidJSON.rawValue
    self.init(code: isParams ? -32602 : RPCError.otherCode, failure, id: id)
  }

  static func parseError(_ error: JSONSyntaxError, in line: [UInt8]) -> RPCError {
    RPCError(code: -32700, Failure(error, in: line), id: nil)
  }

  static func invalidRequest(id: [UInt8]?, _ what: Malformation, _ parameters: [String: Parameter] = [:]) -> RPCError {
    RPCError(code: -32600, what.failure(parameters), id: id)
  }

  static func tooLarge(_ limit: Int) -> RPCError {
    RPCError(code: -32600, Failure(RequestFailure.bodyTooLarge, ["limit": .number(limit)]), id: nil)
  }

  static func positional(id: [UInt8]?) -> RPCError {
    RPCError(code: -32602, Malformation.positional.failure(), id: id)
  }

  static func unknownMethod(id: [UInt8]?, _ name: String) -> RPCError {
    RPCError(
      code: -32601,
      Failure(RequestFailure.unknownOperation, ["operation": .text(name.beginning(maxBytes: FieldProblem.maxNameBytes))]), id: id)
  }

  /// The messages of the specification for its codes, the problem's title for ours.
  func message(_ title: String) -> String {
    switch code {
    case -32700: "Parse error"
    case -32600: "Invalid Request"
    case -32601: "Method not found"
    case -32602: "Invalid params"
    default: title
    }
  }
}
