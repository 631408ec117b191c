import Foundation
import IdentityContract
import InProcess
import Logging
import Operations
import Testing

@testable import NotificationsService

@Suite(
  "Mails by SMTP", .enabled(if: MailServer.python != nil, "needs a Python with aiosmtpd: set RACHA_TEST_PYTHON"),
  .timeLimit(.minutes(2)))
struct SMTPCarrierTests {
  private func letter(_ text: String = "Hello\r\n", to address: String = "ana@example.org") throws -> Letter {
    Letter(
      id: ID(), createdAt: .now, from: try #require(MailAddress("racha@example.org")), to: try #require(MailAddress(address)),
      bytes: Array(text.utf8))
  }

  private func carrier(_ port: Int, _ change: (inout SMTPServer) -> Void = { _ in }) -> SMTPCarrier {
    var server = SMTPServer(url: "smtp://127.0.0.1:\(port)", encryption: .none)
    change(&server)
    return SMTPCarrier(server: server, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("A mail by SMTP arrives byte for byte, with sender and addressee in the envelope")
  func plain() async throws {
    let message = try MailMessageTests.message(.spanish)
    try await MailServer.run { server in
      let text = String(decoding: message.bytes, as: UTF8.self)
      try await carrier(server.port).carry(letter(text))
      let mail = try await server.next()
      #expect(mail.mail == Data(message.bytes))
      #expect(mail.sender == "racha@example.org" && mail.recipients == ["ana@example.org"])
      #expect(!mail.encrypted && !mail.login)
    }
  }

  @Test("A mail by SMTP keeps lines that begin with a full stop, whatever its size")
  func dots() async throws {
    let text = ".\r\n..\r\nend.\r\n" + String(repeating: ".dotted line\r\n", count: 5000)
    try await MailServer.run { server in
      try await carrier(server.port).carry(letter(text))
      #expect(try await server.next().mail == Data(text.utf8))
    }
  }

  @Test("SMTP logs in, and a wrong password has its own failure")
  func login() async throws {
    try await MailServer.run(["--login", "racha:s3cret"]) { server in
      try await carrier(server.port) { ($0.username, $0.password) = ("racha", "s3cret") }.carry(letter())
      #expect(try await server.next().login)
      await #expect(throws: MailFailure.authentication) {
        try await carrier(server.port) { ($0.username, $0.password) = ("racha", "wrong") }.carry(letter())
      }
    }
  }

  @Test("A mail refused by the server is reported with the reply", arguments: [550, 451])
  func refused(reply: Int) async throws {
    try await MailServer.run(["--refuse", "nobody:\(reply)"]) { server in
      await #expect(throws: MailFailure.rejected(reply: reply)) {
        try await carrier(server.port).carry(letter(to: "nobody@example.org"))
      }
      try await carrier(server.port).carry(letter())
      #expect(try await server.next().recipients == ["ana@example.org"])
    }
  }

  @Test("A mail by SMTP fails as a connection if nobody listens, or if the server is silent")
  func unreachable() async throws {
    let port = try LocalPort.free()
    await #expect(throws: MailFailure.connection) { try await carrier(port).carry(letter()) }
    let silent = try LocalPort.Listener()
    defer { silent.close() }
    await #expect(throws: MailFailure.connection) {
      try await carrier(silent.port) { $0.wholeMilliseconds = 300 }.carry(letter())
    }
  }

  @Test("A mail by SMTP is aborted when the service must stop")
  func cancelled() async throws {
    let silent = try LocalPort.Listener()
    defer { silent.close() }
    let carrier = carrier(silent.port)
    let letter = try letter()
    let sending = Task { () async -> MailFailure? in
      do throws(MailFailure) {
        try await carrier.carry(letter)
        return nil
      } catch {
        return error
      }
    }
    sending.cancel()
    #expect(await sending.value == .interrupted)
  }

  @Test("A mail by SMTP is encrypted if required, and not sent if that fails or the server is not trusted")
  func encryption() async throws {
    let folder = "/tmp/racha-tls-\(UInt32.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (certificate, key) = try Certificate.make(in: folder)
    try await MailServer.run(["--certificate", certificate, "--key", key]) { server in
      let trusting = carrier(server.port) {
        $0.encryption = .required
        $0.authoritiesFile = certificate
      }
      try await trusting.carry(letter())
      #expect(try await server.next().encrypted)
      await #expect(throws: MailFailure.connection) {
        try await carrier(server.port) { $0.encryption = .required }.carry(letter())
      }
    }
    try await MailServer.run { server in
      await #expect(throws: MailFailure.connection) {
        try await carrier(server.port) { $0.encryption = .required }.carry(letter())
      }
      try await carrier(server.port) { $0.encryption = .starttls }.carry(letter())
      #expect(try await server.next().encrypted == false)
    }
  }

  @Test("A mail by SMTP is encrypted from the first byte if the URL says so, and logs in")
  func implicitEncryption() async throws {
    let folder = "/tmp/racha-tls-\(UInt32.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (certificate, key) = try Certificate.make(in: folder)
    let arguments = ["--implicit", "--certificate", certificate, "--key", key, "--login", "racha:s3cret"]
    try await MailServer.run(arguments) { server in
      let secure = { (change: (inout SMTPServer) -> Void) in
        carrier(server.port) {
          ($0.url, $0.username, $0.password) = ("smtps://127.0.0.1:\(server.port)", "racha", "s3cret")
          $0.authoritiesFile = certificate
          change(&$0)
        }
      }
      try await secure { _ in }.carry(letter())
      let mail = try await server.next()
      #expect(mail.encrypted && mail.login)
      await #expect(throws: MailFailure.authentication) { try await secure { $0.password = "wrong" }.carry(letter()) }
      // A server that cannot be trusted is none.
      await #expect(throws: MailFailure.connection) { try await secure { $0.authoritiesFile = nil }.carry(letter()) }
      // In clear nothing is understood.
      await #expect(throws: MailFailure.connection) {
        try await secure { ($0.url, $0.wholeMilliseconds) = ("smtp://127.0.0.1:\(server.port)", 500) }.carry(letter())
      }
    }
  }

  @Test("A mail by SMTP arrives once after the server has come up")
  func downThenUp() async throws {
    let port = try LocalPort.free()
    let identity = IdentityDouble()
    let person = try identity.person("ana", language: .spanish)
    let link = try identity.link(of: person, token: MailWorkerTests.token)
    let smtp = carrier(port)
    let watched = WatchedCarrier { letter throws(MailFailure) in try await smtp.carry(letter) }
    let retry = MailRetry(firstDelayMilliseconds: 50, growth: 2, longestDelayMilliseconds: 200, maxAttempts: 1000)
    try await ServicesInProcess.mails(identity, watched, retry: retry) { services in
      try await services.publish(
        .identity, VerificationMailRequested(linkID: link, accountID: person.account, reason: .registered))
      #expect(try await watched.next(2).map(\.failure) == [.connection, .connection])
      try await MailServer.run(["--port", "\(port)"]) { server in
        let mail = try await server.next()
        #expect(String(decoding: mail.mail, as: UTF8.self).contains("Subject: =?utf-8?B?"))
        for await journey in watched.journeys where journey.failure == nil { break }
      }
    }
  }
}

/// A certificate of its own authority, made by OpenSSL.
enum Certificate {
  static func make(in folder: String) throws -> (certificate: String, key: String) {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let (certificate, key) = ("\(folder)/certificate.pem", "\(folder)/key.pem")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
      "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return (certificate, key)
  }
}
