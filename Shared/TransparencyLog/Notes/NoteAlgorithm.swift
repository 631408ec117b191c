import Crypto

/// An algorithm for signing notes, identified by its type byte (c2sp.org/signed-note, “Signature types”).
///
/// A further algorithm, such as ML-DSA-44 cosignatures (0x06), is a type besides these: the log continues, and signs with both keys.
public protocol NoteAlgorithm: Sendable {
  static var type: UInt8 { get }

  /// Whether the key made this signature of the text. Never traps, whatever the bytes are.
  static func isValid(_ signature: [UInt8], of text: String, by key: VerifierKey) -> Bool
}

/// The algorithms that this library checks.
public enum NoteAlgorithms {
  public static let standard: [any NoteAlgorithm.Type] = [Ed25519Note.self, Cosignature.self]
}

/// Ed25519 over the text (c2sp.org/signed-note, “Ed25519 signatures”).
public enum Ed25519Note: NoteAlgorithm {
  public static let type: UInt8 = 0x01

  public static func isValid(_ signature: [UInt8], of text: String, by key: VerifierKey) -> Bool {
    isValid(signature, of: Array(text.utf8), by: key)
  }

  static func isValid(_ signature: [UInt8], of message: [UInt8], by key: VerifierKey) -> Bool {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key.material) else { return false }
    return key.isValidSignature(signature, for: message)
  }
}
