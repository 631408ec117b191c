import IdentityContract

/// Why a request to a provider failed. The code is kept with the security event; it contains no text of the provider except the name of its
/// error.
struct ProviderError: Error, Hashable, Sendable {
  let failure: ExternalLoginFailure
  let code: String

  private init(_ failure: ExternalLoginFailure, _ code: String) {
    self.failure = failure
    self.code = code
  }

  /// Whether the proof is bad: an invalid answer or ID token, or a code that the provider did not issue for this flow or that is no longer
  /// valid (RFC 6749, section 5.2).
  var isOfProof: Bool { failure == .proofInvalid || code == "invalid_grant" }

  /// It does not answer, or not in its protocol.
  static func unavailable(_ code: String) -> ProviderError { ProviderError(.providerUnavailable, code) }

  /// It answers that this is not to be.
  static func refused(_ code: String) -> ProviderError { ProviderError(.refused, word(code)) }

  /// The failure for an answer that proves nothing.
  static func unproven(_ fault: IDTokenFault) -> ProviderError { ProviderError(.proofInvalid, fault.rawValue) }

  static func unproven(_ code: String) -> ProviderError { ProviderError(.proofInvalid, code) }

  /// The person turned back.
  static func cancelled(_ code: String) -> ProviderError { ProviderError(.cancelled, word(code)) }

  /// The error of an authorization response (RFC 6749, section 4.1.2.1; OpenID Connect Core, section 3.1.2.6).
  static func ended(_ error: String) -> ProviderError {
    switch error {
    // The second is Apple's word for it.
    case "access_denied", "user_cancelled_authorize": .cancelled(error)
    case "temporarily_unavailable", "server_error": .unavailable(error)
    default: .refused(error)
    }
  }

  /// The error's name if it looks like one: anybody can send anything instead.
  private static func word(_ text: String) -> String {
    let isWord = text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    return isWord && (1...60).contains(text.utf8.count) ? text : "unknown_error"
  }
}
