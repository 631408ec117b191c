import GatewayContract
import IdentityContract
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
    return Problem(
      type: "/docs#problem-\(failure.code)", title: text("status.\(failure.status)", language), status: failure.status,
      detail: detail(failure, language), code: failure.code, instance: "urn:racha:request:\(request)", requestID: request,
      retryAfterSeconds: failure.retryAfterSeconds, until: failure.suspendedUntil, errors: fields.isEmpty ? nil : fields,
      remedy: ProblemRemedy(against: failure.code))
  }

  /// What went wrong this time, and what to do about it.
  private func detail(_ failure: Failure, _ language: Language) -> String {
    let parameters = failure.parameters
    var operation: String?
    if case .text(let name)? = parameters["operation"] { operation = name }
    let detail = text(key(failure.code, of: operation), language, parameters)
    guard let suggestion = words.text("failure.\(failure.code).suggestion", language, parameters) else { return detail }
    return detail + " " + suggestion
  }

  /// The text for the documentation, with its parameters' names in braces.
  func explanation(_ code: String, of operation: String? = nil, _ language: Language) -> String {
    let key = key(code, of: operation)
    let names = words.parameters(key, language) ?? []
    return text(key, language, Dictionary(uniqueKeysWithValues: names.map { ($0, .text("{\($0)}")) }))
  }

  /// An operation's own words for a failure, or those that all have; see `Failure.ending(_:)`.
  private func key(_ code: String, of operation: String?) -> String {
    guard let operation else { return "failure.\(code)" }
    // Of the operation itself, or of all whose names begin alike.
    let own = [operation, String(operation.split(at: ".")[0])].map { "failure.\(code).\($0)" }
    return own.first { words.parameters($0, .english) != nil } ?? "failure.\(code)"
  }

  /// A missing text (a test ensures that there is none) must not fail the answer: its key is shown instead.
  func text(_ key: String, _ language: Language, _ parameters: [String: Parameter] = [:]) -> String {
    words.text(key, language, parameters).map(ProblemWriter.trimmed) ?? words.text(key, .english, parameters) ?? key
  }

  /// Parameters left empty leave spaces behind.
  private static func trimmed(_ text: String) -> String {
    guard text.ends(with: " ") else { return text }
    return String(decoding: text.utf8.dropLast(), as: UTF8.self)
  }
}

extension ProblemRemedy {
  /// Nil where no operation by itself helps.
  fileprivate init?(against code: String) {
    let spec: OperationSpec
    switch code {
    case RequestFailure.verificationRequired.rawValue: spec = ResendVerification.spec
    case RequestFailure.consentRequired.rawValue: spec = UpdateSettings.spec
    case LogInFailure.locked.rawValue, LogInFailure.wrongCredentials.rawValue: spec = RequestPasswordRecovery.spec
    case RequestFailure.tokenExpired.rawValue: spec = RefreshSession.spec
    default:
      guard let found = ProblemRemedy.spec(against: code) else { return nil }
      spec = found
    }
    guard let route = spec.route else { return nil }
    self.init(operation: spec.name, method: route.method.rawValue, path: route.path)
  }

  /// Where a link, a flow or a session has ended: how to get another.
  private static func spec(against code: String) -> OperationSpec? {
    if VerificationFailure(rawValue: code) != nil { return ResendVerification.spec }
    if let failure = EmailChangeFailure(rawValue: code) {
      switch failure {
      case .linkInvalid, .linkExpired, .linkReplaced, .cancelled, .addressTaken: return RequestEmailChange.spec
      case .linkUsed: return nil
      }
    }
    if let failure = LoginAlertFailure(rawValue: code) {
      switch failure {
      case .linkInvalid, .expired, .answered: return ListSessions.spec
      case .ownSession: return nil
      }
    }
    if let failure = ExternalLoginFailure(rawValue: code) {
      switch failure {
      case .stateInvalid, .stateExpired, .stateUsed: return BeginExternalLogin.spec
      default: return nil
      }
    }
    if SuspensionLinkFailure(rawValue: code) != nil { return LogIn.spec }
    if FreshLoginFailure(rawValue: code) != nil { return BeginExternalLogin.spec }
    if RecoveryFailure(rawValue: code) != nil { return RequestPasswordRecovery.spec }
    return RefreshFailure(rawValue: code) == nil ? nil : LogIn.spec
  }
}
