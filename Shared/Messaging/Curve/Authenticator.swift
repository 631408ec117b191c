import CZeroMQ

/// Answers libzmq's question, at each CURVE handshake, whether the key is on the allow-list, and may receive events where it comes for
/// them (ZAP, ZeroMQ RFC 27).
///
/// Without it libzmq accepts any key. The identity it gives to the connection is the key itself.
final class Authenticator {
  /// What a connection is for, as the socket that it comes to says to libzmq, and libzmq to us.
  enum Domain: String {
    case requests, events
  }

  let socket: Socket
  private let grants: Grants
  private var frames: [[UInt8]] = []

  init(_ grants: Grants, _ context: UnsafeMutableRawPointer, _ limits: BusLimits) throws {
    self.grants = grants
    socket = try Socket(.reply, context, limits)
    try socket.bind("inproc://zeromq.zap.01")
  }

  /// Answers all that wait; logs each key that was refused.
  func answer(refused: (String) -> Void) {
    while socket.receive(into: &frames) {
      // version, request id, domain, address, identity, mechanism, credentials
      let id = frames.count > 1 ? frames[1] : []
      var key: String?
      var isKnown = false
      if frames.count == 7, frames[0] == Array("1.0".utf8), frames[5] == Array("CURVE".utf8), frames[6].count == 32 {
        let named = CurvePublicKey(bytes: frames[6]).description
        key = named
        isKnown =
          switch Domain(rawValue: String(decoding: frames[2], as: UTF8.self)) {
          case .requests: grants.isKnown(named)
          case .events: grants.maySubscribe(named)
          case nil: false
          }
      }
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
  func beCurveServer(_ keys: CurveKeyPair, for domain: Authenticator.Domain) throws {
    try set(ZMQ_ZAP_DOMAIN, domain.rawValue)
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
