import IdentityContract
import Operations
import Web
import Workers

/// The HTTP client for providers only: no redirects, bounded answers, short timeouts.
///
/// Each exchange has its own connection: ``ProviderDirectory`` caches what is needed often, and a login needs only one further request.
struct ProviderWeb: Sendable {
  /// More than any provider's metadata or keys take.
  static let maxBytes = 256 << 10

  /// How long one request may take, answer included.
  let wholeMilliseconds: Int64
  /// The certificates of authorities to believe, as PEM; nil for those of the system.
  let authoritiesFile: String?
  /// Each exchange holds a thread. When the queue is full, a request is not sent: a provider that does not answer delays nothing else.
  private let workers = WorkerPool(label: "providers", threads: 16, maxWaiting: 64)

  init(wholeMilliseconds: Int64 = 3000, authoritiesFile: String? = nil) {
    self.wholeMilliseconds = wholeMilliseconds
    self.authoritiesFile = authoritiesFile
  }

  struct Answer: Sendable {
    let status: Int
    let body: [UInt8]
  }

  /// A document. A request that fails in passing is repeated once; it changes nothing.
  func get(_ url: ProviderURL) async throws -> [UInt8] {
    do {
      return try await getOnce(url)
    } catch let problem as ProviderError where problem.failure == .providerUnavailable {
      return try await getOnce(url)
    }
  }

  private func getOnce(_ url: ProviderURL) async throws -> [UInt8] {
    let answer = try await send(request(url))
    guard answer.status == 200 else { throw ProviderError.unavailable("status_\(answer.status)") }
    return answer.body
  }

  /// Sends a form once, without retries: its content may be valid for a single use.
  ///
  /// - Parameter authorization: the value of the `Authorization` header.
  func post(_ url: ProviderURL, _ fields: [FormFields.Field], authorization: String?) async throws -> Answer {
    try await send(request(url, form: FormFields.text(fields), authorization: authorization))
  }

  private func request(_ url: ProviderURL, form: String? = nil, authorization: String? = nil) -> WebRequest {
    var headers = ["Accept: application/json"]
    if form != nil { headers.append("Content-Type: application/x-www-form-urlencoded") }
    if let authorization { headers.append("Authorization: \(authorization)") }
    return WebRequest(
      url.description, posting: form.map { Array($0.utf8) }, headers: headers, authoritiesFile: authoritiesFile,
      maxBytes: Self.maxBytes)
  }

  /// Waits for a thread and for the whole answer, but no longer than it may take.
  private func send(_ request: WebRequest) async throws -> Answer {
    let end = ContinuousClock.now.advanced(by: .milliseconds(wholeMilliseconds))
    let flag = CancellationFlag()
    return try await withTaskCancellationHandler {
      do {
        return try await workers.run { try Self.perform(request, until: end, flag) }
      } catch is Failure {
        throw ProviderError.unavailable("too_many_waiting")
      }
    } onCancel: {
      flag.cancel()
    }
  }

  /// - Throws: ``ProviderError``, or `CancellationError`.
  private static func perform(
    _ request: WebRequest, until end: ContinuousClock.Instant, _ flag: CancellationFlag
  ) throws -> Answer {
    var request = request
    request.timeout = ContinuousClock.now.duration(to: end)
    do {
      let answer = try request.perform(flag)
      return Answer(status: answer.status, body: answer.body)
    } catch let failure as WebRequest.Unreachable {
      switch failure.cause {
      case .connection: throw ProviderError.unavailable("unreachable")
      case .timedOut: throw ProviderError.unavailable("timed_out")
      case .answerTooLarge: throw ProviderError.unavailable("answer_too_large")
      }
    }
  }
}
