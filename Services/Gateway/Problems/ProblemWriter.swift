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
    var detail = text("failure.\(failure.code)", language, failure.parameters)
    if let suggestion = words.text("failure.\(failure.code).suggestion", language, failure.parameters) {
      detail += " " + suggestion
    }
    return Problem(
      type: "/docs#problem-\(failure.code)", title: text("status.\(failure.status)", language, [:]), status: failure.status,
      detail: detail, code: failure.code, instance: "urn:racha:request:\(request)", requestID: request,
      retryAfterSeconds: failure.retryAfterSeconds, errors: fields.isEmpty ? nil : fields)
  }

  /// The text in no parameters' terms, for the documentation.
  func explanation(_ code: String, _ language: Language) -> String { text("failure.\(code)", language, [:]) }

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
