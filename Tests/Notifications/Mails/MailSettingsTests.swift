import Operations
import ServiceKit
import Testing

@testable import NotificationsService

@Suite("Settings of mails")
struct MailSettingsTests {
  private let home = Home(path: "/tmp/racha-settings")

  @Test("By default mails are files, and links lead to this machine")
  func defaults() throws {
    let settings = Settings(["racha.http.port": "9090"])
    let mails = MailSettings(settings, home)
    try settings.check()
    #expect(mails.publicURL == "http://127.0.0.1:9090" && mails.from.description == "racha@localhost")
    guard case .folder(let path) = mails.way else {
      Issue.record("not a folder")
      return
    }
    #expect(path == "/tmp/racha-settings/mails" && mails.connections == 2)
  }

  @Test("Connections to a mail server are encrypted unless configured otherwise")
  func server() throws {
    let settings = Settings([
      "racha.smtp.url": "smtp://mail.example.org:587", "racha.smtp.username": "racha", "racha.smtp.password": "s3cret",
      "racha.smtp.from": "hola@example.org", "racha.publicUrl": "https://racha.example//", "racha.smtp.connections": "5",
    ])
    let mails = MailSettings(settings, home)
    try settings.check()
    guard case .server(let server) = mails.way else {
      Issue.record("not a server")
      return
    }
    #expect(server == SMTPServer(url: "smtp://mail.example.org:587", username: "racha", password: "s3cret"))
    #expect(server.encryption == .required && mails.publicURL == "https://racha.example" && mails.connections == 5)
  }

  @Test(
    "An invalid setting of mails is refused by its key",
    arguments: [
      ("racha.smtp.url", "http://example.org"), ("racha.smtp.url", "smtp://a/../b"), ("racha.smtp.url", "smtp://u:p@host"),
      ("racha.smtp.from", "Racha <racha@example.org>"), ("racha.publicUrl", "racha.example"), ("racha.publicUrl", "https://"),
      ("racha.smtp.tls", "perhaps"), ("racha.smtp.connections", "0"),
    ])
  func refused(key: String, value: String) {
    let settings = Settings([key: value])
    _ = MailSettings(settings, home)
    #expect { try settings.check() } throws: { ($0 as? Settings.Invalid)?.problems.map(\.key) == [key] }
  }

  @Test("A mail server's user name without a password is refused")
  func halfLogin() {
    let settings = Settings(["racha.smtp.url": "smtp://localhost:25", "racha.smtp.username": "racha"])
    _ = MailSettings(settings, home)
    #expect { try settings.check() } throws: { ($0 as? Settings.Invalid)?.problems.map(\.key) == ["racha.smtp.password"] }
  }
}
