import Foundation
import Operations
import Testing

@testable import Messaging

/// Pins what travels: each file in `Wire` is an array of the header and the body. A change here breaks services that still run.
@Suite struct WireTests {
  private let at = Instant(milliseconds: 1_763_714_580_000)
  private let account = try! AccountID(text: "01938f2a-7d4e-7c31-9b52-0123456789ab")
  private let session = try! SessionID(text: "01938f2a-7d4e-7c31-9b52-0123456789ac")
  private let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  private func golden(_ name: String) throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Wire/\(name).json")
    return try String(contentsOf: file, encoding: .utf8)
  }

  private func frames(_ header: [UInt8], _ body: [UInt8]) -> String {
    "[\(String(decoding: header, as: UTF8.self)),\n\(String(decoding: body, as: UTF8.self))]\n"
  }

  private var request: RequestHeader {
    RequestHeader(
      id: "01938f2a-7d4e-7c31-9b52-0123456789ad", operation: "friendRequests.send",
      caller: Caller(
        kind: .account, account: account, session: session, isVerified: true, language: .spanish, address: "203.0.113.9",
        userAgent: "racha/1.0"),
      deadline: at, idempotencyKey: "k-1", traceparent: traceparent, parameters: ["username": "ana.ruiz"])
  }

  @Test("A request is written with its remaining time when it is sent")
  func requestFrames() throws {
    let sent = RequestHeader.stamp(request.wire, left: 9998, sent: 86_400_123)
    #expect(frames(sent, Array(#"{"note":"hola"}"#.utf8)) == (try golden("request")))
    #expect(try RequestHeader(wire: request.wire) == request)
    var stamped = request
    (stamped.leftMilliseconds, stamped.sentMilliseconds) = (9998, 86_400_123)
    #expect(stamped.wire == sent && stamped.json == sent)
    #expect(try RequestHeader(wire: sent) == stamped)
    // No wait is longer than a day, and none shorter than nothing.
    #expect(try RequestHeader(wire: RequestHeader.stamp(request.wire, left: .max, sent: 0)).leftMilliseconds == 86_400_000)
    #expect(try RequestHeader(wire: RequestHeader.stamp(request.wire, left: -5, sent: 0)).leftMilliseconds == 0)
    var doubtful = request
    doubtful.caller.isInDoubt = true
    #expect(doubtful.wire == doubtful.json && doubtful.wire != request.wire)
    #expect(try RequestHeader(wire: doubtful.wire) == doubtful)
  }

  @Test("A reply and a failed reply are written as specified")
  func replyFrames() throws {
    let reply = ReplyHeader(id: request.id, status: 201)
    #expect(frames(reply.wire, Array(#"{"state":"pending"}"#.utf8)) == (try golden("reply")))
    let failure = Reply(id: request.id, Failure(RequestFailure.overloaded, retryAfterSeconds: 1))
    #expect(frames(failure.header.wire, failure.body) == (try golden("failure")))
  }

  @Test("A returned request that was not begun, and the messages of a stopping service and its caller, are written as specified")
  func shutdownFrames() throws {
    var header = ReplyHeader(id: request.id, status: 503)
    header.wasBegun = false
    let sentBack = Reply(header: header, body: Failure(RequestFailure.unavailable, retryAfterSeconds: 1).json)
    #expect(frames(sentBack.header.wire, sentBack.body) == (try golden("sentBack")))
    #expect(try ReplyHeader(wire: header.wire) == header && header.wire == header.json)
    #expect(ShutdownHandshake.sendsBack(RawReply(sentBack)))
    #expect(!ShutdownHandshake.sendsBack(RawReply(Reply(id: "a", Failure(RequestFailure.unavailable, retryAfterSeconds: 1)))))
    let (notice, answer) = (ShutdownHandshake.notice, ShutdownHandshake.answer)
    #expect(frames(notice[1], notice[2]) + frames(answer[1], answer[2]) == (try golden("shutdown")))
    #expect(notice[0].isEmpty && answer[0].isEmpty && ShutdownHandshake.tagFrame == [0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("An event, a burst and a heartbeat are written as specified")
  func announcementFrames() throws {
    let event = LoggedEvent(
      number: 42, name: "friendRequests.sent", at: at, traceparent: traceparent, body: Array(#"{"to":"ana.ruiz"}"#.utf8))
    let announcement = Announcement.event(event, epoch: "e1")
    #expect(frames(announcement.header.json, announcement.body) == (try golden("event")))
    #expect(try Announcement(header: announcement.header.json, body: announcement.body) == announcement)
    let burst = Announcement.burst(names: ["b.changed", "a.changed"], after: 3, head: LogHead(epoch: "e1", number: 42))
    #expect(frames(burst.header.json, Array("null".utf8)) == (try golden("burst")))
    #expect(try Announcement(header: burst.header.json, body: []) == burst)
    let heartbeat = Announcement.heartbeat(LogHead(epoch: "e1", number: 42))
    #expect(frames(heartbeat.header.json, Array("null".utf8)) == (try golden("heartbeat")))
    #expect(try Announcement(header: heartbeat.header.json, body: []) == heartbeat)
  }

  @Test("A page of missed events passes their documents on as they were written")
  func fetchFrames() throws {
    let body = Array(#"{"to" : "ana.ruiz", "n":1.50}"#.utf8)
    let event = LoggedEvent(number: 42, name: "friendRequests.sent", at: at, traceparent: nil, body: body)
    let output = EventExchange.FetchOutput(epoch: "e1", number: 43, through: 43, events: [WireEvent(event)])
    let input = EventExchange.FetchInput(epoch: "e1", after: 41, names: ["friendRequests.sent"], limit: 500)
    #expect(frames(input.json, output.json) == (try golden("fetch")))
    let other = EventExchange.FetchOutput(epoch: "e2", number: 41, through: 41, events: [], endNumber: 40)
    #expect(frames(input.json, other.json) == (try golden("fetchOtherEpoch")))
    #expect(try EventExchange.FetchOutput.decode(output.json, limits: EventExchange.limits).events.map(\.logged) == [event])
  }

  @Test("The headers' own codecs agree with the strict ones, document by document")
  func headerCodecs() throws {
    let base = String(decoding: RequestHeader.stamp(request.wire, left: 9998, sent: 86_400_123), as: UTF8.self)
    var texts = [base, "{}", "[]", "", "null", "{", #"{"id":"a","id":"b"}"#]
    texts += ["true", "false", "null", "1"].map {
      base.replacing(#""isVerified":true"#, with: #""isVerified":true,"isInDoubt":\#($0)"#)
    }
    // Every document that differs from a right one in one point.
    let members = [
      #""id":"01938f2a-7d4e-7c31-9b52-0123456789ad""#, #""operation":"friendRequests.send""#, #""idempotencyKey":"k-1""#,
      #""kind":"account""#, #""isVerified":true"#, #""language":"es""#, #""address":"203.0.113.9""#,
      #""deadline":"2025-11-21T08:43:00.000Z""#, #""username":"ana.ruiz""#, #""leftMilliseconds":9998"#,
      #""sentMilliseconds":86400123"#,
    ]
    let values = [
      "null", "true", "1", "-1", "1.5", "1e3", "86400001", "9000000000000001", "\"\"", "\"a\"", "\"\\u0061ccount\"", "\"ñ\"",
      "\"\u{7F}\"", "\"a\\nb\"", "{}", "[1]",
      "\"\(String(repeating: "x", count: 128))\"", "\"\(String(repeating: "x", count: 129))\"",
      "\"\(String(repeating: "x", count: 256))\"", "\"2026-11-21T08:43:00+01:00\"", "\"identity\"", "\"en\"",
    ]
    for member in members {
      #expect(base.contains(member))
      let name = member.prefix { $0 != ":" }
      for value in values { texts.append(base.replacing(member, with: "\(name):\(value)")) }
      texts.append(base.replacing(member, with: "\"extra\":1"))
      texts.append(base.replacing(member, with: "\(member),\"extra\":1"))
    }
    for text in texts {
      let bytes = Array(text.utf8)
      let generic = Result { try RequestHeader.decode(bytes, limits: .header) }.mapError { $0 as? Failure ?? Failure($0) }
      let own = Result { try RequestHeader(wire: bytes) }.mapError { $0 as? Failure ?? Failure($0) }
      #expect(own == generic, "\(text)")
      if case .success(let header) = own { #expect(header.wire == header.json) }
    }
    let begun = ["null", "true", "false", "0"].map { #"{"id":"a","status":503,"wasBegun":\#($0)}"# }
    for text in begun + [
      #"{"id":"a","status":200}"#, #"{"id":"","status":-1}"#, #"{"id":"a"}"#, #"{"id":1,"status":"200"}"#, "{}", "x",
    ] {
      let bytes = Array(text.utf8)
      let generic = Result { try ReplyHeader.decode(bytes, limits: .header) }.mapError { $0 as? Failure ?? Failure($0) }
      let own = Result { try ReplyHeader(wire: bytes) }.mapError { $0 as? Failure ?? Failure($0) }
      #expect(own == generic, "\(text)")
      if case .success(let header) = own { #expect(header.wire == header.json) }
    }
  }
}
