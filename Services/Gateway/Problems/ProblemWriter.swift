import GatewayContract
import Operations

/// Puts failures into words.
struct ProblemWriter: Sendable {
  private let words: Words

  init(_ contracts: [Contract]) { words = Words(contracts.flatMap(\.words)) }

  /// - Parameter request: the request's outer name.
  func problem(_ failure: Failure, _ language: Language, request: String) -> Problem {
    let fields = failure.fields.map { problem in
      ProblemField(
        field: problem.field, code: problem.code, message: text("field.\(problem.code)", language, problem.parameters),
        suggestion: words.text("field.\(problem.code).suggestion", language, problem.parameters))
    }
    var operation: String?
    if case .text(let name)? = failure.parameters["operation"] { operation = name }
    var detail = self.detail(failure.code, of: operation, language, failure.parameters)
    if let suggestion = words.text("failure.\(failure.code).suggestion", language, failure.parameters) {
      detail += " " + suggestion
    }
    return Problem(
      type: "/docs#problem-\(failure.code)", title: text("status.\(failure.status)", language, [:]), status: failure.status,
      detail: detail, code: failure.code, instance: "urn:racha:request:\(request)", requestID: request,
      retryAfterSeconds: failure.retryAfterSeconds, errors: fields.isEmpty ? nil : fields)
  }

  /// The text in no parameters' terms, for the documentation.
  func explanation(_ code: String, of operation: String? = nil, _ language: Language) -> String {
    detail(code, of: operation, language, [:])
  }

  /// An operation's own words for a failure, or those that all have; see `Failure.ending(_:)`.
  private func detail(_ code: String, of operation: String?, _ language: Language, _ parameters: [String: Parameter]) -> String {
    if let operation, let own = words.text("failure.\(code).\(operation.prefix { $0 != "." })", language, parameters) {
      return own
    }
    return text("failure.\(code)", language, parameters)
  }

  /// Words that are missing (a test sees to it that none are) must not take the answer with them: the key stands for them.
  private func text(_ key: String, _ language: Language, _ parameters: [String: Parameter]) -> String {
    words.text(key, language, parameters).map(ProblemWriter.trimmed) ?? words.text(key, .english, parameters) ?? key
  }

  /// Parameters left empty leave spaces behind.
  private static func trimmed(_ text: String) -> String {
    guard text.hasSuffix(" ") else { return text }
    return String(text.dropLast())
  }
}
