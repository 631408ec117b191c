import Foundation
import NotificationsContract
import Operations
import Web

/// Gives pushes to push services (RFC 8030) over HTTP: https to public addresses alone, and whatever is set to one's own services. A name is
/// resolved once, and connected to is what was looked at; redirects are not followed.
struct PushCarrier: Sendable {
  /// Nothing of an answer's body is needed.
  private static let maxAnswer = 64 << 10

  let rules: PushEndpointRules
  var seconds = 20

  func carry(_ letter: PushLetter) async -> PushAnswer {
    let endpoint = letter.endpoint
    // The settings may have changed since it was subscribed.
    guard rules.allows(endpoint) else { return .never(.notPublic) }
    var addresses: [String]?
    if !rules.isOwn(endpoint) {
      let found = await HostAddresses.find(endpoint.host)
      guard !found.isEmpty else { return .later(.unreachable, afterSeconds: nil) }
      // One that is not public means that its owner has others in mind than the internet.
      guard found.allSatisfy({ PublicAddress.isPublic($0.bytes) }) else { return .never(.notPublic) }
      addresses = found.map(\.text)
    }
    do {
      let request = WebRequest(
        endpoint.description, posting: letter.body, headers: letter.headers,
        addresses: addresses.map { .init(host: endpoint.host, port: endpoint.port, texts: $0) }, maxBytes: Self.maxAnswer,
        seconds: seconds)
      let answer = try await request.send()
      return PushAnswer(status: answer.status, retryAfterSeconds: answer.retryAfter.flatMap(Self.seconds))
    } catch {
      return .later(.unreachable, afterSeconds: nil)
    }
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
