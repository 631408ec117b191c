import NotificationsContract
import Operations
import Testing

@testable import NotificationsService

@Suite("Channels of notifications (NOT-4, E UC-07)")
struct PreferenceRulesTests {
  private static let now = Instant(milliseconds: 1_795_250_580_000)
  private static let morning = now.adding(seconds: 3600)

  private static func kind(_ name: String) throws -> NotificationSpec { try #require(NotificationSpec.named(name)) }

  private static func choices(
    _ all: [(PreferenceChoices.Topic, NotificationChannel, Bool)]
  ) -> PreferenceChoices {
    PreferenceChoices(isOn: Dictionary(uniqueKeysWithValues: all.map { (.init($0.0, $0.1), $0.2) }))
  }

  /// By which channels a kind goes unless its reader chooses otherwise: of each category one as its others go, and those that go by fewer.
  private static let usual: [(String, NotificationCategory, Set<NotificationChannel>)] = [
    ("friendRequestReceived", .social, [.inbox, .push]), ("leaderboardPositionsLost", .social, []),
    ("challengeCompleted", .challenges, [.inbox, .push]), ("friendChallengeRejected", .challenges, [.inbox]),
    ("taskEnrolled", .tasks, [.inbox, .push]),
    // To be pushed is what B UC11 and UC12 end with.
    ("taskHelpRequested", .help, [.inbox, .push]), ("taskHelpOffered", .help, [.inbox, .push]),
    ("teamInvitationReceived", .teams, [.inbox, .push]), ("messageReceived", .messages, [.inbox, .push]),
    ("reminderDue", .reminders, [.inbox, .push]), ("importDone", .imports, [.inbox]),
    ("offerRedeemed", .rewards, [.inbox, .push]), ("coinsEarned", .rewards, [.inbox]), ("offerEnding", .rewards, []),
    ("stepGoalReached", .goals, [.inbox, .push]), ("weeklySummary", .goals, [.inbox, .push]),
    ("reportActed", .moderation, [.inbox, .email, .push]), ("announcement", .announcements, [.inbox]),
    ("accountVerified", .account, [.inbox, .push]), ("verification", .account, [.email]),
    ("loginNoticed", .logins, [.inbox, .email, .push]), ("accountLocked", .security, [.inbox, .email, .push]),
    ("incidentRaised", .administration, [.inbox, .email, .push]), ("report", .administration, [.email]),
    ("partnerOwnerLost", .administration, [.inbox, .push]),
  ]

  @Test("Without a choice, a notification uses the default channels of its category or kind", arguments: usual)
  func defaults(name: String, category: NotificationCategory, channels: Set<NotificationChannel>) throws {
    let kind = try Self.kind(name)
    #expect(kind.category == category)
    let decisions = PreferenceRules.decide(kind, for: DeliveryRecipient(), at: Self.now)
    #expect(Set(decisions.filter { $0.value != .silent(.switchedOff) }.keys) == channels)
    // What is off by itself is not even logged, but for the inbox, by which a repetition is known.
    #expect(Set(decisions.keys).subtracting(channels).isSubset(of: [.inbox]))
  }

  @Test("Each category, and each kind that is off by default, reports its channels")
  func known() {
    #expect(Set(Self.usual.map(\.1)) == Set(NotificationCategory.allCases))
    let off = NotificationSpec.all.filter { !$0.channels.isEmpty && $0.delivery.defaults.isEmpty }.map(\.name)
    #expect(Set(off) == Set(Self.usual.filter(\.2.isEmpty).map(\.0)))
  }

  @Test("A message is pushed a few seconds later unless it is read in the inbox, and its changes use no channel of their own")
  func messages() throws {
    func decide(_ name: String) throws -> [NotificationChannel: DeliveryDecision] {
      PreferenceRules.decide(try Self.kind(name), for: DeliveryRecipient(), at: Self.now)
    }
    #expect(try decide("messageReceived") == [.inbox: .now, .push: .hold(until: Self.now.adding(seconds: 5), .unread)])
    #expect(try decide("messageEdited") == [:])
  }

  @Test("A choice for a kind overrides one for its category, and a switched-off notification is silent (E UC-06 AF-03)")
  func chosen() throws {
    var recipient = DeliveryRecipient()
    recipient.choices = Self.choices([
      (.category(.tasks), .inbox, false), (.category(.tasks), .email, true), (.kind("taskEnrolled"), .inbox, true),
      (.kind("taskEnrolled"), .push, false),
    ])
    #expect(
      PreferenceRules.decide(try Self.kind("taskEnrolled"), for: recipient, at: Self.now)
        == [.inbox: .now, .email: .now, .push: .silent(.switchedOff)])
    #expect(
      PreferenceRules.decide(try Self.kind("taskRemoved"), for: recipient, at: Self.now)
        == [.inbox: .silent(.switchedOff), .email: .now, .push: .now])
    #expect(PreferenceRules.decide(try Self.kind("friendRequestReceived"), for: recipient, at: Self.now)[.inbox] == .now)
  }

  @Test(
    "Required mails and inbox notices of security, verification, recovery and deletion ignore choices and quiet hours",
    arguments: [
      "verification", "recovery", "emailChange", "emailChangeNotice", "emailChanged", "passwordChanged", "identityLinked",
      "identityUnlinked", "tokenCreated", "suspensionLink", "accountDeleted", "loginNoticed", "loginSuspicious",
      "loginRefused", "accountLocked", "tokensReused", "everythingRevoked", "incidentRaised", "accountSuspended",
    ])
  func required(name: String) throws {
    let kind = try Self.kind(name)
    var recipient = DeliveryRecipient(isVerified: false, isSuspended: true, quietUntil: Self.morning)
    for channel in NotificationChannel.allCases {
      recipient.choices.isOn[.init(.kind(name), channel)] = false
      recipient.choices.isOn[.init(.category(kind.category), channel)] = false
    }
    let decisions = PreferenceRules.decide(kind, for: recipient, at: Self.now)
    #expect(decisions[.email] == .now)
    if kind.inbox != nil { #expect(decisions[.inbox] == .now) }
  }

  @Test("In quiet hours the inbox is filled, urgent notifications are sent, and the rest waits for their end (E UC-07)")
  func quiet() throws {
    var recipient = DeliveryRecipient(quietUntil: Self.morning)
    let held = DeliveryDecision.hold(until: Self.morning, .quietHours)
    #expect(
      PreferenceRules.decide(try Self.kind("reportActed"), for: recipient, at: Self.now)
        == [.inbox: .now, .email: held, .push: held])
    #expect(PreferenceRules.decide(try Self.kind("messageReceived"), for: recipient, at: Self.now)[.push] == held)
    #expect(
      PreferenceRules.decide(try Self.kind("loginSuspicious"), for: recipient, at: Self.now)
        == [.inbox: .now, .email: .now, .push: .now])
    recipient.quietUntil = Self.now
    #expect(PreferenceRules.decide(try Self.kind("reportActed"), for: recipient, at: Self.now)[.email] == .now)
  }

  @Test("Expired notifications are not sent, nor held beyond their end; silent ones stay silent")
  func ends() {
    let (before, after) = (Self.now.adding(seconds: -1), Self.now.adding(seconds: 1))
    let held = DeliveryDecision.hold(until: Self.morning, .quietHours)
    let off = DeliveryDecision.silent(.switchedOff)
    for decision in [DeliveryDecision.now, held, off] { #expect(decision.ended(at: nil, now: Self.now) == decision) }
    #expect(DeliveryDecision.now.ended(at: after, now: Self.now) == .now)
    for end in [before, Self.now] { #expect(DeliveryDecision.now.ended(at: end, now: Self.now) == .silent(.late)) }
    #expect(held.ended(at: Self.morning.adding(seconds: 1), now: Self.now) == held)
    for end in [after, Self.morning] { #expect(held.ended(at: end, now: Self.now) == .silent(.late)) }
    #expect(off.ended(at: before, now: Self.now) == off)
  }

  @Test("Optional notifications are not mailed to unverified addresses, nor mailed or pushed to suspended accounts")
  func unreachable() throws {
    let kind = try Self.kind("reportActed")
    #expect(
      PreferenceRules.decide(kind, for: DeliveryRecipient(isVerified: false), at: Self.now)
        == [.inbox: .now, .email: .silent(.unverified), .push: .now])
    #expect(
      PreferenceRules.decide(kind, for: DeliveryRecipient(isSuspended: true), at: Self.now)
        == [.inbox: .now, .email: .silent(.suspended), .push: .silent(.suspended)])
  }

  @Test("A kind's default channels can carry it, and its required ones are among them", arguments: NotificationSpec.all)
  func declared(kind: NotificationSpec) {
    #expect(kind.delivery.defaults.isSubset(of: kind.channels) && kind.delivery.required.isSubset(of: kind.delivery.defaults))
    #expect(kind.channels.isEmpty == (kind.isRemoval || ["messageEdited", "taskCommentRestored"].contains(kind.name)))
    // By mail unasked goes only what has a mail of its own.
    #expect(!kind.delivery.defaults.contains(.email) || kind.mail != nil)
  }
}
