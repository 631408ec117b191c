/// How well a kind of secret has to be protected (ID-16).
public enum ProtectionLevel: Sendable, CaseIterable {
  /// It is compared and never read: only a digest of it may be kept, so ``SecureStorage`` refuses it.
  case digest
  /// It is read back: encrypted, under the second key store if the first one fails.
  case sealed
  /// It is read back, and better lost than kept under any key store but the first.
  case sealedStrictly
}

/// A kind of secret, such as the token of a provider. The kind decides the protection, not the code that happens to store it.
public struct SecretKind: Hashable, Sendable {
  public let name: String
  public let protection: ProtectionLevel

  public init(_ name: String, _ protection: ProtectionLevel) {
    self.name = name
    self.protection = protection
  }
}

/// Identifies a secret: its kind and its owner. A ciphertext is bound to this name, so that it cannot be used for another.
public struct SecretName: Hashable, Sendable {
  public let kind: SecretKind
  public let owner: [UInt8]

  public init(_ kind: SecretKind, of owner: [UInt8]) {
    self.kind = kind
    self.owner = owner
  }

  /// What a ciphertext authenticates besides itself; the length separates kind and owner.
  var binding: [UInt8] { [UInt8(truncatingIfNeeded: kind.name.utf8.count)] + Array(kind.name.utf8) + owner }
}
