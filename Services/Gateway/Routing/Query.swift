import Operations

/// Reads the parameters of a request's query, or of a form, into the fields of an operation's input.
enum Query {
  /// Beyond it a query is refused.
  static let maxParameters = 64

  /// Adds `a=1&b=2` to the parameters from the path.
  ///
  /// - Parameters:
  ///   - broken: what it is called where an escape is broken.
  ///   - texts: the names of those that may have several lines, and tabs.
  /// - Throws: `bad_request` for a broken escape or too many; `invalid_fields` for a name given twice or a control character.
  static func parse(
    _ query: Substring, into parameters: inout [String: String], orElse broken: Malformation = .queryEncoding,
    withLinesIn texts: Set<String> = []
  ) throws(Failure) {
    let inPath = Set(parameters.keys)
    var count = 0
    for pair in query.split(at: "&", omitsEmpty: true) {
      count += 1
      guard count <= maxParameters else { throw Malformation.queryTooLong.failure(["limit": .number(maxParameters)]) }
      let equals = pair.utf8.firstIndex(of: UInt8(ascii: "="))
      guard let name = PercentEncoding.decode(pair[..<(equals ?? pair.endIndex)], isForm: true), !hasControl(name),
        let value = PercentEncoding.decode(equals.map { pair[pair.utf8.index(after: $0)...] } ?? "", isForm: true)
      else { throw broken.failure() }
      guard parameters.updateValue(value, forKey: name) == nil else {
        let shown = name.beginning(maxBytes: FieldProblem.maxNameBytes)
        throw .field(shown, FieldRule(inPath.contains(name) ? "in_path" : "repeated", ["name": .text(shown)]))
      }
    }
    try checkCharacters(parameters, withLinesIn: texts)
  }

  /// Refuses control characters, which no parameter may have, under the fields' own names: on the bus they would be at fault in
  /// the request's header, which is the gateway's.
  ///
  /// - Parameter texts: the names of those that may have several lines, and tabs; they do not go into a header.
  static func checkCharacters(_ parameters: [String: String], withLinesIn texts: Set<String> = []) throws(Failure) {
    let faulty = parameters.filter { hasControl($0.value, exceptLines: texts.contains($0.key)) }
    let problems = faulty.keys.sorted().map { name in
      FieldProblem(field: name.beginning(maxBytes: FieldProblem.maxNameBytes), FieldRule("control_character"))
    }
    guard problems.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: problems) }
  }

  private static func hasControl(_ text: String, exceptLines: Bool = false) -> Bool {
    text.utf8.contains { byte in
      switch byte {
      case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): !exceptLines
      default: byte < 0x20 || byte == 0x7F
      }
    }
  }
}
