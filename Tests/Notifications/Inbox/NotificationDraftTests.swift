import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Testing

@testable import NotificationsService

@Suite("What an event makes of itself in an inbox")
struct NotificationDraftTests {
  static let ana = AccountID()
  static let ben = AccountID()
  static let at = Instant(milliseconds: 1_795_250_580_000)
  static let anaName = try! Username(text: "ana")
  static let benName = try! Username(text: "ben")
  static let request = ID<FriendRequest>()
  static let follow = ID<FollowRequest>()

  /// One draft of each kind.
  static let every = [
    NotificationDraft(
      FriendRequestSent(friendRequestID: request, fromAccountID: ana, fromUsername: anaName, toAccountID: ben, at: at)),
    NotificationDraft(
      FriendRequestAccepted(
        friendRequestID: request, fromAccountID: ana, fromUsername: anaName, toAccountID: ben, toUsername: benName, at: at)),
    NotificationDraft(
      MessageSent(
        messageID: ID(), conversationID: ID(), fromAccountID: ana, fromUsername: anaName, toAccountID: ben,
        text: try! ChatText(text: "See you\nat seven"), at: at)),
    NotificationDraft(CoinsEarned(accountID: ana, transferID: ID(), coins: 12, balance: 99, at: at)),
    NotificationDraft(
      OfferRedeemed(
        accountID: ana, offerID: ID(), redemptionID: ID(), title: "Coffee", coins: 50, balance: 49, at: at)),
    login(.notice), login(.suspicious), login(.high),
    NotificationDraft(AccountProtected(incidentID: ID(), accountID: ana, pattern: .accountGuessed, at: at), to: ana),
    NotificationDraft(AccountProtected(incidentID: ID(), accountID: ana, pattern: .tokensReused, at: at), to: ana),
    NotificationDraft(
      AccountProtected(incidentID: ID(), accountID: ana, pattern: .tokensReused, measure: .everythingRevoked, at: at), to: ana),
    NotificationDraft(
      AdministratorAlerted(mailID: ID(), accountID: ben, incidentID: ID(), title: "A login of high risk", at: at)),
    NotificationDraft(
      FollowRequestSent(followRequestID: follow, fromAccountID: ana, fromUsername: anaName, toAccountID: ben, at: at)),
    NotificationDraft(
      FollowRequestAccepted(followRequestID: follow, fromAccountID: ana, toAccountID: ben, toUsername: benName, at: at)),
    progressed(.reading), progressed(.done), progressed(.failed),
    NotificationDraft(AccountVerified(accountID: ben, at: at)),
  ]

  private static func progressed(_ state: ImportState) -> NotificationDraft {
    let counts = ImportCounts(records: 3, taken: 1, repeated: 1, refused: 1, days: 1)
    let event = ImportProgressed(accountID: ana, importID: ID(), state: state, progress: 40, counts: counts)
    guard let draft = NotificationDraft(event) else { preconditionFailure("it is told of") }
    return draft
  }

  private static func login(_ level: LoginAlertLevel) -> NotificationDraft {
    NotificationDraft(
      LoginAlertRaised(alertID: ID(), accountID: ana, level: level, device: "Firefox on Linux", place: "Tokyo, Japan", at: at))
  }

  @Test("is for the one whom it concerns")
  func addressees() {
    #expect(
      NotificationDraftTests.every.map(\.accountID) == [
        Self.ben, Self.ana, Self.ben, Self.ana, Self.ana, Self.ana, Self.ana, Self.ana, Self.ana, Self.ana, Self.ana, Self.ben,
        Self.ben, Self.ana, Self.ana, Self.ana, Self.ana, Self.ben,
      ])
    #expect(NotificationDraftTests.every.map(\.kind) == NotificationKind.allCases)
  }

  @Test("leads to what it is about")
  func links() {
    let links = NotificationDraftTests.every.map(\.content.links)
    #expect(links[0].accountID == Self.ana && links[0].friendRequestID?.description == Self.request.description)
    #expect(links[1].accountID == Self.ben)
    #expect(links[2].messageID != nil && links[2].conversationID != nil)
    #expect(links[3] == NotificationLinks())
    #expect(links[4].offerID != nil && links[4].redemptionID != nil)
    for login in 5...7 { #expect(links[login].loginAlertID != nil) }
    #expect(links[11].incidentID != nil)
    #expect(links[12].accountID == Self.ana && links[12].followRequestID?.description == Self.follow.description)
    for progress in 14...16 { #expect(links[progress].importID != nil) }
    #expect(links[13].accountID == Self.ben && links[13].followRequestID?.description == Self.follow.description)
  }

  @Test("has a source of its own, also where a log numbers anew")
  func sources() {
    #expect(Set(NotificationDraftTests.every.map(\.source)).count == 18)
    let other = CoinsEarned(accountID: Self.ana, transferID: ID(), coins: 12, balance: 99, at: Self.at)
    #expect(NotificationDraft(other).source != NotificationDraftTests.every[3].source)
  }

  @Test(
    "quotes no more than the beginning of a message, on one line",
    arguments: [
      ("short", "short"), (" two\n\n lines\t", "two lines"),
      (String(repeating: "x", count: 140), String(repeating: "x", count: 140)),
      (String(repeating: "x", count: 141), String(repeating: "x", count: 139) + "…"),
    ])
  func excerpts(text: String, expected: String) { #expect(Excerpt.of(text) == expected) }

  @Test("bounds what heavy characters weigh")
  func heavy() {
    let text = String(repeating: "a" + String(repeating: "\u{0301}", count: 100), count: 80)
    #expect(Excerpt.of(text).utf8.count <= Excerpt.maxBytes)
    #expect(Excerpt.of(text).count == 6)
  }
}
