/// How well a kind of secret has to be kept (ID-16).
public enum ProtectionLevel: Sendable, CaseIterable {
  /// It is compared and never read: only a digest of it may be kept, so ``SecureStorage`` refuses it.
  case digest
  /// It is read back: encrypted, under the second key store where the first one fails.
  case sealed
  /// It is read back, and better lost than kept under another key store than the first.
  case sealedStrictly
}

/// A kind of secret, such as the token of a provider. The kind decides the protection, not who happens to store it.
public struct SecretKind: Hashable, Sendable {
  public let name: String
  public let protection: ProtectionLevel

  public init(_ name: String, _ protection: ProtectionLevel) {
    self.name = name
    self.protection = protection
  }
}

/// Which secret it is: its kind, and whose it is. A ciphertext is bound to it, so that none serves instead of another.
public struct SecretName: Hashable, Sendable {
  public let kind: SecretKind
  public let owner: [UInt8]

  public init(_ kind: SecretKind, of owner: [UInt8]) {
    self.kind = kind
    self.owner = owner
  }

  /// What a ciphertext authenticates beside itself; the length keeps kind and owner apart.
  var binding: [UInt8] { [UInt8(truncatingIfNeeded: kind.name.utf8.count)] + Array(kind.name.utf8) + owner }
}
