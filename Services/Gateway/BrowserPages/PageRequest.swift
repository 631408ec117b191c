import GatewayContract
import IdentityContract
import Operations

/// The request for a page, and what the page needs to answer it: read the query or the form, admit the request, call operations, look up
/// texts.
struct PageRequest: Sendable {
  /// Parameters of the path.
  let parameters: [String: String]
  /// The fields of the query or the form, once they were read.
  private(set) var fields: [String: String]?
  private(set) var exchange: Exchange
  private let body: [UInt8]
  private let services: PageServices
  private var identification: Identification?

  init(_ exchange: Exchange, _ parameters: [String: String], _ body: [UInt8], _ services: PageServices) {
    self.exchange = exchange
    self.parameters = parameters
    self.body = body
    self.services = services
  }

  /// Whether a form was sent; otherwise the page was opened.
  var isForm: Bool { exchange.method == "POST" }

  var language: Language { exchange.language }

  /// Words in the reader's language.
  func text(_ key: String, _ values: [String: Parameter] = [:]) -> String { services.problems.text(key, language, values) }

  // MARK: - Reading

  /// The fields of the address's query.
  mutating func readQuery() throws(Failure) -> [String: String] {
    var fields: [String: String] = [:]
    try Query.parse(exchange.query, into: &fields)
    self.fields = fields
    return fields
  }

  /// The fields of the form that was sent.
  ///
  /// - Parameter texts: the names of those that may have several lines.
  mutating func readForm(withLinesIn texts: Set<String> = []) throws(Failure) -> [String: String] {
    try exchange.given.checkContentCoding()
    guard exchange.given.isForm else { throw Failure(GatewayFailure.formRequired) }
    guard let text = String(validating: body, as: UTF8.self) else { throw Malformation.formEncoding.failure() }
    var fields: [String: String] = [:]
    try Query.parse(text[...], into: &fields, orElse: .formEncoding, withLinesIn: texts)
    self.fields = fields
    return fields
  }

  /// Notes what a form held that was read elsewhere, so that a refusal can show it again.
  mutating func note(_ fields: [String: String]) { self.fields = fields }

  // MARK: - Calling

  /// Draws on the budgets as any call of that operation does.
  mutating func admit(_ operation: any Operation.Type) async throws(Failure) {
    identification = try await services.caller.admit(try services.endpoint(operation), &exchange)
  }

  /// Draws on the budgets of that class.
  mutating func admit(_ rate: RateClass) async throws(Failure) {
    identification = try await services.caller.admit(rate, needsAccount: false, .none, &exchange)
  }

  /// Calls an operation for the reader, who must have been admitted.
  func call<O: Operation>(_ operation: O.Type, _ input: O.Input) async throws(Failure) -> O.Output {
    let endpoint = try services.endpoint(operation)
    let (_, output) = try await services.caller.call(endpoint, [:], input.json, identification, exchange)
    return try O.Output.decode(output)
  }

  /// Calls an operation in the gateway's own name.
  ///
  /// - Parameter seconds: how long the answer may take.
  func callAsGateway<O: Operation>(
    _ operation: O.Type, _ input: O.Input, seconds: Int = 5
  ) async throws(Failure) -> O.Output {
    try await services.client.request(operation, input, seconds: seconds)
  }

  /// Asks whether a mailed link works that is opened, within the same budget as its form.
  ///
  /// - Throws: why it does not.
  @discardableResult
  mutating func validate(_ purpose: EmailLinkPurpose, _ token: String) async throws(Failure) -> ValidateEmailLink.Output {
    try await admit(ValidateEmailLink.self)
    return try await call(ValidateEmailLink.self, .init(purpose: purpose, token: token))
  }
}

/// What pages have in common.
struct PageServices: Sendable {
  let endpoints: [String: Endpoint]
  let caller: OperationCaller
  let client: GatewayClient
  let problems: ProblemWriter

  func endpoint(_ operation: any Operation.Type) throws(Failure) -> Endpoint {
    guard let endpoint = endpoints[operation.spec.name] else { throw Failure(RequestFailure.notFound) }
    return endpoint
  }

  /// Has a page answer, with a page in any case.
  func answer(
    _ page: any BrowserPage, _ parameters: [String: String], _ body: [UInt8], _ exchange: inout Exchange
  ) async -> HTTPAnswer {
    var request = PageRequest(exchange, parameters, body, self)
    defer { exchange = request.exchange }
    do throws(Failure) {
      return HTTPAnswer(try await page.answer(&request), request.language)
    } catch {
      return refusal(error, page, request)
    }
  }
}

extension PageServices {
  /// Has a page answer a form with a file that is being sent.
  func answer(_ page: any UploadPage, _ body: RequestBodyStream, _ exchange: inout Exchange) async -> HTTPAnswer {
    var request = PageRequest(exchange, [:], [], self)
    defer { exchange = request.exchange }
    do throws(Failure) {
      return HTTPAnswer(try await page.answer(&request, body), request.language)
    } catch {
      return refusal(error, page, request)
    }
  }

  /// The page that says what went wrong.
  private func refusal(_ failure: Failure, _ page: any BrowserPage, _ request: PageRequest) -> HTTPAnswer {
    let problem = problems.problem(failure, request.language, request: request.exchange.name.outer)
    var answer = HTTPAnswer(.page(page.refusal(problem, request)), request.language)
    if let seconds = problem.retryAfterSeconds {
      answer.extra.append(ResponseField(name: "Retry-After", value: String(seconds)))
    }
    return answer
  }
}

/// The token of a mailed link, among the fields of the link's query or of the page's form.
enum LinkToken {
  static let schema: JSON = ["type": "string", "minLength": 1, "maxLength": 200]
  static let form: JSON = ["type": "object", "required": ["token"], "properties": ["token": schema]]
  static let parameter: JSON = [
    "name": "token", "in": "query", "required": true, "description": "The mailed link's token.", "schema": schema,
  ]

  /// - Parameter invalid: the refusal where there is no possible token.
  static func read(_ fields: [String: String], orElse invalid: Failure, from name: String = "token") throws(Failure) -> String {
    guard let token = fields[name], (1...200).contains(token.utf8.count) else { throw invalid }
    return token
  }

  /// Whether a token can be one, which stands for itself in a URL (RFC 3986, section 2.3): what else a form may hold is no link's.
  static func isPlain(_ token: String) -> Bool {
    token.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
      default: false
      }
    }
  }
}
