import GatewayContract
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Operations

/// Answers HTTP requests: finds where the path leads, admits, passes the body on, and writes the answer or the problem.
struct HTTPResponder: Sendable {
  let catalog: Catalog
  let admission: Admission
  let switchboard: Switchboard
  let problems: ProblemWriter
  let fields: ResponseFields
  let pages: Pages
  let stream: EventStream
  let limits: GatewayConfiguration.Limits

  func respond(_ request: HummingbirdCore.Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
    var exchange = Exchange(request, channel.remoteAddress)
    var live: (Identification, after: Int?)?
    var answer: HTTPAnswer?
    do {
      let method = exchange.method == "HEAD" ? "GET" : exchange.method
      switch catalog.router.match(method, exchange.path) {
      case .found(.operation(let endpoint), let parameters):
        answer = try await call(endpoint, parameters, request, &exchange, writer)
      case .found(.page(.live), _): live = try await admitLive(&exchange)
      case .found(.page(let page), _): answer = try await pages.answer(page, exchange)
      case .otherMethod(let allowed): answer = try preflight(allowed, &exchange)
      case .notFound: throw Failure(RequestFailure.notFound)
      }
    } catch let failure as Failure {
      answer = refusal(failure, exchange)
    }
    if let answer {
      try await write(answer, exchange, writer)
    } else if let (identification, after) = live {
      try await stream.run(request, exchange, identification, after: after, writer)
    }
  }

  private func call(
    _ endpoint: Endpoint, _ path: [String: String], _ request: HummingbirdCore.Request, _ exchange: inout Exchange,
    _ writer: borrowing ResponseWriter
  ) async throws -> HTTPAnswer {
    let spec = endpoint.spec
    let identification = try await admit(spec.rate, needsAccount: endpoint.needsAccount, &exchange)
    var parameters = path
    if !exchange.query.isEmpty { try Query.parse(exchange.query, into: &parameters) }
    let key = try exchange.given.checkedIdempotencyKey()
    let call = ClientCall(
      endpoint: endpoint, name: exchange.name, trace: exchange.trace,
      caller: Caller(
        identification, language: exchange.language, address: exchange.addressText, userAgent: exchange.given.userAgent),
      parameters: parameters, idempotencyKey: key,
      body: exchange.method == "GET" || exchange.method == "HEAD" ? [] : try await body(request, exchange, writer))
    switch await switchboard.answer(call) {
    case .output(let status, let body): return .json(status, body)
    case .failure(let failure): throw failure
    }
  }

  private func admitLive(_ exchange: inout Exchange) async throws(Failure) -> (Identification, after: Int?) {
    guard let identification = try await admit(.read, needsAccount: true, &exchange) else {
      throw Failure(RequestFailure.unauthenticated)
    }
    return (identification, try EventStream.lastSeen(exchange))
  }

  /// Draws on the budgets and learns who calls.
  func admit(_ rateClass: RateClass, needsAccount: Bool, _ exchange: inout Exchange) async throws(Failure) -> Identification? {
    do {
      let pass = try await admission.admit(
        rateClass, needsAccount: needsAccount, token: exchange.given.token, address: exchange.address)
      exchange.standing = (pass.standing, rateClass)
      if let identification = pass.identification { exchange.language = identification.language }
      return pass.identification
    } catch {
      exchange.standing = error.standing.map { ($0, rateClass) }
      if let identification = error.identification { exchange.language = identification.language }
      throw error.failure
    }
  }

  /// The whole body; ``HTTPGuard`` has bounded it in size and time.
  private func body(_ request: HummingbirdCore.Request, _ exchange: Exchange, _ writer: borrowing ResponseWriter) async throws
    -> [UInt8]
  {
    if exchange.given.contentLength == "0" { return [] }
    if exchange.given.contentType != nil, !exchange.given.isJSON { throw Failure(RequestFailure.unsupportedMediaType) }
    if exchange.given.expectsContinue { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }
    let buffer = try await request.body.collect(upTo: limits.body)
    guard buffer.readableBytes > 0 else { return [] }
    guard exchange.given.isJSON else { throw Failure(RequestFailure.unsupportedMediaType) }
    return Array(buffer.readableBytesView)
  }

  /// The answer to a browser that asks whether it may call from another origin; to anyone else, that the method is none.
  private func preflight(_ allowed: String, _ exchange: inout Exchange) throws(Failure) -> HTTPAnswer {
    guard exchange.method == "OPTIONS", exchange.given.requestedMethod != nil, let origin = exchange.given.origin,
      fields.isAllowed(origin)
    else {
      exchange.allowed = allowed
      throw Failure(RequestFailure.methodNotAllowed)
    }
    return HTTPAnswer(status: .noContent, type: "text/plain", body: ByteBuffer(), extra: fields.preflight(allowed))
  }

  private func refusal(_ failure: Failure, _ exchange: Exchange) -> HTTPAnswer {
    let problem = problems.problem(failure, exchange.language, request: exchange.name.outer)
    var extra = HTTPFields()
    extra[.contentLanguage] = exchange.language.rawValue
    if let seconds = failure.retryAfterSeconds { extra[.retryAfter] = String(seconds) }
    if let allowed = exchange.allowed { extra[.allow] = allowed }
    if failure.status == 401 {
      // RFC 6750, section 3: without a token only the scheme, with a bad one the error.
      let hadToken = exchange.given.token != nil
      extra[.wwwAuthenticate] = hadToken ? "Bearer realm=\"racha\", error=\"invalid_token\"" : "Bearer realm=\"racha\""
    }
    return HTTPAnswer(
      status: .init(code: failure.status), type: "application/problem+json", body: ByteBuffer(bytes: problem.json), extra: extra)
  }

  private func write(_ answer: HTTPAnswer, _ exchange: Exchange, _ writer: consuming ResponseWriter) async throws {
    var head = HTTPResponse(
      status: answer.status,
      headerFields: fields.fields(
        type: answer.type, length: answer.body.readableBytes, request: exchange.name, origin: exchange.given.origin))
    if let (standing, rateClass) = exchange.standing { fields.add(standing, rateClass, to: &head.headerFields) }
    for field in answer.extra { head.headerFields[field.name] = field.value }
    if exchange.method == "HEAD" || answer.body.readableBytes == 0 {
      try await writer.writeResponse(head)
    } else {
      try await writer.write(response: head, body: ResponseBody(byteBuffer: answer.body))
    }
  }
}
