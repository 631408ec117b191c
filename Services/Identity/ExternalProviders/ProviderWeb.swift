import AsyncHTTPClient
import IdentityContract
import NIOCore
import NIOHTTP1
import Operations

/// Fetches from providers, and from nobody else: no redirects, bounded answers, little time.
///
/// Each exchange has a client of its own, whose connections end with it: what is asked often is kept by ``ProviderDirectory``, and a
/// login needs a single further request.
struct ProviderWeb: Sendable {
  /// More than any provider's metadata or keys take.
  static let maxBytes = 256 << 10

  /// How long one request may take, answer included.
  let wholeMilliseconds: Int64

  init(wholeMilliseconds: Int64 = 3000) { self.wholeMilliseconds = wholeMilliseconds }

  struct Answer: Sendable {
    let status: Int
    let body: [UInt8]
  }

  /// A document. A request that fails in passing is repeated once; it changes nothing.
  func get(_ url: ProviderURL) async throws -> [UInt8] {
    do {
      return try await getOnce(url)
    } catch let trouble as ProviderTrouble where trouble.failure == .providerUnavailable {
      return try await getOnce(url)
    }
  }

  private func getOnce(_ url: ProviderURL) async throws -> [UInt8] {
    var request = HTTPClientRequest(url: url.description)
    request.headers.add(name: "Accept", value: "application/json")
    let answer = try await send(request)
    guard answer.status == 200 else { throw ProviderTrouble.unavailable("status_\(answer.status)") }
    return answer.body
  }

  /// Sends a form, once: what it holds may be good for one use.
  ///
  /// - Parameter authorization: value of the header of that name.
  func post(_ url: ProviderURL, _ fields: [FormFields.Field], authorization: String?) async throws -> Answer {
    var request = HTTPClientRequest(url: url.description)
    request.method = .POST
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    if let authorization { request.headers.add(name: "Authorization", value: authorization) }
    request.body = .bytes(ByteBuffer(string: FormFields.text(fields)))
    return try await send(request)
  }

  /// Sends the request and waits for the whole answer, but no longer than it may take: the client's own deadline is for its head alone.
  private func send(_ request: HTTPClientRequest) async throws -> Answer {
    try await withThrowingTaskGroup(of: Answer.self) { group in
      group.addTask { try await exchange(request) }
      group.addTask {
        try await Task.sleep(for: .milliseconds(wholeMilliseconds))
        throw ProviderTrouble.unavailable("timed_out")
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw CancellationError() }
      return first
    }
  }

  private func exchange(_ request: HTTPClientRequest) async throws -> Answer {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: .milliseconds(wholeMilliseconds), read: .milliseconds(wholeMilliseconds)),
      decompression: .disabled)
    configuration.httpVersion = .http1Only
    do {
      return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
        let response = try await client.execute(request, timeout: .milliseconds(wholeMilliseconds))
        let body = try await response.body.collect(upTo: Self.maxBytes)
        return Answer(status: Int(response.status.code), body: Array(body.readableBytesView))
      }
    } catch let cancellation as CancellationError {
      throw cancellation
    } catch is NIOTooManyBytesError {
      throw ProviderTrouble.unavailable("answer_too_large")
    } catch let error as HTTPClientError where [.deadlineExceeded, .readTimeout, .connectTimeout].contains(error) {
      throw ProviderTrouble.unavailable("timed_out")
    } catch {
      throw ProviderTrouble.unavailable("unreachable")
    }
  }
}
