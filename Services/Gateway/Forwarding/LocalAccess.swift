import NIOHTTP1
import Operations

/// Whether a request comes from this machine and from nowhere else: the one rule for what only this machine may see, ``MailboxPage`` and
/// the metrics.
///
/// The peer must be on the loopback interface. No header can grant access, but some withdraw it: one that names a proxy, which may forward
/// for anybody, and a host that is not the machine itself, as sent by a web page whose name resolves to 127.0.0.1 (DNS rebinding).
enum LocalAccess {
  static func isGranted(_ exchange: Exchange) -> Bool {
    exchange.isLocal && !isForwarded(exchange.headers) && isThisMachine(exchange.authority)
  }

  private static func isForwarded(_ headers: HTTPHeaders) -> Bool {
    headers.contains { name, _ in
      let name = name.asciiLowercased
      return ["forwarded", "via", "x-real-ip"].contains { name.isSame(as: $0) } || name.begins(with: "x-forwarded-")
    }
  }

  /// - Parameter authority: host and port as the request names them; nil where it names none.
  static func isThisMachine(_ authority: String?) -> Bool {
    // What is not ASCII is no name of this machine.
    guard let authority = authority?.asciiLowercased, authority.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    if authority.begins(with: "[") { return authority.isSame(as: "[::1]") || isPort(authority, after: "[::1]:") }
    let host = authority.split(at: ":", maxSplits: 1)[0]
    guard host.utf8.count == authority.utf8.count || isPort(authority, after: host + ":") else { return false }
    if host.isSame(as: "localhost") { return true }
    let numbers = host.split(at: ".").map { UInt8($0) }
    return numbers.count == 4 && numbers.first == 127 && numbers.allSatisfy { $0 != nil }
  }

  private static func isPort(_ authority: String, after prefix: some StringProtocol) -> Bool {
    authority.begins(with: prefix) && UInt16(authority.dropFirst(prefix.count)) != nil
  }
}
