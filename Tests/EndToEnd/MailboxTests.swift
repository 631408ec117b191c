import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import Testing

@Suite("The mailbox of a running cluster", .serialized, .timeLimit(.minutes(2)))
struct MailboxTests {
  private func register(_ cluster: RunningCluster) async throws {
    _ = try await cluster.client.call(
      RegisterAccount.self,
      .init(
        email: .init(text: "ana@example.org"), username: .init(text: "ana"), password: .init(text: "Correr-2026!"),
        passwordConfirmation: .init(text: "Correr-2026!"), timeZone: .init(text: "Europe/Madrid")))
  }

  @Test("The mailbox of a running cluster shows the mail that was sent, and its code verifies the address")
  func shows() async throws {
    let cluster = try RunningCluster()
    defer { cluster.stop() }
    try await cluster.start()
    #expect(try await cluster.client.get("/mailbox").status == 403)
    let code = try Data(contentsOf: URL(fileURLWithPath: "\(cluster.home)/keys/mailbox")).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    let cookie = ["Cookie": "racha_mailbox=\(code)"]
    #expect(try await cluster.client.get("/mailbox", headers: cookie).text.contains("There are none yet."))
    try await register(cluster)
    let token = try #require(try await cluster.mail(to: "ana@example.org").token)
    let list = try await cluster.client.get("/mailbox", headers: cookie).text
    #expect(list.contains("Confirm your e-mail address for Racha") && list.contains("&lt;ana@example.org&gt;"))
    let path = try #require(list.firstMatch(of: /<a href="(mailbox\/[^"]+\.eml)">/)?.output.1)
    let mail = try await cluster.client.get("/\(path)", headers: cookie)
    #expect(mail.status == 200)
    #expect(mail.text.contains("\(cluster.url)/verify?token=\(token)"))
    #expect(mail.text.contains("srcdoc=\"&lt;!DOCTYPE html&gt;"))
    #expect(
      try await cluster.client.get("/\(path)", headers: cookie.merging(["X-Forwarded-For": "127.0.0.1"]) { $1 }).status == 403)
    _ = try await cluster.client.call(VerifyAccount.self, .init(token: token))
  }

  @Test("The mailbox of a running cluster is closed if mails are sent by a server")
  func closed() async throws {
    let cluster = try RunningCluster(settings: ["RACHA_SMTP_URL": "smtp://127.0.0.1:9"])
    defer { cluster.stop() }
    try await cluster.start()
    #expect(try await cluster.client.get("/mailbox").status == 404)
  }
}
