import GatewayContract
import NIOCore
import Operations

/// Answers HTTP requests: finds where the path leads, admits, passes the body on, and makes the answer or the problem.
struct HTTPResponder: Sendable {
  /// What a request leads to.
  enum Outcome: Sendable {
    case answer(HTTPAnswer)
    /// One whose body is fetched as the client reads it.
    case download(HTTPAnswer, any DownloadBody)
    /// A stream that goes on until one side ends it.
    case live(Identification, after: Int?)
  }

  let catalog: Catalog
  let admission: Admission
  let caller: OperationCaller
  let problems: ProblemWriter
  let heads: ResponseHeads
  let system: SystemResponder
  let pages: PageServices

  func respond(_ exchange: inout Exchange, _ body: [UInt8]) async -> Outcome {
    do throws(Failure) {
      if let repeated = exchange.given.repeated {
        exchange.language = await language(exchange)
        throw Malformation.oneField.failure(["field": .text(repeated.description)])
      }
      let method = exchange.method == "HEAD" ? "GET" : exchange.method
      switch catalog.router.match(method, exchange.path) {
      case .found(.operation(let endpoint), let parameters): return .answer(try await call(endpoint, parameters, body, &exchange))
      case .found(.page(let page), let parameters): return .answer(await pages.answer(page, parameters, body, &exchange))
      case .found(.download(let download), let parameters):
        let (answer, rest) = try await download.begin(parameters, caller, &exchange)
        return .download(answer, rest)
      case .found(.system(let endpoint), _):
        if !endpoint.isHealth { try admission.draw(exchange.address) }
        return .answer(try await system.answer(endpoint, exchange))
      case .found(.live, _):
        guard let identification = try await caller.admit(.read, needsAccount: true, EventStream.scope, &exchange) else {
          throw Failure(RequestFailure.unauthenticated)
        }
        return .live(identification, after: try EventStream.lastSeen(exchange))
      case .otherMethod(let allowed):
        try admission.draw(exchange.address)
        exchange.language = await language(exchange)
        return .answer(try preflight(allowed, &exchange))
      case .notFound:
        try admission.draw(exchange.address)
        exchange.language = await language(exchange)
        throw Failure(RequestFailure.notFound)
      }
    } catch {
      return .answer(refusal(error, exchange))
    }
  }

  /// Answers a request whose body is passed on as it arrives. The answer is sent after the end of the body, or once the body fails to
  /// arrive: a browser that is still sending would not read an answer.
  func respond(_ exchange: inout Exchange, _ body: RequestBodyStream) async -> Outcome {
    let answer = await upload(&exchange, body)
    await body.drain()
    return .answer(answer)
  }

  private func upload(_ exchange: inout Exchange, _ body: RequestBodyStream) async -> HTTPAnswer {
    do throws(Failure) {
      if let repeated = exchange.given.repeated {
        throw Malformation.oneField.failure(["field": .text(repeated.description)])
      }
      guard let page = catalog.uploadPages[String(exchange.path)] else { throw Failure(RequestFailure.notFound) }
      return await pages.answer(page, body, &exchange)
    } catch {
      return refusal(error, exchange)
    }
  }

  private func call(
    _ endpoint: Endpoint, _ path: [String: String], _ body: [UInt8], _ exchange: inout Exchange
  ) async throws(Failure) -> HTTPAnswer {
    let identification = try await caller.admit(endpoint, &exchange)
    var parameters = path
    try Query.parse(exchange.query, into: &parameters)
    // What comes with a request that takes no body means nothing (RFC 9110, sections 9.3.1 and 9.3.5).
    let json = endpoint.spec.takesBody ? try endpoint.json(body, exchange.given) : []
    let (status, output) = try await caller.call(endpoint, parameters, json, identification, exchange)
    return try endpoint.answer(status, output, exchange.given)
  }

  /// The language of a refusal before admission: the account's where the token is valid, what the request asks for otherwise.
  func language(_ exchange: Exchange) async -> Language {
    await admission.language(token: exchange.given.token, address: exchange.address) ?? exchange.language
  }

  /// Answers a browser's CORS preflight; any other caller is told that the method is not allowed.
  private func preflight(_ allowed: String, _ exchange: inout Exchange) throws(Failure) -> HTTPAnswer {
    guard exchange.method == "OPTIONS", exchange.given.requestedMethod != nil, let origin = exchange.given.origin,
      heads.isAllowed(origin)
    else {
      exchange.allowed = allowed
      throw Failure(RequestFailure.methodNotAllowed)
    }
    return HTTPAnswer(status: 204, type: "", body: ByteBuffer(), extra: heads.preflight(allowed))
  }

  /// The problem that reports a failure.
  func refusal(_ failure: Failure, _ exchange: Exchange) -> HTTPAnswer {
    let problem = problems.problem(failure, exchange.language, request: exchange.name.outer)
    var extra = [ResponseField(name: "Content-Language", value: exchange.language.rawValue)]
    if let seconds = failure.retryAfterSeconds { extra.append(ResponseField(name: "Retry-After", value: String(seconds))) }
    // RFC 9110, section 12.5.3: so that the client can distinguish the coding from the media type, both of which are answered 415.
    if failure.code == GatewayFailure.unsupportedContentCoding.rawValue {
      extra.append(ResponseField(name: "Accept-Encoding", value: "identity"))
    }
    if let allowed = exchange.allowed { extra.append(ResponseField(name: "Allow", value: allowed)) }
    if failure.status == 401 {
      // RFC 6750, section 3: without a token only the scheme, with a bad one the error.
      let hadToken = exchange.given.token != nil
      let challenge = hadToken ? "Bearer realm=\"racha\", error=\"invalid_token\"" : "Bearer realm=\"racha\""
      extra.append(ResponseField(name: "WWW-Authenticate", value: challenge))
    }
    if failure.code == RequestFailure.insufficientScope.rawValue {
      // RFC 6750, section 3.1: with the scope that is lacking, where one would do.
      let scope = failure.parameters["scope"].map { ", scope=\"\($0)\"" } ?? ""
      let challenge = "Bearer realm=\"racha\", error=\"insufficient_scope\"\(scope)"
      extra.append(ResponseField(name: "WWW-Authenticate", value: challenge))
    }
    return HTTPAnswer(
      status: failure.status, type: "application/problem+json", body: ByteBuffer(bytes: problem.json), extra: extra)
  }
}
