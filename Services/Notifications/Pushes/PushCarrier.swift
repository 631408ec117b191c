import Foundation
import NotificationsContract
import Operations
import Web

/// Gives pushes to push services (RFC 8030) over HTTP: https to public addresses alone, and whatever is set to one's own services. A name
/// is resolved once, and connected to is what was looked at; redirects are not followed.
struct PushCarrier: Sendable {
  /// Nothing of an answer's body is needed.
  private static let maxAnswer = 64 << 10

  let rules: PushEndpointRules
  /// Resolves a name; none where it has no address, or cannot be resolved.
  var find: @Sendable (_ host: String) async -> [HostAddresses.Address] = HostAddresses.find
  var seconds = 20

  func carry(_ push: PushRequest) async -> PushAnswer {
    do {
      let answer = try await request(push).send()
      return PushAnswer(status: answer.status, retryAfterSeconds: answer.retryAfter.flatMap(Self.seconds))
    } catch PushFailure.notPublic {
      return .never(.notPublic)
    } catch {
      return .later(.unreachable, afterSeconds: nil)
    }
  }

  /// What is sent, with the addresses that were looked at.
  ///
  /// - Throws: ``PushFailure/notPublic``, ``PushFailure/unreachable``.
  func request(_ push: PushRequest) async throws(PushFailure) -> WebRequest {
    let endpoint = push.endpoint
    // The settings may have changed since it was subscribed.
    guard rules.allows(endpoint) else { throw .notPublic }
    var addresses: WebRequest.Addresses?
    if !rules.isOwn(endpoint) {
      let found = await find(endpoint.host)
      guard !found.isEmpty else { throw .unreachable }
      // One that is not public means that its owner has others in mind than the internet.
      guard found.allSatisfy({ PublicAddress.isPublic($0.bytes) }) else { throw .notPublic }
      addresses = .init(host: endpoint.host, port: endpoint.port, texts: found.map(\.text))
    }
    return WebRequest(
      endpoint.description, posting: push.body, headers: push.headers, addresses: addresses, maxBytes: Self.maxAnswer,
      timeout: .seconds(seconds))
  }

  /// The seconds of a `Retry-After`: a number, or a date (RFC 9110, section 10.2.3).
  static func seconds(_ text: String) -> Int? { seconds(text, at: .now) }

  static func seconds(_ text: String, at now: Instant) -> Int? {
    if let number = Int(text.trimmed) { return number < 0 ? nil : number }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.date(from: text.trimmed).map { max(0, Int($0.timeIntervalSince1970) - Int(now.milliseconds / 1000)) }
  }
}
