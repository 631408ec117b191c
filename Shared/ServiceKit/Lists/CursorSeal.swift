import Crypto
import Operations

/// Makes cursors from keys, and keys from cursors. Cursors are sealed (AES-GCM), so that a client can neither read a key, nor make one up,
/// nor use it for another list or account.
struct CursorSeal: Sendable {
  private let key: SymmetricKey

  init(_ key: SymmetricKey) { self.key = key }

  /// The cursor for a key of that list.
  func cursor(_ text: String, of list: String) -> PageCursor {
    do {
      let sealed = try AES.GCM.seal(Array(text.utf8), using: key, authenticating: Array(list.utf8))
      guard let combined = sealed.combined else { preconditionFailure("a nonce of the usual length") }
      return try PageCursor(text: Base64URL.encode(Array(combined)))
    } catch {
      preconditionFailure("a list's key is a short text: \(error)")
    }
  }

  /// The key of a cursor of that list.
  ///
  /// - Throws: `invalid_fields` naming `cursor`, unless it was made for that list.
  func open(_ cursor: PageCursor, of list: String) throws(Failure) -> String {
    guard let combined = Base64URL.decode(cursor.description) else { throw .invalidCursor }
    do {
      let bytes = try AES.GCM.open(AES.GCM.SealedBox(combined: combined), using: key, authenticating: Array(list.utf8))
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      throw .invalidCursor
    }
  }
}

extension Failure {
  static var invalidCursor: Failure { .field("cursor", PageCursor.invalid) }
}
