import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Testing

@testable import GatewayService

@Suite("Events delivered live", .timeLimit(.minutes(1)))
struct LiveEventTests {
  private static func changed(_ account: AccountID, number: Int) -> NotificationChanged {
    NotificationChanged(
      accountID: account, number: number,
      notification: Notification(
        id: ID(), number: number, kind: "messageEdited", severity: .info, title: "Message", text: "Edited.", parameters: [:],
        links: NotificationLinks(), createdAt: .now, readAt: nil))
  }

  @Test("Live events are exactly the declared ones, each with its account")
  func declared() {
    let live = [Contract.activity, .identity, .notifications, .rewards, .social].flatMap(\.events).filter { $0.spec.isLive }
    #expect(
      Set(live.map { $0.spec.name }).isSuperset(
        of: [
          "conversations.read", "messages.edited", "messages.removed", "notifications.changed",
          "taskComments.created", "taskComments.removed", "taskHelp.changed", "tasks.changed",
        ]))
    for event in live {
      var schemas = Schemas()
      _ = schemas.reference(to: event)
      let schema = schemas.components.first { $0.name == event.schemaName }?.schema
      #expect(schema?["properties"]?["accountID"] != nil, "\(event.spec.name)")
    }
  }

  @Test("A silent live event is delivered to nobody")
  func silent() throws {
    func event(_ isSilent: Bool?) throws -> LiveEvent {
      let removed = MessageRemoved(
        accountID: AccountID(), otherAccountID: AccountID(), conversationID: ID(), messageID: ID(), fromAccountID: AccountID(),
        fromUsername: try Username(text: "ana"), at: .now, isSilent: isSilent)
      return try LiveEvent(
        LoggedEvent(number: 1, name: MessageRemoved.spec.name, at: .now, traceparent: nil, body: removed.json),
        named: MessageRemoved.spec.name, of: .social)
    }
    #expect(try event(true).isSilent)
    for isSilent in [nil, false] as [Bool?] { #expect(try !event(isSilent).isSilent) }
  }

  @Test("Live events are delivered under their present name, even if the log has them under a former one")
  func renamed() throws {
    let body = Array(#"{"accountID":"\#(AccountID())"}"#.utf8)
    let logged = LoggedEvent(number: 1, name: "things.former", at: .now, traceparent: nil, body: body)
    #expect(try LiveEvent(logged, named: "things.changed", of: .social).name == "things.changed")
  }

  @Test("A stream sends live events under their name and without an id, so that it resumes from the last notification")
  func stream() async throws {
    try await LiveTests.with(contracts: [.notifications]) { gateway, inboxes in
      inboxes.add()
      let stream = try await LiveTests.Stream(gateway, inboxes.account, after: 0)
      #expect(try await stream.next().name == "ready")
      #expect(try await stream.next().id == 1)
      inboxes.change(Self.changed(AccountID(), number: 1))
      let event = Self.changed(inboxes.account, number: 1)
      inboxes.change(event)
      let sent = try await stream.next()
      #expect(sent.name == "notifications.changed" && sent.id == nil)
      #expect(try NotificationChanged.decode(Array(sent.data.utf8)) == event)
      inboxes.add()
      #expect(try await stream.next().id == 2)
    }
  }

  @Test("Live events come over JSON-RPC as a notification of their name")
  func rpc() async throws {
    try await LiveTests.with(contracts: [.notifications]) { gateway, inboxes in
      let line = try await RawConnection(port: gateway.tcpPort)
      let token = try gateway.signer.token(account: inboxes.account, claims: [:])
      try await line.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)"},"id":1}"# + "\n")
      try #require(try await line.receiveLine()["result"] != nil)
      #expect(try await line.receiveLine()["method"] == "live.ready")
      inboxes.change(Self.changed(inboxes.account, number: 7))
      let message = try await line.receiveLine()
      #expect(message["method"] == "live.notifications.changed" && message["params"]?["number"] == 7)
    }
  }

  @Test("Live events of notifications are not delivered to a session in doubt")
  func doubt() async throws {
    try await LiveTests.with(contracts: [.notifications]) { gateway, inboxes in
      let doubted = try await LiveTests.Stream(gateway, inboxes.account, claims: ["dbt": true], after: 0)
      #expect(try await doubted.next().name == "ready")
      inboxes.change(Self.changed(inboxes.account, number: 1))
      inboxes.add()
      #expect(try await doubted.next().name == "notification")
    }
  }

  @Test("A personal access token gets live events only with the read scope of the publishing service")
  func scopes() throws {
    func event(_ service: ServiceName) throws -> LiveEvent {
      try LiveEvent(
        LoggedEvent(number: 1, name: "x", at: .now, traceparent: nil, body: Array(#"{"accountID":"\#(AccountID())"}"#.utf8)),
        named: "x", of: service)
    }
    #expect(try event(.social).scope == .needs(.socialRead))
    #expect(try event(.notifications).scope == .needs(.notificationsRead))
    #expect(try event(.identity).scope == .sessionsOnly)
  }

  @Test(
    "Events without a valid account are no live events",
    arguments: ["{}", #"{"accountID":7}"#, #"{"accountID":"x"}"#])
  func malformed(body: String) {
    #expect(throws: (any Error).self) {
      try LiveEvent(
        LoggedEvent(number: 1, name: "x", at: .now, traceparent: nil, body: Array(body.utf8)), named: "x", of: .social)
    }
  }
}
