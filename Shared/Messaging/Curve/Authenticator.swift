import CZeroMQ

/// Answers libzmq's question, at each CURVE handshake, whether the key is on the allow-list (ZAP, ZeroMQ RFC 27).
///
/// Without it libzmq accepts any key. The identity it gives to the connection is the key itself.
final class Authenticator {
  static let domain = "racha"

  let socket: Socket
  private let grants: Grants
  private var frames: [[UInt8]] = []

  init(_ grants: Grants, _ context: UnsafeMutableRawPointer, _ limits: BusLimits) throws {
    self.grants = grants
    socket = try Socket(.reply, context, limits)
    try socket.bind("inproc://zeromq.zap.01")
  }

  /// Answers all that wait; tells of each key that was refused.
  func answer(refused: (String) -> Void) {
    while socket.receive(into: &frames) {
      // version, request id, domain, address, identity, mechanism, credentials
      let id = frames.count > 1 ? frames[1] : []
      var key: String?
      if frames.count == 7, frames[0] == Array("1.0".utf8), frames[2] == Array(Authenticator.domain.utf8),
        frames[5] == Array("CURVE".utf8), frames[6].count == 32
      {
        key = CurvePublicKey(bytes: frames[6]).description
      }
      let isKnown = key.map(grants.isKnown) ?? false
      if !isKnown { refused(key ?? "none") }
      let status = isKnown ? ("200", "OK") : ("400", "unknown key")
      for part in [Array("1.0".utf8), id, Array(status.0.utf8), Array(status.1.utf8), Array((isKnown ? key ?? "" : "").utf8)] {
        _ = socket.send(part, more: true)
      }
      _ = socket.send([], more: false)
    }
  }
}

extension Socket {
  /// Makes the socket accept only keys that the ``Authenticator`` knows.
  func beCurveServer(_ keys: CurveKeyPair) throws {
    try set(ZMQ_ZAP_DOMAIN, Authenticator.domain)
    try set(ZMQ_CURVE_SERVER, Int32(1))
    try set(ZMQ_CURVE_SECRETKEY, keys.secretKey)
  }

  /// Makes the socket speak only to the holder of that key.
  func beCurveClient(_ keys: CurveKeyPair, of server: CurvePublicKey) throws {
    try set(ZMQ_CURVE_SERVERKEY, server.description)
    try set(ZMQ_CURVE_PUBLICKEY, keys.publicKey.description)
    try set(ZMQ_CURVE_SECRETKEY, keys.secretKey)
  }
}
