public import AsyncHTTPClient
import NIOCore
import NIOHTTP1
public import Operations

/// Calls a gateway over HTTP with the operations of the contracts, so that program and server cannot disagree on a field.
///
///     let client = GatewayClient(url: "http://127.0.0.1:8080")
///     let session = try await client.call(CreateSession.self, .init(login: "ana", password: "…"))
///     let mine = client.authorized(session.accessToken)
public struct GatewayClient: Sendable {
  /// The gateway's refusal: its decoded problem document (RFC 9457).
  public struct Problem: Error, Sendable, CustomStringConvertible {
    public let status: Int
    public let code: String
    public let detail: String
    public let requestID: String?
    public let fields: [String: String]
    public let retryAfterSeconds: Int?

    public var description: String { "\(status) \(code) \(detail) \(fields.isEmpty ? "" : "\(fields)")" }

    /// Whether a retry may succeed in a moment.
    public var isPassing: Bool {
      status == 503 || status == 504 || status == 429 || ["still_running", "attachment_being_completed"].contains(code)
    }
  }

  /// One server-sent event.
  public struct LiveEvent: Sendable, Hashable {
    public let id: String?
    public let event: String
    public let data: String
  }

  private let http: HTTPClient
  private let url: String
  private let accessToken: String?
  private let language: Language?
  private let timeout: TimeAmount

  public init(
    url: String, http: HTTPClient = .shared, accessToken: String? = nil, language: Language? = nil, timeoutSeconds: Int = 15
  ) {
    self.http = http
    self.url = url
    self.accessToken = accessToken
    self.language = language
    timeout = .seconds(Int64(timeoutSeconds))
  }

  /// The same client with an account's access token.
  public func authorized(_ token: String) -> GatewayClient {
    GatewayClient(
      url: url, http: http, accessToken: token, language: language, timeoutSeconds: Int(timeout.nanoseconds / 1_000_000_000))
  }

  /// Calls an operation once.
  ///
  /// - Parameter idempotencyKey: makes a retry harmless; pass the same key for each attempt.
  /// - Throws: ``Problem`` if the gateway refused, an error of the HTTP client if there is no answer.
  public func call<O: Operation>(_ operation: O.Type, _ input: O.Input, idempotencyKey: String? = nil) async throws -> O.Output {
    try await call(PreparedCall<O>(input), idempotencyKey: idempotencyKey)
  }

  /// Calls an operation once, as ``call(_:_:idempotencyKey:)`` does, with an input that was encoded before.
  public func call<O: Operation>(_ prepared: PreparedCall<O>, idempotencyKey: String? = nil) async throws -> O.Output {
    var request = HTTPClientRequest(url: url + prepared.path)
    request.method = HTTPMethod(rawValue: prepared.method.rawValue)
    addHeaders(to: &request)
    if let idempotencyKey { request.headers.add(name: "Idempotency-Key", value: idempotencyKey) }
    if let body = prepared.body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(body)
    }
    let response = try await http.execute(request, timeout: timeout)
    let bytes = try await response.body.collect(upTo: 16 << 20)
    let reply = [UInt8](buffer: bytes)
    guard response.status.code < 400 else {
      throw GatewayClient.problem(
        reply, status: Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"))
    }
    guard case .answer = O.spec.raw else { return try O.Output.decode(reply, limits: JSONLimits(bytes: 16 << 20)) }
    // The file itself, made into the document that stands for it everywhere else.
    let tag = response.headers.first(name: "ETag")?.filter { $0 != "\"" }
    let file = MediaFile(
      mediaType: response.headers.first(name: "Content-Type") ?? "", tag: tag ?? "", content: Base64Bytes(reply))
    return try O.Output.decode(file.json)
  }

  /// Calls an operation, and retries it while it fails for a passing reason, until the time is over.
  public func callUntilDone<O: Operation>(
    _ operation: O.Type, _ input: O.Input, idempotencyKey: String? = nil, withinSeconds: Int = 60
  ) async throws -> O.Output {
    let end = Instant.now.adding(seconds: withinSeconds)
    var pause = 20
    while true {
      do {
        return try await call(operation, input, idempotencyKey: idempotencyKey)
      } catch let problem as Problem where !problem.isPassing {
        throw problem
      } catch  where Instant.now < end {
        try await Task.sleep(for: .milliseconds(pause))
        pause = min(pause * 2, 500)
      }
    }
  }

  /// The path and query of an operation with this input, as ``get(_:headers:)`` takes it.
  public static func path<O: Operation>(_ operation: O.Type, _ input: O.Input) throws -> String {
    try PreparedCall<O>(input).path
  }

  /// Gets any path, and returns its status and text.
  public func get(_ path: String, headers: [String: String] = [:]) async throws -> (status: Int, text: String) {
    var request = HTTPClientRequest(url: url + path)
    addHeaders(to: &request)
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    let response = try await http.execute(request, timeout: timeout)
    let body = try await response.body.collect(upTo: 16 << 20)
    return (Int(response.status.code), String(buffer: body))
  }

  /// The live events of the account, from after `lastEventID` on, until the connection ends.
  public func live(after lastEventID: String?) async throws -> AsyncThrowingStream<LiveEvent, any Error> {
    var request = HTTPClientRequest(url: url + "/v1/live")
    addHeaders(to: &request)
    request.headers.replaceOrAdd(name: "Accept", value: "text/event-stream")
    if let lastEventID { request.headers.add(name: "Last-Event-ID", value: lastEventID) }
    let response = try await http.execute(request, timeout: .hours(24))
    guard response.status == .ok else {
      let body = try await response.body.collect(upTo: 1 << 20)
      throw GatewayClient.problem(
        [UInt8](buffer: body), status: Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"))
    }
    let (stream, continuation) = AsyncThrowingStream<LiveEvent, any Error>.makeStream()
    let reading = Task {
      do {
        var parser = ServerSentEvents()
        for try await part in response.body {
          for event in parser.read(part.readableBytesView) { continuation.yield(event) }
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in reading.cancel() }
    return stream
  }

  private func addHeaders(to request: inout HTTPClientRequest) {
    if let accessToken { request.headers.add(name: "Authorization", value: "Bearer \(accessToken)") }
    if let language { request.headers.add(name: "Accept-Language", value: language.rawValue) }
  }

  static func problem(_ bytes: [UInt8], status: Int, retryAfter: String?) -> Problem {
    let document: JSON
    do {
      document = try JSONTape(bytes).json
    } catch {
      document = .object([])
    }
    func string(_ value: JSON?) -> String? {
      guard case .string(let text) = value else { return nil }
      return text
    }
    var fields: [String: String] = [:]
    if case .array(let errors) = document["errors"] {
      for error in errors { fields[string(error["field"]) ?? ""] = string(error["code"]) ?? "" }
    }
    return Problem(
      status: status, code: string(document["code"]) ?? "", detail: string(document["detail"]) ?? "",
      requestID: string(document["requestID"]), fields: fields, retryAfterSeconds: retryAfter.flatMap { Int($0) })
  }
}

/// Reads a stream of server-sent events (WHATWG HTML, section 9.2.6) from parts of any size.
struct ServerSentEvents {
  private var line: [UInt8] = []
  private var id: String?
  private var event = ""
  private var data: [String] = []

  mutating func read(_ bytes: some Sequence<UInt8>) -> [GatewayClient.LiveEvent] {
    var events: [GatewayClient.LiveEvent] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      let text = String(decoding: line, as: UTF8.self)
      line.removeAll(keepingCapacity: true)
      if let event = take(text) { events.append(event) }
    }
    return events
  }

  private mutating func take(_ text: String) -> GatewayClient.LiveEvent? {
    guard !text.isEmpty else {
      defer { (event, data) = ("", []) }
      guard !data.isEmpty else { return nil }
      return .init(id: id, event: event.isEmpty ? "message" : event, data: data.joined(separator: "\n"))
    }
    let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    var value = colon == text.endIndex ? "" : text[text.utf8.index(after: colon)...]
    if value.utf8.first == UInt8(ascii: " ") { value = value[value.utf8.index(after: value.startIndex)...] }
    switch text[..<colon] {
    case "id": id = String(value)
    case "event": event = String(value)
    case "data": data.append(String(value))
    default: break
    }
    return nil
  }
}
