public import GatewayContract
public import Logging
import Operations
public import ServiceKit

/// Who may open the mailbox: a person at this machine who has the code that the launcher shows.
///
/// A request from the loopback interface proves nothing about its sender: one that comes through a reverse proxy on the same machine, which
/// adds no header, is local too. So the mailbox is closed where people reach the system from elsewhere, and everywhere else a code is
/// required.
public enum MailboxAccess: Sendable, Hashable {
  /// There is no mailbox: mails are sent by a server, or it is switched off.
  case none
  /// It is closed to everybody, and why: `racha.publicUrl` is not this machine, or the code cannot be kept.
  case closed(GatewayFailure)
  case code(String)

  /// The code is made at the first start and kept under `keys/mailbox`, where the launcher reads it. Where the gateway cannot write it, the
  /// mailbox stays closed.
  public init(_ settings: Settings, _ home: Home, _ logger: Logger) {
    guard settings.bool("racha.mailbox", default: true), settings.string("racha.smtp.url") == nil else {
      self = .none
      return
    }
    guard settings.string("racha.publicUrl").map(MailboxAccess.isThisMachine) ?? true else {
      self = .closed(.mailboxClosed)
      return
    }
    do {
      self = .code(Base64URL.encode(try home.secret("mailbox")))
    } catch {
      logger.warning("the mailbox stays closed: its code cannot be stored", metadata: ["error": "\(error)"])
      self = .closed(.mailboxCodeMissing)
    }
  }

  /// Whether the URL leads to the machine itself.
  static func isThisMachine(_ url: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: { url.begins(with: $0) }) else { return false }
    let rest = url.utf8.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: "/") }
    return LocalAccess.isThisMachine(String(decoding: rest, as: UTF8.self))
  }
}
