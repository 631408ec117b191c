import CCurl
import Testing

@testable import NotificationsService

@Suite("Retrying a mail")
struct MailRetryTests {
  @Test(
    "A mail is retried after four times the delay each time, up to an hour",
    arguments: [(1, 5), (2, 20), (3, 80), (4, 320), (5, 1280), (6, 3600), (11, 3600)])
  func delays(attempts: Int, seconds: Int64) {
    #expect(MailRetry().step(after: .connection, attempts: attempts) == .again(afterMilliseconds: seconds * 1000))
  }

  @Test(
    "A mail is given up after the last attempt or a permanent failure",
    arguments: [
      (.connection, 12, true), (.connection, 11, false), (.authentication, 1, false), (.secretUnavailable, 1, false),
      (.interrupted, 1, false), (.rejected(reply: 450), 1, false), (.rejected(reply: 450), 12, true),
      (.rejected(reply: 550), 1, true), (.badAddress, 1, true),
    ] as [(MailFailure, Int, Bool)])
  func ends(failure: MailFailure, attempts: Int, givenUp: Bool) {
    #expect((MailRetry().step(after: failure, attempts: attempts) == .giveUp) == givenUp)
  }
}

@Suite("Failures of an SMTP transfer")
struct SMTPReplyTests {
  @Test(
    "An SMTP transfer's failure is classified by curl's code and the reply",
    arguments: [
      (CURLE_OK, 250, nil), (CURLE_COULDNT_RESOLVE_HOST, 0, .connection), (CURLE_COULDNT_CONNECT, 0, .connection),
      (CURLE_OPERATION_TIMEDOUT, 250, .connection), (CURLE_PEER_FAILED_VERIFICATION, 220, .connection),
      (CURLE_USE_SSL_FAILED, 250, .connection), (CURLE_RECV_ERROR, 421, .connection), (CURLE_LOGIN_DENIED, 535, .authentication),
      (CURLE_SEND_ERROR, 550, .rejected(reply: 550)), (CURLE_SEND_ERROR, 451, .rejected(reply: 451)),
      (CURLE_WEIRD_SERVER_REPLY, 552, .rejected(reply: 552)), (CURLE_ABORTED_BY_CALLBACK, 354, .interrupted),
    ] as [(CURLcode, Int, MailFailure?)])
  func failure(code: CURLcode, reply: Int, expected: MailFailure?) {
    #expect(SMTPReply.failure(code, reply: reply) == expected)
  }
}

@Suite("Addresses of mails")
struct MailAddressTests {
  @Test(
    "Addresses of mails that could break out of their header field are refused",
    arguments: [
      "", "@", "a@", "@b", "a b@example.org", "a@example.org\r\nBcc: x@example.org", "a@b@c", "<a@example.org>",
      "a,b@example.org",
      "ñ@example.org", "a\u{0}@example.org", String(repeating: "a", count: 250) + "@b.cd",
    ])
  func refused(text: String) { #expect(MailAddress(text) == nil) }

  @Test(
    "Valid addresses of mails are accepted unchanged",
    arguments: ["a@localhost", "ana.ruiz+racha@example.org", "o'neil@xn--ar-ejemplo-x9a.es"])
  func taken(text: String) { #expect(MailAddress(text)?.description == text) }
}
