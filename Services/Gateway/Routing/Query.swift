import Operations

/// Reads the parameters of a request's query into the fields of an operation's input.
enum Query {
  /// Beyond it a query is refused.
  static let mostParameters = 64

  /// Adds `a=1&b=2` to the parameters from the path.
  ///
  /// - Throws: `bad_request` for a broken escape or too many; `invalid_fields` for a name given twice.
  static func parse(_ query: Substring, into parameters: inout [String: String]) throws(Failure) {
    var count = 0
    for pair in query.split(separator: "&") {
      count += 1
      guard count <= mostParameters else { throw malformed("too many query parameters") }
      let equals = pair.utf8.firstIndex(of: UInt8(ascii: "="))
      guard let name = PercentEncoding.decode(pair[..<(equals ?? pair.endIndex)], isForm: true),
        let value = PercentEncoding.decode(equals.map { pair[pair.utf8.index(after: $0)...] } ?? "", isForm: true)
      else { throw malformed("the query is not percent-encoded UTF-8") }
      guard parameters.updateValue(value, forKey: name) == nil else {
        throw .field(String(name.prefix(100)), FieldRule("given_twice"))
      }
    }
  }

  private static func malformed(_ reason: String) -> Failure { Failure(RequestFailure.badRequest, ["reason": .text(reason)]) }
}
