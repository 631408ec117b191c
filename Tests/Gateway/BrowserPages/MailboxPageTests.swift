import Foundation
import GatewayContract
import Logging
import NIOCore
import NIOHTTP1
import NotificationsContract
import Operations
import ServiceKit
import Testing

@testable import GatewayService

@Suite("The mailbox's pages", .timeLimit(.minutes(1)))
struct MailboxPageTests {
  private static let hostile = #"</iframe></pre><script>alert("1")</script>'"><img src=x onerror=alert(1)>&"#

  private static func bus(_ text: String = "") throws -> FakeBus {
    let head = MailboxEntry(
      name: try MailFileName(text: "20261121T084300000Z-a.eml"), subject: "S\(text)", from: "F\(text)", to: "T\(text)",
      writtenAt: try Instant(text: "2026-11-21T08:43:00.000Z"))
    let bus = FakeBus()
    bus.answer(.notifications) { request in
      guard request.header.caller.service == .gateway else { throw Failure(RequestFailure.forbidden) }
      switch request.header.operation {
      case ListMailbox.spec.name: return Reply(request, ListMailbox.Output(items: [head]))
      case GetMailboxMail.spec.name:
        let name = try GetMailboxMail.Input.decode(request.body).name
        guard name == head.name else { throw Failure(RequestFailure.notFound) }
        return Reply(request, GetMailboxMail.Output(head: head, text: "text \(text)", html: "<p>html</p>\(text)"))
      default: throw Failure(RequestFailure.notFound)
      }
    }
    return bus
  }

  private static let mail = "/mailbox/20261121T084300000Z-a.eml"
  private static let code = "Q29kZSBvZiB0aGUgbWFpbGJveA"
  private static let cookie = ["Cookie": "racha_mailbox=\(code)"]
  private static let local = cookie.merging(["Host": "localhost"]) { $1 }

  /// Runs a gateway whose mailbox opens with the code.
  private static func with(
    bus: FakeBus, change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningGateway) async throws -> Void
  ) async throws {
    try await RunningGateway.with(
      bus: bus,
      change: {
        $0.mailbox = .code(code)
        change(&$0)
      }, body)
  }

  @Test("The mailbox's pages open by their code alone: by the address once, and afterwards by a cookie for them only")
  func code() async throws {
    try await Self.with(bus: Self.bus()) { gateway in
      let host = ["Host": "127.0.0.1:\(gateway.httpPort)"]
      for (path, cookie) in [
        ("/mailbox", nil), ("/mailbox?code=", nil), ("/mailbox?code=\(Self.code)x", nil), ("/mailbox?x=\(Self.code)", nil),
        (Self.mail, nil), ("\(Self.mail)?code=\(Self.code)", nil), ("/mailbox", "racha_mailbox=\(Self.code)x"),
        ("/mailbox", "racha_mailbox="), ("/mailbox", "xracha_mailbox=\(Self.code)"), (Self.mail, "a=\(Self.code)"),
      ] as [(String, String?)] {
        let answer = try await gateway.http("GET", path, host.merging(cookie.map { ["Cookie": $0] } ?? [:]) { $1 })
        #expect(answer.status == 403 && answer.body.contains("deploy/racha up") && answer.fields["set-cookie"] == nil, "\(path)")
      }
      #expect(gateway.bus.requests.isEmpty)
      let opened = try await gateway.http("GET", "/mailbox?code=\(Self.code)", host)
      #expect(opened.status == 303 && opened.fields["location"] == "mailbox" && opened.fields["cache-control"] == "no-store")
      let cookie = try #require(opened.fields["set-cookie"])
      #expect(cookie == "racha_mailbox=\(Self.code); Path=/mailbox; HttpOnly; SameSite=Strict")
      for path in ["/mailbox", Self.mail] {
        for sent in ["racha_mailbox=\(Self.code)", "a=b; racha_mailbox=\(Self.code);c=d"] {
          #expect(try await gateway.http("GET", path, host.merging(["Cookie": sent]) { $1 }).status == 200)
        }
      }
      // The code opens nothing that is not local.
      let proxied = host.merging(Self.cookie) { $1 }.merging(["Via": "1.1 proxy"]) { $1 }
      #expect(try await gateway.http("GET", "/mailbox", proxied).status == 403)
    }
  }

  @Test(
    "The mailbox's pages are closed on a system with a public address, and missing if mails are sent or they are turned off",
    arguments: [
      ([:], 303), (["racha.publicUrl": "http://localhost:8080"], 303), (["racha.publicUrl": "https://127.0.0.1"], 303),
      (["racha.publicUrl": "http://[::1]:8080/racha"], 303), (["racha.publicUrl": "https://racha.example"], 403),
      (["racha.publicUrl": "https://localhost.racha.example/localhost"], 403), (["racha.publicUrl": "https://a@127.0.0.1"], 403),
      (["racha.mailbox": "false"], 404), (["racha.smtp.url": "smtp://127.0.0.1:25"], 404),
    ] as [([String: String], Int)])
  func access(values: [String: String], status: Int) async throws {
    let home = Home(path: "/tmp/racha-mailbox-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let access = MailboxAccess(Settings(values), home, logger)
    // The same code after a restart, and its file is nobody else's.
    #expect(MailboxAccess(Settings(values), home, logger) == access)
    var code = "none"
    if case .code(let made) = access { code = made }
    #expect(
      (status == 303) == FileManager.default.fileExists(atPath: "\(home.keys)/mailbox") && (code.count == 43) == (status == 303))
    try await Self.with(bus: Self.bus(), change: { $0.mailbox = access }) { [code] gateway in
      let answer = try await gateway.http("GET", "/mailbox?code=\(code)", ["Host": "localhost"])
      #expect(answer.status == status)
      // It is on this machine that it is asked for: that is not why.
      if status == 403 { #expect(answer.body.contains("racha.publicUrl") && !answer.body.contains("on the machine itself only")) }
    }
  }

  @Test("The mailbox's pages are closed if their code cannot be stored, and say so")
  func withoutCode() async throws {
    let folder = "/tmp/racha-mailbox-\(UInt32.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A file where the folder of the home would be.
    try Data().write(to: URL(fileURLWithPath: folder))
    let access = MailboxAccess(
      Settings([:]), Home(path: "\(folder)/home"), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await Self.with(bus: Self.bus(), change: { $0.mailbox = access }) { gateway in
      for (language, words) in [("en", "code cannot be kept"), ("es", "no se puede guardar su código")] {
        let answer = try await gateway.http("GET", "/mailbox", ["Host": "localhost", "Accept-Language": language])
        #expect(answer.status == 503 && answer.body.contains(words))
      }
      let proxied = try await gateway.http("GET", "/mailbox", ["Host": "localhost", "Via": "1.1 proxy"])
      #expect(proxied.status == 403 && proxied.body.contains("on the machine itself only"))
    }
  }

  @Test("The mailbox's pages list the mails and show one: its text with links, its HTML in a frame that may do nothing")
  func shows() async throws {
    try await Self.with(bus: Self.bus()) { gateway in
      let host = ["Host": "127.0.0.1:\(gateway.httpPort)"].merging(Self.cookie) { $1 }
      let list = try await gateway.http("GET", "/mailbox", host)
      #expect(list.status == 200 && list.fields["content-type"] == "text/html; charset=utf-8")
      #expect(list.body.contains(#"<a href="mailbox/20261121T084300000Z-a.eml"><bdi>S</bdi></a>"#))
      #expect(list.body.contains("2026-11-21 08:43:00 UTC"))
      let mail = try await gateway.http("GET", Self.mail, host.merging(["Accept-Language": "es"]) { $1 })
      #expect(mail.status == 200)
      #expect(mail.body.contains(#"<iframe sandbox referrerpolicy="no-referrer" title="HTML" srcdoc="&lt;p&gt;html&lt;/p&gt;">"#))
      #expect(mail.body.contains("<dt>Para</dt><dd><bdi>T</bdi></dd>"))
      #expect(mail.fields["cache-control"] == "no-store")
      for answer in [list, mail] {
        let policy = try #require(answer.fields["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; style-src '") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("script") && !policy.contains("http"))
      }
    }
  }

  @Test("The mailbox's pages let nothing of a mail through as HTML, wherever it stands")
  func escapes() async throws {
    try await Self.with(bus: Self.bus(Self.hostile)) { gateway in
      for path in ["/mailbox", Self.mail] {
        let answer = try await gateway.http("GET", path, Self.local)
        #expect(answer.status == 200)
        #expect(!answer.body.contains("<script") && !answer.body.contains("<img") && !answer.body.contains("alert(\""))
        #expect(answer.body.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&quot;&gt;&lt;img src=x"))
        // One frame at most, and what closes it is ours.
        #expect(answer.body.components(of: "</iframe>") == (path == Self.mail ? 1 : 0))
      }
    }
  }

  @Test(
    "The mailbox's pages link only web addresses",
    arguments: [
      ("see http://a.example/verify?token=x&y=1 now", #"see <a href="http://a.example/verify?token=x&amp;y=1" target="_blank" "#),
      ("javascript:alert(1)", "javascript:alert(1)"), ("data:text/html,x", "data:text/html,x"),
      (#"https://a"onclick="x"#, #"https://a</a>&quot;onclick=&quot;x"#),
      ("https://a<b>", "https://a</a>&lt;b&gt;"),
    ])
  func links(text: String, html: String) { #expect(MailboxPage.linked(text).description.contains(html)) }

  @Test(
    "The mailbox's pages answer 404 for a name of no file",
    arguments: [
      "/mailbox/..%2F..%2Fkeys%2Fidentity.secret", "/mailbox/%2e%2e", "/mailbox/a.eml%00", "/mailbox/other.eml", "/mailbox/",
    ])
  func traversal(path: String) async throws {
    try await Self.with(bus: Self.bus()) { gateway in
      let answer = try await gateway.http("GET", path, Self.local)
      #expect(answer.status == 404)
    }
  }

  @Test("The mailbox's pages are closed if notifications says so, and can only be read")
  func closed() async throws {
    let bus = FakeBus()
    bus.answer(.notifications) { _ in throw Failure(RequestFailure.notFound) }
    try await Self.with(bus: bus) { gateway in
      for path in ["/mailbox", Self.mail] {
        let answer = try await gateway.http("GET", path, Self.local)
        #expect(answer.status == 404 && answer.body.contains("Not found."))
      }
      #expect(try await gateway.http("POST", "/mailbox", Self.local, "{}").status == 405)
    }
  }

  struct Stranger: Sendable, CustomTestStringConvertible {
    let fields: [String: String]
    var testDescription: String { fields.description }
  }

  @Test(
    "The mailbox's pages are refused to clients that come through a proxy or by another host name",
    arguments: [
      ["Host": "racha.example"], ["Host": "localhost.racha.example"], ["Host": "127.0.0.1.racha.example:80"],
      ["Host": "localhost", "X-Forwarded-For": "127.0.0.1"], ["Host": "localhost", "Forwarded": "for=127.0.0.1"],
      ["Host": "localhost", "Via": "1.1 proxy"], ["Host": "localhost", "X-Real-IP": "127.0.0.1"],
    ].map(Stranger.init))
  func strangers(stranger: Stranger) async throws {
    let bus = try Self.bus()
    try await Self.with(bus: bus) { gateway in
      for path in ["/mailbox", Self.mail] {
        let answer = try await gateway.http("GET", path, stranger.fields.merging(Self.cookie) { $1 })
        #expect(answer.status == 403 && answer.body.contains("127.0.0.1") && !answer.body.contains("<table"))
      }
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(
        "GET http://racha.example/mailbox HTTP/1.1\r\nHost: localhost\r\nCookie: racha_mailbox=\(Self.code)\r\n\r\n")
      #expect(try await connection.receiveResponse().status == 403)
    }
  }

  @Test(
    "The mailbox's pages are open only to peers on the loopback, whatever their header fields say",
    arguments: [
      ("127.0.0.1", true), ("127.8.9.10", true), ("::1", true), ("::ffff:127.0.0.1", true), ("192.0.2.1", false),
      ("10.0.0.1", false), ("172.17.0.1", false), ("fe80::1", false), ("::ffff:192.0.2.1", false), ("128.0.0.1", false),
    ])
  func peers(address: String, isGranted: Bool) throws {
    let peer = Peer(try SocketAddress(ipAddress: address, port: 1))
    for fields in [[], [("X-Forwarded-For", "127.0.0.1")], [("X-Real-IP", "127.0.0.1")]] {
      let head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: "/mailbox", headers: HTTPHeaders([("Host", "localhost")] + fields))
      #expect(LocalAccess.isGranted(Exchange(head, peer)) == (isGranted && fields.isEmpty))
    }
  }

  /// An address of this machine that is not the loopback, if it has one.
  private static let outerAddress: String? = {
    do {
      return try System.enumerateDevices().compactMap(\.address).first {
        $0.protocol == .inet && $0.ipAddress?.hasPrefix("127.") == false
      }?.ipAddress
    } catch {
      return nil
    }
  }()

  @Test(
    "The mailbox's pages are refused over the network, by a real connection",
    .enabled(if: outerAddress != nil, "this machine has only the loopback"))
  func network() async throws {
    let address = try #require(Self.outerAddress)
    try await Self.with(bus: Self.bus(), change: { $0.http.host = "0.0.0.0" }) { gateway in
      let connection = try await RawConnection(host: address, port: gateway.httpPort)
      for path in ["/mailbox", Self.mail] {
        try await connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nCookie: racha_mailbox=\(Self.code)\r\n\r\n")
        #expect(try await connection.receiveResponse().status == 403)
      }
      #expect(try await gateway.http("GET", "/mailbox", Self.local).status == 200)
    }
  }

  @Test(
    "The mailbox's pages know the names of this machine",
    arguments: [
      ("localhost", true), ("LOCALHOST:8080", true), ("127.0.0.1:1", true), ("127.1.2.3", true), ("[::1]", true),
      ("[::1]:8080", true), ("127.0.0.1.example", false), ("127.1", false), ("128.0.0.1", false), ("[::1].example", false),
      ("[::2]", false), ("localhost:x", false), ("localhost:", false), ("", false), ("racha.example:127", false),
    ])
  func names(authority: String, isOwn: Bool) { #expect(LocalAccess.isThisMachine(authority) == isOwn) }
}

extension String {
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
