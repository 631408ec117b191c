import Foundation
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Testing

@testable import NotificationsService

@Suite("Rules of pushes (NOT-5, RFC 8030)")
struct PushRulesTests {
  @Test(
    "Endpoints are https URLs with a name at port 443, without login, or those of one's own configured service",
    arguments: [
      ("https://push.example.org/send/AZ?up=1&x=%20", true), ("https://PUSH.example.org:443/a", true),
      ("https://push.example.org:8443/a", false), ("https://push.example.org:80/a", false),
      ("https://updates.push.services.mozilla.com/wpush/v2/gAAA", true), ("https://ntfy.sh/upAbC?up=1", true),
      ("http://127.0.0.1:9000/push", true), ("http://127.0.0.1:9001/push", false), ("http://push.example.org/a", false),
      ("https://127.0.0.1/a", false), ("https://2130706433/a", false), ("https://0x7f.1/a", false), ("https://127.1/a", false),
      ("https://[::1]/a", false), ("https://[::ffff:127.0.0.1]/a", false), ("https://localhost/a", false),
      ("https://push.lan:8443/a", true), ("https://push.example.org./a", false), ("https://a..b/a", false),
    ])
  func endpoints(_ text: String, _ isAllowed: Bool) throws {
    let rules = PushEndpointRules(ownOrigins: ["http://127.0.0.1:9000", "https://push.lan:8443"])
    let endpoint = try PushEndpoint(text: text)
    #expect(rules.allows(endpoint) == isAllowed)
    #expect(endpoint.description == text)
  }

  @Test(
    "An invalid URL of a push service is refused",
    arguments: [
      "", "push", "ftp://push.example.org/", "https://", "https:///a", "https://a:b@push.example.org/",
      "https://push.example.org:0/",
      "https://push.example.org:99999/", "https://push.example.org/#a", "https://push.example.org/ a", "https://pü.example.org/",
      "https://push.example.org:80x/", "https://[::1/a", "https://evil.org\\@push.example.org/",
    ])
  func noEndpoints(_ text: String) {
    #expect(throws: FieldRule.self) { try PushEndpoint(text: text) }
  }

  @Test("An endpoint of more than 1,000 characters is refused as too long")
  func longEndpoints() throws {
    let start = "https://push.example.org/"
    let longest = start + String(repeating: "a", count: 1000 - start.count)
    #expect(try PushEndpoint(text: longest).description == longest)
    #expect(throws: FieldRule("too_long", ["max": .number(1000)])) { try PushEndpoint(text: longest + "a") }
  }

  @Test("An endpoint's origin is written as browsers write it")
  func origins() throws {
    #expect(try PushEndpoint(text: "https://Push.Example.org:443/a").origin == "https://push.example.org")
    #expect(try PushEndpoint(text: "https://push.example.org:8443?a").origin == "https://push.example.org:8443")
    #expect(try PushEndpoint(text: "http://[fd00::1]:80/a").origin == "http://[fd00::1]")
  }

  @Test(
    "Pushes connect only to addresses of the public internet",
    arguments: [
      ("1.1.1.1", true), ("142.250.1.1", true), ("172.15.0.1", true), ("172.32.0.1", true), ("100.128.0.1", true),
      ("0.0.0.0", false), ("10.1.2.3", false), ("100.64.0.1", false), ("100.127.255.255", false), ("127.0.0.1", false),
      ("127.255.0.1", false), ("169.254.169.254", false), ("172.16.0.1", false), ("172.31.255.255", false), ("192.0.0.8", false),
      ("192.0.2.1", false), ("192.168.1.1", false), ("198.18.0.1", false), ("198.19.255.255", false), ("198.51.100.1", false),
      ("203.0.113.1", false), ("224.0.0.1", false), ("239.255.255.255", false), ("240.0.0.1", false), ("255.255.255.255", false),
      ("2606:4700::1111", true), ("2a00:1450:4009::1", true), ("64:ff9b::1.1.1.1", true), ("::", false), ("::1", false),
      ("::ffff:127.0.0.1", false), ("::ffff:1.1.1.1", false), ("64:ff9b::127.0.0.1", false), ("64:ff9b::10.0.0.1", false),
      ("64:ff9b:1::1", false), ("100::1", false), ("2001::1", false), ("2001:db8::1", false), ("2002:7f00:1::", false),
      ("3fff::1", false), ("fc00::1", false), ("fd12:3456::1", false), ("fe80::1", false), ("fec0::1", false), ("ff02::1", false),
    ])
  func addresses(_ text: String, _ isPublic: Bool) async throws {
    let found = await HostAddresses.find(text)
    #expect(found.count == 1)
    let address = try #require(found.first)
    #expect(PublicAddress.isPublic(address.bytes) == isPublic)
  }

  @Test("A push service's answer means delivered, gone, retry or never")
  func answers() {
    for status in [200, 201, 202, 204] { #expect(PushAnswer(status: status, retryAfterSeconds: nil) == .accepted) }
    for status in [404, 410] { #expect(PushAnswer(status: status, retryAfterSeconds: nil) == .gone) }
    for status in [408, 429, 500, 503] {
      #expect(PushAnswer(status: status, retryAfterSeconds: 7) == .later(.unreachable, afterSeconds: 7))
    }
    for status in [301, 307, 400, 401, 403, 413] {
      #expect(PushAnswer(status: status, retryAfterSeconds: nil) == .never(.refused(status)))
    }
  }

  @Test("Failed pushes are retried after growing delays, never before Retry-After")
  func retries() throws {
    let retry = PushRetry()
    #expect((1...7).map { retry.delaySeconds(attempts: $0, asked: nil) } == [5, 20, 80, 320, 1280, 3600, 3600])
    #expect(retry.delaySeconds(attempts: 1, asked: 120) == 120)
    #expect(retry.delaySeconds(attempts: 3, asked: 1) == 80)
    #expect(retry.delaySeconds(attempts: 1, asked: .max) == 7 * 86_400)
    let now = try Instant(text: "2026-11-21T12:00:00.000Z")
    #expect(PushCarrier.seconds("120", at: now) == 120 && PushCarrier.seconds(" 0 ", at: now) == 0)
    #expect(PushCarrier.seconds("Sat, 21 Nov 2026 12:01:30 GMT", at: now) == 90)
    #expect(PushCarrier.seconds("Sat, 21 Nov 2026 11:00:00 GMT", at: now) == 0)
    for nonsense in ["", "soon", "-5", "1.5"] { #expect(PushCarrier.seconds(nonsense, at: now) == nil) }
  }

  @Test("A push topic is the same for the same subject, differs by device, and is as long as RFC 8030 allows")
  func topics() throws {
    let (one, other) = (try PushSecret(text: "BTBZMqHH6r4Tts7J_aSIgg"), try PushSecret(text: "AAAAAAAAAAAAAAAAAAAAAA"))
    let topic = PushRules.topic("messages.sent/1", one)
    #expect(topic == PushRules.topic("messages.sent/1", one) && topic.utf8.count == 32)
    #expect(topic != PushRules.topic("messages.sent/2", one) && topic != PushRules.topic("messages.sent/1", other))
    // Of an activity the newest reminder alone is shown.
    let reminder = PushRules.topic("reminders.due/a/2026-11-20/07:30", one)
    #expect(reminder == PushRules.topic("reminders.due/a/2026-11-21/20:00", one))
    #expect(reminder != PushRules.topic("reminders.due/b/2026-11-20/07:30", one))
    // Who has reached a goal is near it no longer. Sources begin with the event's first name.
    let near = PushRules.topic("goals.approached/a/near/day/2026-11-20", one)
    #expect(near == PushRules.topic("goals.approached/a/reached/day/2026-11-20", one))
    #expect(near != PushRules.topic("goals.approached/a/near/week/2026-11-16", one))
    #expect(
      PushRules.relatives(of: "goals.approached/a/near/day/2026-11-20")?.contains("goals.approached/a/reached/day/1") == true)
    #expect(PushRules.relatives(of: "goals.approached/a/near/day/1")?.contains("goals.approached/b/near/day/1") == false)
    #expect(PushRules.relatives(of: "messages.sent/1") == nil)
  }

  @Test("A push lives as long as its kind allows, but no longer than its content is useful")
  func ends() throws {
    let now = try Instant(text: "2026-11-21T12:00:00.000Z")
    func end(_ kind: String, _ endsAt: Instant?) -> Instant {
      let delivery = Delivery(
        id: ID(), account: AccountID(), channel: .push, kind: kind, source: "", subject: ID(), notification: nil, createdAt: now,
        endsAt: endsAt)
      return PushRules.end(delivery, at: now)
    }
    #expect(end("stepGoalNear", nil) == now.adding(seconds: 6 * 3600))
    #expect(end("stepGoalNear", now.adding(seconds: 60)) == now.adding(seconds: 60))
    #expect(end("stepGoalNear", now.adding(seconds: 86_400)) == now.adding(seconds: 6 * 3600))
  }

  @Test(
    "Every pushed kind lives for a day to four weeks, and reminders and goals for at least an hour"
  )
  func timesToLive() {
    for kind in NotificationSpec.all where kind.channels.contains(.push) {
      let least = [.reminders, .goals].contains(kind.category) ? 3600 : 86_400
      #expect((least...28 * 86_400).contains(PushRules.secondsToLive(kind)), "\(kind.name)")
    }
  }

  @Test("A push payload is declarative, smaller than 3,000 bytes however long its texts are, and cut at whole characters")
  func payloads() throws {
    func payload(_ title: String, _ text: String) -> PushPayload {
      PushPayload(
        title: title, text: text, language: .spanish, tag: "topic", page: "https://racha.example/", at: .now, delivery: ID(),
        notification: ID(), kind: "messageReceived")
    }
    for text in ["Hola", "ñ", "👩‍👩‍👧‍👦", "\"", "\u{1}", "\n"].map({ String(repeating: $0, count: 3000) }) + ["Hola", ""] {
      let bytes = payload(text, text).bytes
      #expect(bytes.count < 3000)
      let json = try JSONTape(bytes).json
      #expect(json["web_push"] == 8030)
      let shown = try #require(json["notification"])
      guard case .string(let title) = shown["title"], case .string(let body) = shown["body"] else {
        Issue.record("no words")
        continue
      }
      #expect(text.hasPrefix(title.hasSuffix("…") ? String(title.dropLast()) : title))
      #expect(text.hasPrefix(body.hasSuffix("…") ? String(body.dropLast()) : body))
      #expect(shown["lang"] == "es" && shown["tag"] == "topic")
      guard case .string(let page) = shown["navigate"] else { continue }
      #expect(page.hasPrefix("https://racha.example/#delivery="))
    }
  }
}
