import CZeroMQ
public import Operations

/// The public half of a CURVE key, in Z85 (ZeroMQ RFC 32).
public struct CurvePublicKey: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) {
    guard CurveKeyPair.isKey(text) else { throw FieldRule("not_a_curve_key") }
    description = text
  }

  init(bytes: [UInt8]) {
    var text = [CChar](repeating: 0, count: 41)
    zmq_z85_encode(&text, bytes, 32)
    description = String(decoding: text.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private init() { description = String(repeating: "0", count: 40) }

  public static let placeholder = CurvePublicKey()
  public static let schema: JSON = ["type": "string", "minLength": 40, "maxLength": 40]
}

/// A process' CURVE key. Its secret half never shows in a description.
public struct CurveKeyPair: Sendable, CustomStringConvertible {
  public let publicKey: CurvePublicKey
  /// In Z85, for the key file.
  public let secretKey: String

  /// From the secret half in Z85.
  public init(secretKey: String) throws(FieldRule) {
    var text = [CChar](repeating: 0, count: 41)
    guard CurveKeyPair.isKey(secretKey), zmq_curve_public(&text, secretKey) == 0 else { throw FieldRule("not_a_curve_key") }
    publicKey = try CurvePublicKey(text: String(decoding: text.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    self.secretKey = secretKey
  }

  /// A fresh pair.
  public static func generate() throws -> CurveKeyPair {
    var open = [CChar](repeating: 0, count: 41)
    var secret = [CChar](repeating: 0, count: 41)
    guard zmq_curve_keypair(&open, &secret) == 0 else { throw ZeroMQError("zmq_curve_keypair") }
    return try CurveKeyPair(secretKey: String(decoding: secret.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  public var description: String { "CurveKeyPair(\(publicKey))" }

  static func isKey(_ text: String) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 32)
    return text.utf8.count == 40 && zmq_z85_decode(&bytes, text) != nil
  }
}

/// What a process needs to speak CURVE.
public struct Curve: Sendable {
  public let keys: CurveKeyPair
  /// The expected keys of the services that this process calls and subscribes to.
  public let servers: [ServiceName: CurvePublicKey]
  /// Which keys may call this process, and what.
  public let allowed: AllowList

  public init(keys: CurveKeyPair, servers: [ServiceName: CurvePublicKey], allowed: AllowList) {
    self.keys = keys
    self.servers = servers
    self.allowed = allowed
  }
}
