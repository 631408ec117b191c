extension Failure {
  /// The failure for text that is not acceptable JSON: the reason, and the line and the byte in it, both counted from 1.
  ///
  /// - Parameter bytes: the text that was read.
  public init(_ error: JSONSyntaxError, in bytes: [UInt8]) {
    let before = bytes.prefix(error.offset)
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let isCutOff = error.reason == .malformed && error.offset >= bytes.count
    var parameters: [String: Parameter] = [
      "reason": .text(isCutOff ? "json_incomplete" : error.reason.rawValue), "offset": .number(error.offset),
      "line": .number(1 + before.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }),
      "byte": .number(before.count - lineStart + 1),
    ]
    if let key = error.key { parameters["key"] = .text(key) }
    self.init(RequestFailure.invalidJSON, parameters)
  }
}
