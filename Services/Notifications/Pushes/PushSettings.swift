import NotificationsContract
import Operations
import ServiceKit

/// How pushes go out, from the settings `racha.push.*`.
struct PushSettings: Sendable {
  let rules: PushEndpointRules
  /// How push services reach who runs this server.
  let contact: String
  /// Most pushes on their way at the same time.
  let connections: Int
  var retry = PushRetry()

  /// Reads the settings; unusable values are recorded in them.
  ///
  /// - Parameter mails: the system's public URL, and the sender of its mails.
  init(_ settings: Settings, _ mails: MailSettings) {
    var origins: Set<String> = []
    let named = settings.string("racha.push.allowedOrigins") ?? ""
    for part in named.split(at: ",").map(\.trimmed) where !part.isEmpty {
      do throws(FieldRule) {
        let endpoint = try PushEndpoint(text: part)
        guard endpoint.origin == part else { throw FieldRule("not_a_push_endpoint") }
        origins.insert(part)
      } catch {
        settings.refuse("racha.push.allowedOrigins", "must be origins such as https://push.example.lan:8443, with commas between")
      }
    }
    rules = PushEndpointRules(ownOrigins: origins)
    let usual = mails.publicURL.begins(with: "https://") ? mails.publicURL : "mailto:\(mails.from)"
    connections = settings.int("racha.push.connections", default: 16, in: 1...128)
    let contact = settings.string("racha.push.contact", default: usual)
    self.contact = contact
    if !["mailto:", "https://"].contains(where: { contact.begins(with: $0) }) {
      settings.refuse("racha.push.contact", "must begin with mailto: or https://")
    }
  }
}
