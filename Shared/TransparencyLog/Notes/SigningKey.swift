public import Crypto

/// A signer of notes.
public protocol NoteSigner: Sendable {
  /// The key with which others check the signatures.
  var verifierKey: VerifierKey { get }

  /// - Parameter text: ends with a newline.
  func sign(_ text: String) throws -> NoteSignature
}

/// An Ed25519 key that signs notes.
public struct SigningKey: NoteSigner {
  public let verifierKey: VerifierKey
  private let key: Curve25519.Signing.PrivateKey

  /// - Throws: ``LogFault/malformed(_:)`` for a name that cannot stand in a note.
  public init(name: String, _ key: Curve25519.Signing.PrivateKey) throws {
    self.key = key
    verifierKey = try VerifierKey(name: name, type: Ed25519Note.type, material: Array(key.publicKey.rawRepresentation))
  }

  public func sign(_ text: String) throws -> NoteSignature {
    let bytes = Array(try key.signature(for: Array(text.utf8)))
    return NoteSignature(name: verifierKey.name, keyID: verifierKey.keyID, bytes: bytes)
  }
}

/// An Ed25519 key by which a witness cosigns checkpoints (c2sp.org/tlog-cosignature). It must be used for nothing else.
public struct CosigningKey: Sendable {
  public let verifierKey: VerifierKey
  private let key: Curve25519.Signing.PrivateKey

  /// - Throws: ``LogFault/malformed(_:)`` for a name that cannot stand in a note.
  public init(name: String, _ key: Curve25519.Signing.PrivateKey) throws {
    self.key = key
    verifierKey = try VerifierKey(name: name, type: Cosignature.type, material: Array(key.publicKey.rawRepresentation))
  }

  /// - Parameters:
  ///   - text: the text of a checkpoint that the witness has found consistent with the last one.
  ///   - time: in seconds since the epoch, at least 1.
  public func cosign(_ text: String, at time: Int) throws -> NoteSignature {
    let bytes = Array(try key.signature(for: Cosignature.message(text, time)))
    return NoteSignature(name: verifierKey.name, keyID: verifierKey.keyID, bytes: Int64(time).bigEndianBytes + bytes)
  }
}
