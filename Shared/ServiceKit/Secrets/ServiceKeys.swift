import Crypto
import Foundation
import Operations

/// The keys that a service's host derives from the secret of its store (HKDF, RFC 5869), one for each purpose.
struct ServiceKeys: Sendable {
  let cursors: CursorSeal
  private let anonymous: SymmetricKey
  private let addresses: SymmetricKey

  init(secret: [UInt8]) {
    func key(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(data: secret), info: Data(purpose.utf8), outputByteCount: 32)
    }
    cursors = CursorSeal(key("list cursors"))
    anonymous = key("anonymous idempotency")
    addresses = key("addresses of idempotency")
  }

  /// The scope within which an idempotency key names one request.
  ///
  /// For accounts and services it is the caller. An anonymous caller cannot be identified by its address: many share one, and a phone
  /// changes its own between two tries. Only the request itself is distinctive, since it holds a password, a token or a new account's whole
  /// form. So the scope is a keyed hash of operation and payload: a caller that repeats the same request under the same key gets the first
  /// reply, from any address; a stranger who picks or guesses the key gets, with any other payload, a separate record. The stranger can
  /// neither read the reply, nor block the request (`still_running`), nor learn that there was one (`idempotency_key_reused`). The price is
  /// that reuse of a key for another request is not detected without sign-in. The hash is keyed, so that passwords cannot be tried on a
  /// stolen store.
  func idempotencyScope(_ caller: Caller, operation: String, payload: [UInt8]) -> String {
    switch caller.kind {
    case .account: return caller.account?.description ?? ""
    case .service: return caller.service?.rawValue ?? ""
    case .anonymous:
      var code = HMAC<SHA256>(key: anonymous)
      code.update(data: Array(operation.utf8) + [0])
      code.update(data: payload)
      return "anonymous \(Base64URL.encode(Array(code.finalize())))"
    }
  }

  /// The owner of the allowance that a request's reply draws on; nil for its scope's own. An anonymous caller's scope covers only one
  /// request, so its address limits it instead, kept as a keyed hash.
  func idempotencyOwner(_ caller: Caller) -> String? {
    guard caller.kind == .anonymous else { return nil }
    let code = HMAC<SHA256>.authenticationCode(for: ClientAddress(caller.address ?? "").bytes, using: addresses)
    return "anonymous \(Base64URL.encode(Array(code)))"
  }
}
