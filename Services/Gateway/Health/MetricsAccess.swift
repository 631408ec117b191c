import Crypto
import GatewayContract
public import Operations

/// Whom `/metrics` answers, by `racha.metrics`.
public enum MetricsAccess: String, Choice {
  /// Callers with the token of the settings, where there is one; otherwise this machine, see ``LocalAccess``. With a token, this machine
  /// needs it too: a proxy on this machine that adds no header cannot be distinguished from it.
  case local
  case all
  /// Nobody: a proxy on this machine that adds no header cannot be distinguished from this machine.
  case off

  /// Returns if the caller may read the metrics.
  ///
  /// - Throws: `not_found` where the metrics are off; otherwise `unauthenticated` where a token would help, or `local_only`.
  func check(_ exchange: Exchange, _ token: MetricsToken?) throws(Failure) {
    switch self {
    case .off: throw Failure(RequestFailure.notFound)
    case .all: return
    case .local:
      if let token {
        guard let given = exchange.given.token, token.matches(given) else { throw Failure(RequestFailure.unauthenticated) }
      } else {
        guard LocalAccess.isGranted(exchange) else { throw Failure(GatewayFailure.localOnly) }
      }
    }
  }
}

/// The secret that opens `/metrics`, brought as a bearer token (RFC 6750), as Prometheus does by `authorization`.
public struct MetricsToken: Sendable {
  /// Fewer characters could be guessed.
  static let minLength = 20

  private let digest: SHA256Digest

  /// - Returns: nil for a text that is too short, or that no header field carries.
  public init?(_ text: String) {
    guard text.utf8.count >= MetricsToken.minLength, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    digest = SHA256.hash(data: Array(text.utf8))
  }

  /// In the same time whatever is given: digests are compared whole.
  func matches(_ given: String) -> Bool { SHA256.hash(data: Array(given.utf8)) == digest }
}
