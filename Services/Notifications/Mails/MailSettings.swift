import NotificationsContract
import Operations
import ServiceKit

/// Whence and how mails go out, from the settings `racha.publicUrl` and `racha.smtp.*`.
struct MailSettings: Sendable {
  static let maxConnections = 16

  enum Way: Sendable {
    /// Every mail a file in this folder.
    case folder(String)
    case server(SMTPServer)
  }

  let way: Way
  let from: MailAddress
  /// Where people reach the system, without a slash at the end.
  let publicURL: String
  var retry = MailRetry()
  /// Most mails on their way at the same time.
  let connections: Int
  /// The folder that may be looked into at `/mailbox`; nil where mails are sent, or that is turned off.
  let mailbox: String?
  /// How long the file of a deletion's report is kept, where mails are files: whoever ran the deletion can read it that long.
  let reportKeptSeconds: Int

  /// Reads the settings; what cannot be used is recorded in them.
  init(_ settings: Settings, _ home: Home) {
    let port = settings.int("racha.http.port", default: 8080, in: 0...65535)
    var url = settings.string("racha.publicUrl", default: "http://127.0.0.1:\(port)")
    if !["http://", "https://"].contains(where: { url.begins(with: $0) && url.utf8.count > $0.utf8.count })
      || url.contains(where: \.isWhitespace)
    {
      settings.refuse("racha.publicUrl", "must be a URL that begins with http:// or https://")
    }
    while url.ends(with: "/") { url = String(decoding: url.utf8.dropLast(), as: UTF8.self) }
    publicURL = url
    let sender = settings.string("racha.smtp.from", default: "racha@localhost")
    if let address = MailAddress(sender) {
      from = address
    } else {
      settings.refuse("racha.smtp.from", "must be an e-mail address without a name, such as racha@example.org")
      from = MailAddress.placeholder
    }
    connections = settings.int("racha.smtp.connections", default: 2, in: 1...Self.maxConnections)
    reportKeptSeconds = settings.int("racha.email.reportRetentionSeconds", default: 86_400, in: 0...2_592_000)
    let isMailboxOpen = settings.bool("racha.mailbox", default: true)
    if let server = SMTPServer(settings) {
      way = .server(server)
      mailbox = nil
    } else {
      way = .folder(home.mails)
      mailbox = isMailboxOpen ? home.mails : nil
    }
  }
}

extension MailSettings {
  /// Where files of mails may lie: also those from before a server was set.
  func folders(_ home: Home) -> Set<String> {
    guard case .folder(let path) = way else { return [home.mails] }
    return [home.mails, path]
  }

  /// Takes mails the way that is set.
  func carrier(_ environment: ServiceEnvironment) -> any MailCarrier {
    switch way {
    case .folder(let path): MailFolder(path: path, logger: environment.logger)
    case .server(let server): SMTPCarrier(server: server, logger: environment.logger)
    }
  }
}

/// A mail server and how it is spoken to.
struct SMTPServer: Sendable, Hashable {
  /// Whether the connection is encrypted after it began in clear (STARTTLS, RFC 3207). `smtps://` is encrypted from the beginning.
  enum Encryption: String, Choice {
    case none
    /// If the server offers it.
    case starttls
    /// Or nothing is sent.
    case required
  }

  /// `smtp://host:port` or `smtps://host:port`.
  var url: String
  var username: String?
  var password: String?
  var encryption: Encryption
  /// Authorities trusted beside the system's, as a PEM file.
  var authoritiesFile: String?
  var connectMilliseconds = 10_000
  var wholeMilliseconds = 30_000

  init(url: String, username: String? = nil, password: String? = nil, encryption: Encryption = .required) {
    self.url = url
    self.username = username
    self.password = password
    self.encryption = encryption
  }

  /// Nil where no server is configured, or its settings cannot be used.
  init?(_ settings: Settings) {
    let username = settings.string("racha.smtp.username")
    let password = settings.string("racha.smtp.password", isSecret: true)
    let encryption = settings.choice("racha.smtp.tls", default: Encryption.required)
    let authorities = settings.string("racha.smtp.caFile")
    let seconds = settings.int("racha.smtp.timeoutSeconds", default: 30, in: 1...300)
    guard let url = settings.string("racha.smtp.url") else { return nil }
    guard SMTPServer.isServer(url) else {
      settings.refuse("racha.smtp.url", "must be smtp://host:port or smtps://host:port")
      return nil
    }
    if (username == nil) != (password == nil) {
      settings.refuse("racha.smtp.password", "must be set together with racha.smtp.username")
    }
    self.init(url: url, username: username, password: password, encryption: encryption)
    authoritiesFile = authorities
    wholeMilliseconds = seconds * 1000
    connectMilliseconds = min(connectMilliseconds, wholeMilliseconds)
  }

  static func isServer(_ url: String) -> Bool {
    guard let scheme = ["smtp://", "smtps://"].first(where: { url.begins(with: $0) }) else { return false }
    let rest = url.utf8.dropFirst(scheme.utf8.count)
    return !rest.isEmpty && rest.allSatisfy { (0x21...0x7E).contains($0) && !"/@?#\\".utf8.contains($0) }
  }
}
