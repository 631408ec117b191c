public import Operations

extension FeatureContract {
  static let keys = FeatureContract(operations: [ListKeys.self])
}

/// A public key that checks access tokens, as a JSON Web Key (RFC 7517; Ed25519: RFC 8037).
public struct PublicSigningKey: Document, Hashable {
  public var kty: String
  public var crv: String
  public var alg: String
  public var use: String
  public var kid: String
  public var x: String

  public init(keyID: String, x: String) {
    kty = "OKP"
    crv = "Ed25519"
    alg = "EdDSA"
    use = "sig"
    kid = keyID
    self.x = x
  }

  public static let notes: Notes = [
    "kty": Note("Key type.", example: "OKP"), "crv": Note("Curve.", example: "Ed25519"),
    "alg": Note("Algorithm.", example: "EdDSA"),
    "use": Note("Its use.", example: "sig"), "kid": "The key's id, as in a token's header.", "x": "The key, base64url.",
  ]
}

/// Lists the keys by which access tokens are checked.
public enum ListKeys: OpenOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var keys: [PublicSigningKey]

    public init(keys: [PublicSigningKey]) { self.keys = keys }

    public static let notes: Notes = ["keys": "Every key whose tokens may still be valid."]
  }

  public static let spec = OperationSpec(
    "keys.list", of: .identity, .get("/.well-known/jwks.json"), by: .anyone, effect: .read, requirements: ["ID-4"],
    "Lists the keys that verify access tokens, as a JSON Web Key Set.")
}

/// The fixed values in an access token, which the gateway checks (RFC 9068, RFC 8725).
public enum AccessTokenForm {
  public static let algorithm = "EdDSA"
  public static let type = "at+jwt"
  public static let issuer = "racha"
  public static let audience = "racha"
  /// How long one is valid.
  public static let lifetimeSeconds = 600
}
