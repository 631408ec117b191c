import Crypto

/// The public key of a signer of notes, with the signer's name (c2sp.org/signed-note, “Verifier keys”).
///
/// ```
/// example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k
/// ```
public struct VerifierKey: Hashable, Sendable, CustomStringConvertible {
  public let name: String
  public let keyID: UInt32
  /// The algorithm's type, see ``NoteAlgorithm``. Keys of unknown algorithms are carried along, and verify nothing.
  public let type: UInt8
  /// The public key as its algorithm encodes it.
  public let material: [UInt8]

  /// - Throws: ``LogFault/malformed(_:)`` for a name that cannot stand in a note.
  public init(name: String, type: UInt8, material: [UInt8]) throws {
    guard KeyName.isValid(name), !material.isEmpty else { throw LogFault.malformed(.verifierKey) }
    self.name = name
    self.type = type
    self.material = material
    keyID = Self.keyID(name, type, material)
  }

  /// Reads a key.
  ///
  /// - Throws: ``LogFault/malformed(_:)``, also for an id that is not the one of that key.
  public init(_ text: String) throws {
    let parts = text.utf8.split(separator: UInt8(ascii: "+"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let name = String(parts[0]), let bytes = Base64.bytes(parts[2]), bytes.count > 1 else {
      throw LogFault.malformed(.verifierKey)
    }
    try self.init(name: name, type: bytes[0], material: Array(bytes.dropFirst()))
    guard parts[1].elementsEqual(Self.hex(keyID).utf8),
      type != Ed25519Note.type && type != Cosignature.type || material.count == 32
    else { throw LogFault.malformed(.verifierKey) }
  }

  public var description: String { "\(name)+\(Self.hex(keyID))+\(Base64.text([type] + material))" }

  /// SHA-256(name || 0x0A || type || public key)[:4]
  private static func keyID(_ name: String, _ type: UInt8, _ material: [UInt8]) -> UInt32 {
    SHA256.hash(data: Array(name.utf8) + [0x0A, type] + material).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func hex(_ id: UInt32) -> String {
    let digits = String(id, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
