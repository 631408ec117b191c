import CZeroMQ

/// Tells libzmq, at each CURVE handshake, whether the key is on the allow-list and, on a connection for events, may receive them (ZAP,
/// ZeroMQ RFC 27).
///
/// Without this libzmq accepts any key. The connection's identity is the key itself.
final class Authenticator {
  /// The purpose of a connection, as stated by the socket that accepts it.
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

  /// Answers all waiting handshakes; reports each key that was refused.
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

  /// Makes the socket communicate only with the holder of that key.
  func beCurveClient(_ keys: CurveKeyPair, of server: CurvePublicKey) throws {
    try set(ZMQ_CURVE_SERVERKEY, server.description)
    try set(ZMQ_CURVE_PUBLICKEY, keys.publicKey.description)
    try set(ZMQ_CURVE_SECRETKEY, keys.secretKey)
  }
}
