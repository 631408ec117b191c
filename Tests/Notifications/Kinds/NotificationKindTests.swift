import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Testing

@testable import NotificationsService

@Suite("Notifications made from events")
struct NotificationKindTests {
  static let ana = AccountID()
  static let ben = AccountID()
  static let at = Instant(milliseconds: 1_795_250_580_000)
  static let anaName = try! Username(text: "ana")
  static let benName = try! Username(text: "ben")
  static let request = ID<FriendRequest>()
  static let follow = ID<FollowRequest>()
  static let friendChallenge = ID<FriendChallenge>()
  static let task = ID<SharedTask>()
  static let taskHelp = ID<TaskHelp>()
  static let team = ID<Team>()
  static let invitation = ID<TeamInvitation>()
  static let alert = LoginAlertID()
  static let incident = IncidentID()
  static let rewardsChallenge = ChallengeID()
  static let challengeTexts = ChallengeTexts(
    en: ChallengeText(title: "Ten thousand", description: "Walk.", badge: "Ten-thousander"),
    es: ChallengeText(title: "Diez mil", description: "Camina.", badge: "Diezmilero"))

  /// What an event makes of itself by each kind that it is of.
  static func drafts(_ event: any Event) -> [NotificationDraft] { NotificationSpec.all.compactMap { $0.make(event) } }

  /// An event, and for whom it makes a notification of which kind, with what leads on.
  static let cases: [(event: any Event, kind: NotificationKind, account: AccountID, links: NotificationLinks)] = [
    (
      FriendRequestSent(friendRequestID: request, fromAccountID: ana, fromUsername: anaName, toAccountID: ben, at: at),
      "friendRequestReceived", ben, NotificationLinks(accountID: ana, friendRequestID: ID(linking: request))
    ),
    (
      FriendRequestAccepted(
        friendRequestID: request, fromAccountID: ana, fromUsername: anaName, toAccountID: ben, toUsername: benName, at: at),
      "friendRequestAccepted", ana, NotificationLinks(accountID: ben, friendRequestID: ID(linking: request))
    ),
    (
      FollowRequestSent(followRequestID: follow, fromAccountID: ana, fromUsername: anaName, toAccountID: ben, at: at),
      "followRequestReceived", ben, NotificationLinks(accountID: ana, followRequestID: ID(linking: follow))
    ),
    (
      FollowRequestAccepted(followRequestID: follow, fromAccountID: ana, toAccountID: ben, toUsername: benName, at: at),
      "followRequestAccepted", ana, NotificationLinks(accountID: ben, followRequestID: ID(linking: follow))
    ),
    (
      challenge(to: ben, .received, of: ana, anaName, .pending), "friendChallengeReceived", ben,
      NotificationLinks(accountID: ana, friendChallengeID: ID(linking: friendChallenge))
    ),
    (
      challenge(to: ana, .sent, of: ben, benName, .accepted), "friendChallengeAccepted", ana,
      NotificationLinks(accountID: ben, friendChallengeID: ID(linking: friendChallenge))
    ),
    (CoinsEarned(accountID: ana, transferID: ID(), coins: 12, balance: 99, at: at), "coinsEarned", ana, NotificationLinks()),
    (login(.notice), "loginNoticed", ana, NotificationLinks(loginAlertID: ID(linking: alert))),
    (login(.suspicious), "loginSuspicious", ana, NotificationLinks(loginAlertID: ID(linking: alert))),
    (login(.high), "loginRefused", ana, NotificationLinks(loginAlertID: ID(linking: alert))),
    (protected(.accountGuessed), "accountLocked", ana, NotificationLinks()),
    (protected(.tokensReused), "tokensReused", ana, NotificationLinks()),
    (protected(.tokensReused, .everythingRevoked), "everythingRevoked", ana, NotificationLinks()),
    (
      AdministratorAlerted(mailID: ID(), accountID: ben, incidentID: incident, title: "A login of high risk", at: at),
      "incidentRaised", ben, NotificationLinks(incidentID: ID(linking: incident))
    ),
    (AccountVerified(accountID: ben, at: at), "accountVerified", ben, NotificationLinks()),
    (
      ChallengeCompleted(
        accountID: ana, challengeID: rewardsChallenge, completionID: ID(), texts: challengeTexts, icon: .placeholder, coins: 20,
        at: at), "challengeCompleted", ana, NotificationLinks(challengeID: ID(linking: rewardsChallenge))
    ),
    (
      BadgeAwarded(
        accountID: ana, challengeID: rewardsChallenge, completionID: ID(), tier: .gold, texts: challengeTexts,
        icon: .placeholder, at: at), "badgeAwarded", ana, NotificationLinks(challengeID: ID(linking: rewardsChallenge))
    ),
    (corrected(nil, isGranted: false), "challengeRevoked", ana, NotificationLinks(challengeID: ID(linking: rewardsChallenge))),
    (corrected(nil, isGranted: true), "challengeGranted", ana, NotificationLinks(challengeID: ID(linking: rewardsChallenge))),
    (
      corrected(.gold, isGranted: false), "achievementRevoked", ana, NotificationLinks(challengeID: ID(linking: rewardsChallenge))
    ),
    (corrected(.gold, isGranted: true), "achievementGranted", ana, NotificationLinks(challengeID: ID(linking: rewardsChallenge))),
    (notice(.enrolled, by: ana), "taskEnrolled", ben, NotificationLinks(accountID: ana, taskID: ID(linking: task))),
    (notice(.removed, by: ana), "taskRemoved", ben, NotificationLinks(accountID: ana, taskID: ID(linking: task))),
    (notice(.optedOut, by: ana), "taskOptedOut", ben, NotificationLinks(accountID: ana, taskID: ID(linking: task))),
    (notice(.cancelled, by: ana), "taskCancelled", ben, NotificationLinks(accountID: ana, taskID: ID(linking: task))),
    (notice(.partAssigned, by: ana), "taskPartAssigned", ben, NotificationLinks(accountID: ana, taskID: ID(linking: task))),
    (attached(by: ana), "taskAttached", ben, NotificationLinks(accountID: ana, taskID: ID(linking: task))),
    (attached(by: nil), "taskAttachedByToken", ben, NotificationLinks(taskID: ID(linking: task))),
    (notice(.recurred, by: nil), "taskRecurred", ben, NotificationLinks(taskID: ID(linking: task))),
    (
      TaskSeriesNoticeCreated(
        noticeID: ID(), accountID: ben, seriesID: series, seriesName: taskName, notice: .enrolled, byAccountID: ana,
        byUsername: anaName, at: at),
      "taskSeriesEnrolled", ben, NotificationLinks(accountID: ana, seriesID: ID(linking: series))
    ),
    (notice(.completed, by: nil), "taskCompleted", ben, NotificationLinks(taskID: ID(linking: task))),
    (
      help(.request, for: ben), "taskHelpRequested", ben,
      NotificationLinks(accountID: ana, taskID: ID(linking: task), taskHelpID: ID(linking: taskHelp))
    ),
    (
      TaskHelpThanked(
        accountID: ben, taskID: task, taskName: taskName, helpID: taskHelp, byAccountID: ana, byUsername: anaName, at: at),
      "taskHelpThanked", ben,
      NotificationLinks(accountID: ana, taskID: ID(linking: task), taskHelpID: ID(linking: taskHelp))
    ),
    (
      CoinsAdjusted(accountID: ana, transferID: ID(), coins: -12, reason: "A borrowed device", balance: 9, at: at),
      "coinsAdjusted",
      ana, NotificationLinks()
    ),
    (CoinsExpiring(noticeID: ID(), accountID: ana, coins: 12, endsAt: at, at: at), "coinsExpiring", ana, NotificationLinks()),
    (
      RedemptionUsed(accountID: ana, offerID: offer, redemptionID: redemption, title: "Coffee", partnerName: "Café", at: at),
      "rewardUsed", ana, NotificationLinks(offerID: ID(linking: offer), redemptionID: ID(linking: redemption))
    ),
    (
      RedemptionVoided(
        accountID: ana, offerID: offer, redemptionID: redemption, title: "Coffee", reason: "Sold out", coins: 5, balance: 9,
        at: at),
      "rewardVoided", ana, NotificationLinks(offerID: ID(linking: offer), redemptionID: ID(linking: redemption))
    ),
    (decided(.approved), "partnerApproved", ben, NotificationLinks(partnerID: ID(linking: partner))),
    (decided(.refused), "partnerRefused", ben, NotificationLinks(partnerID: ID(linking: partner))),
    (decided(.suspended), "partnerSuspended", ben, NotificationLinks(partnerID: ID(linking: partner))),
    (
      PartnerOwnerLost(noticeID: ID(), accountID: ben, partnerID: partner, name: "Café", at: at), "partnerOwnerLost", ben,
      NotificationLinks(partnerID: ID(linking: partner))
    ),
    (
      SanctionImposed(
        caseID: moderationCase, accountID: ben, kind: .message, outcome: .removed, isContentRemoved: true, reason: reason,
        until: nil, at: at), "contentRemoved", ben, NotificationLinks(caseID: ID(linking: moderationCase))
    ),
    (
      AppealDecided(caseID: moderationCase, accountID: ben, outcome: .refused, reason: reason, at: at), "appealRefused", ben,
      NotificationLinks(caseID: ID(linking: moderationCase))
    ),
  ]

  private static let moderationCase = ID<ModerationCase>()
  private static let reason = try! ReportText(text: "Insults.\nTwice.")
  private static let offer = OfferID()
  private static let redemption = RedemptionID()
  private static let partner = PartnerID()

  private static func decided(_ state: PartnerState) -> PartnerDecided {
    PartnerDecided(
      noticeID: ID(), accountID: ben, partnerID: partner, name: "Café", state: state, reason: state == .approved ? nil : "Why.",
      at: at)
  }

  private static let series = ID<TaskSeries>()
  private static let taskName = try! TaskName(text: "Paint")

  private static func corrected(_ tier: ChallengeTier?, isGranted: Bool) -> ChallengeCorrected {
    ChallengeCorrected(
      ChallengeCorrection(
        id: ID(), accountID: ana, challengeID: rewardsChallenge, tier: tier, isGranted: isGranted, coins: tier == nil ? 20 : 0,
        reason: "A borrowed device", administratorAccountID: ben, at: at), texts: challengeTexts)
  }

  private static func notice(_ notice: TaskNotice, by other: AccountID?) -> TaskNoticeCreated {
    TaskNoticeCreated(
      noticeID: ID(), accountID: ben, taskID: task, taskName: taskName, notice: notice, byAccountID: other,
      byUsername: other.map { _ in anaName }, at: at)
  }

  private static func attached(by other: AccountID?) -> TaskAttachmentsChanged {
    TaskAttachmentsChanged(
      accountID: ben, taskID: task, attachmentID: ID(), change: .attached, byAccountID: other,
      byUsername: other.map { _ in anaName }, name: .placeholder, taskName: taskName, at: at)
  }

  private static func help(
    _ kind: TaskHelpKind, for account: AccountID, closedAt: Instant? = nil, thanked: [AccountID] = []
  ) -> TaskHelpChanged {
    TaskHelpChanged(
      accountID: account, taskName: taskName,
      help: TaskHelp(
        id: taskHelp, taskID: task, kind: kind,
        person: TaskPerson(accountID: ana, username: anaName, nickname: nil, photoURL: nil), createdAt: at, closedAt: closedAt,
        thankedAccountIDs: thanked),
      at: at)
  }

  private static func challenge(
    to account: AccountID, _ direction: ConnectionRequestDirection, of other: AccountID, _ name: Username,
    _ state: FriendChallengeState
  ) -> FriendChallengeChanged {
    FriendChallengeChanged(
      friendChallengeID: friendChallenge, accountID: account, direction: direction, otherAccountID: other, otherUsername: name,
      activityTitle: "Walk", activityID: nil, state: state, revision: 1, at: at)
  }

  private static func login(_ level: LoginAlertLevel) -> LoginAlertRaised {
    LoginAlertRaised(alertID: alert, accountID: ana, level: level, device: "Firefox on Linux", place: "Tokyo, Japan", at: at)
  }

  private static func protected(_ pattern: IncidentPattern, _ measure: IncidentMeasure? = nil) -> AccountProtected {
    AccountProtected(incidentID: incident, accountID: ana, pattern: pattern, measure: measure, at: at)
  }

  @Test(
    "A team change made by others makes a notification each time, and one's own change makes none",
    arguments: TeamMembershipChange.allCases)
  func memberships(change: TeamMembershipChange) throws {
    let isMember = ![.left, .removed].contains(change)
    func event(_ revision: Int) throws -> TeamMembershipChanged {
      TeamMembershipChanged(
        accountID: Self.ana, teamID: Self.team, teamName: try TeamName(text: "Early Birds"), isMember: isMember,
        isOwner: change == .madeOwner, change: change, revision: revision, at: Self.at)
    }
    let kinds: [TeamMembershipChange: NotificationKind] = [
      .added: "teamMemberAdded", .removed: "teamMemberRemoved", .madeOwner: "teamHandedOver",
    ]
    let items = try [1, 2, 2].flatMap { NotificationKindTests.drafts(try event($0)).compactMap(\.inbox) }
    #expect(items.map(\.kind) == kinds[change].map { [$0, $0, $0] } ?? [])
    #expect(Set(items.map(\.source)).count == (items.isEmpty ? 0 : 2))
    for item in items {
      #expect(item.content.parameters["team"] == .text("Early Birds") && item.accounts.isEmpty)
      #expect(item.content.links == NotificationLinks(teamID: ID(linking: Self.team)))
    }
  }

  @Test(
    "A received team invitation or its acceptance by the other makes a notification, and one's own act makes none",
    arguments: ConnectionRequestState.allCases, ConnectionRequestDirection.allCases)
  func invitations(state: ConnectionRequestState, direction: ConnectionRequestDirection) throws {
    let event = TeamInvitationChanged(
      teamInvitationID: Self.invitation, accountID: Self.ana, direction: direction, otherAccountID: Self.ben,
      otherUsername: Self.benName, teamID: Self.team, teamName: try TeamName(text: "Early Birds"), state: state, revision: 1,
      at: Self.at)
    let items = NotificationKindTests.drafts(event).compactMap(\.inbox)
    let kind: NotificationKind? =
      switch (state, direction) {
      case (.pending, .received): "teamInvitationReceived"
      case (.accepted, .sent): "teamInvitationAccepted"
      default: nil
      }
    #expect(items.map(\.kind) == [kind].compactMap { $0 })
    for item in items {
      #expect(item.content.parameters == ["username": .text("ben"), "team": .text("Early Birds")])
      #expect(item.accounts == [Self.ben] && item.content.links.teamInvitationID == ID(linking: Self.invitation))
    }
  }

  @Test(
    "An event makes one notification of its kind, for its account, with links and the account that caused it"
  )
  func drafts() throws {
    for (event, kind, account, links) in NotificationKindTests.cases {
      let drafts = NotificationKindTests.drafts(event)
      let item = try #require(drafts.first?.inbox)
      #expect(drafts.count == 1 && drafts[0].accountID == account && item.kind == kind && item.content.links == links)
      #expect(item.accounts == Set([links.accountID].compactMap { $0 }))
      // By it a repetition is known, also by a version that is older or newer.
      #expect(item.source.hasPrefix("\(type(of: event).spec.originalName)/"))
    }
    #expect(Set(NotificationKindTests.cases.compactMap { NotificationKindTests.drafts($0.event)[0].inbox?.source }).count == 39)
  }

  @Test("Each kind of notification has its severity, and one that needs no action is informational")
  func severities() {
    func kinds(_ severity: NotificationSeverity) -> Set<NotificationKind> {
      Set(NotificationKind.allCases.filter { NotificationSpec.severity(of: $0) == severity })
    }
    #expect(
      kinds(.critical) == ["everythingRevoked", "incidentRaised", "loginRefused", "accountSuspended", "accountBanned"])
    #expect(
      kinds(.warning) == [
        "accountLocked", "tokensReused", "loginSuspicious", "importFailed", "contentRemoved", "accountWarned",
        "rewardVoided", "challengeRevoked", "achievementRevoked", "partnerRefused", "partnerSuspended", "partnerOwnerLost",
      ])
    #expect(kinds(.info).isSuperset(of: ["coinsEarned", "messageReceived", "loginNoticed", "accountVerified"]))
  }

  @Test("A notification's source keeps its format, so that nothing is reported twice")
  func sources() throws {
    func source(_ event: any Event) throws -> String { try #require(NotificationKindTests.drafts(event)[0].inbox).source }
    let incident = NotificationKindTests.incident
    #expect(try source(NotificationKindTests.cases[0].event) == "friendRequests.sent/\(Self.request)")
    #expect(try source(Self.login(.notice)) == "loginAlerts.raised/\(Self.alert)")
    #expect(try source(Self.protected(.tokensReused)) == "accounts.protected/\(incident)")
    #expect(
      try source(Self.protected(.tokensReused, .everythingRevoked))
        == "accounts.protected/\(incident)/\(IncidentMeasure.everythingRevoked)")
    #expect(try source(AccountVerified(accountID: Self.ben, at: Self.at)) == "accounts.verified/\(Self.ben)/\(Self.at)")
    let message = MessageSent(
      messageID: ID(), conversationID: ID(), fromAccountID: Self.ana, fromUsername: Self.anaName, toAccountID: Self.ben,
      text: try ChatText(text: "See you\nat seven"), at: Self.at)
    let item = try #require(NotificationKindTests.drafts(message)[0].inbox)
    #expect(
      item.source == "messages.sent/\(message.messageID)" && item.content.parameters["message"] == .text("See you at seven"))
    #expect(item.content.links.messageID != nil && item.content.links.conversationID != nil && item.accounts == [Self.ana])
    let redeemed = OfferRedeemed(
      accountID: Self.ana, offerID: ID(), redemptionID: ID(), title: "Coffee", coins: 50, balance: 49, at: Self.at)
    #expect(try source(redeemed) == "offers.redeemed/\(redeemed.redemptionID)")
  }

  @Test("A completed challenge makes one notification with its badge in the reader's language, and so does a tier")
  func completedChallenges() throws {
    let words = Words(Contract.notifications.words)
    func text(_ draft: NotificationDraft, _ language: Language) throws -> String? {
      let item = try #require(draft.inbox)
      return words.text("notification.\(item.kind.rawValue).text", language, item.content.parameters)
    }
    func badge(_ tier: ChallengeTier?) -> BadgeAwarded {
      BadgeAwarded(
        accountID: Self.ana, challengeID: Self.rewardsChallenge, completionID: ID(), tier: tier, texts: Self.challengeTexts,
        icon: .placeholder, at: Self.at)
    }
    let completed = ChallengeCompleted(
      accountID: Self.ana, challengeID: Self.rewardsChallenge, completionID: ID(), texts: Self.challengeTexts, icon: .placeholder,
      coins: 20, at: Self.at)
    let draft = try #require(Self.drafts(completed).first)
    #expect(
      try text(draft, .english) == "You completed “Ten thousand” and earned the badge “Ten-thousander”. Coins: 20.")
    #expect(try text(draft, .spanish) == "Has completado «Diez mil» y ganado la insignia «Diezmilero». Monedas: 20.")
    // The challenge's own badge is in that notification.
    #expect(Self.drafts(badge(nil)).isEmpty)
    let tier = try #require(Self.drafts(badge(.gold)).first)
    #expect(try text(tier, .english) == "You unlocked “Ten thousand”: gold.")
    #expect(try text(tier, .spanish) == "Has desbloqueado «Diez mil»: oro.")
  }

  @Test("A challenge revoked or granted by an administrator is notified with the reason, replacing the former correction")
  func correctedChallenges() throws {
    let words = Words(Contract.notifications.words)
    func texts(_ event: ChallengeCorrected) throws -> [String?] {
      let item = try #require(Self.drafts(event).first?.inbox)
      return Language.allCases.map { words.text("notification.\(item.kind.rawValue).text", $0, item.content.parameters) }
    }
    #expect(
      try texts(Self.corrected(nil, isGranted: false)) == [
        "“Ten thousand” no longer counts as completed, and its badge is gone. Coins taken back: 20. The reason: A borrowed device.",
        "«Diez mil» ya no cuenta como completado, y ya no tienes su insignia. Monedas retiradas: 20. Motivo: A borrowed device.",
      ])
    #expect(
      try texts(Self.corrected(nil, isGranted: true)) == [
        "“Ten thousand” counts as completed, and you have the badge “Ten-thousander”. Coins: 20. The reason: A borrowed device.",
        "«Diez mil» cuenta como completado, y tienes la insignia «Diezmilero». Monedas: 20. Motivo: A borrowed device.",
      ])
    #expect(
      try texts(Self.corrected(.gold, isGranted: false)) == [
        "“Ten thousand” (gold) was taken back. The reason: A borrowed device.",
        "Se te ha retirado «Diez mil» (oro). Motivo: A borrowed device.",
      ])
    #expect(
      try texts(Self.corrected(.gold, isGranted: true)) == [
        "You have “Ten thousand” (gold). The reason: A borrowed device.", "Tienes «Diez mil» (oro). Motivo: A borrowed device.",
      ])
    let event = Self.corrected(.gold, isGranted: true)
    let superseded = Set(NotificationSpec.all.compactMap { $0.superseded(event) })
    #expect(
      superseded == [NotificationSource(accountID: Self.ana, text: "challenges.corrected/\(Self.rewardsChallenge)/")])
  }

  @Test("Restricted accounts and refused appeals are notified and mailed with the reason")
  func moderation() throws {
    let words = Words(Contract.notifications.words)
    func texts(_ kind: NotificationKind) throws -> [String?] {
      let event = try #require(Self.cases.first { $0.kind == kind }?.event)
      let draft = try #require(Self.drafts(event).first)
      #expect(draft.mail?.spec.name == kind.rawValue && draft.mail?.subject == ID(linking: Self.moderationCase))
      let parameters = try #require(draft.inbox).content.parameters
      return Language.allCases.map { words.text("notification.\(kind.rawValue).text", $0, parameters) }
    }
    #expect(
      try texts("contentRemoved") == [
        "It was reported and breaks our rules (message): Insults. Twice.",
        "Se denunció e incumple nuestras normas (mensaje): Insults. Twice.",
      ])
    #expect(
      try texts("appealRefused") == [
        "The decision against you stands: Insults. Twice.", "La decisión contra ti se mantiene: Insults. Twice.",
      ])
  }

  @Test(
    "A received or answered challenge makes a notification; one's own acts and its end make none",
    arguments: FriendChallengeState.allCases, ConnectionRequestDirection.allCases)
  func challenges(state: FriendChallengeState, direction: ConnectionRequestDirection) {
    let event = Self.challenge(to: Self.ana, direction, of: Self.ben, Self.benName, state)
    let items = NotificationKindTests.drafts(event).compactMap(\.inbox)
    let isPublished = direction == .received ? state == .pending : [.accepted, .rejected].contains(state)
    #expect(items.count == (isPublished ? 1 : 0))
    for item in items { #expect(item.content.parameters["activity"] == .text("Walk") && item.accounts == [Self.ben]) }
  }

  @Test("Requested and offered help in a task makes a notification for others, and not its end or thanks")
  func taskHelp() {
    func kinds(_ event: TaskHelpChanged) -> [String] { Self.drafts(event).compactMap { $0.inbox?.kind.rawValue } }
    #expect(kinds(Self.help(.request, for: Self.ben)) == ["taskHelpRequested"])
    #expect(kinds(Self.help(.offer, for: Self.ben)) == ["taskHelpOffered"])
    for kind in TaskHelpKind.allCases {
      #expect(kinds(Self.help(kind, for: Self.ana)) == [])
      #expect(kinds(Self.help(kind, for: Self.ben, closedAt: Self.at)) == [])
      #expect(kinds(Self.help(kind, for: Self.ben, thanked: [Self.ben])) == [])
    }
  }

  @Test(
    "An import's progress and end make one notification, and a cancelled, waiting or uploading import makes none",
    arguments: [
      (ImportState.reading, "importProgressed" as String?), (.done, "importDone"), (.failed, "importFailed"), (.cancelled, nil),
      (.waiting, nil), (.uploading, nil),
    ] as [(ImportState, String?)])
  func imports(state: ImportState, kind: String?) throws {
    let counts = ImportCounts(records: 3, accepted: 1, repeated: 1, rejected: 1, days: 1)
    let event = ImportProgressed(accountID: Self.ana, importID: ID(), state: state, progress: 40, counts: counts)
    let items = NotificationKindTests.drafts(event).compactMap(\.inbox)
    #expect(items.map(\.kind.rawValue) == [kind].compactMap { $0 })
    if let item = items.first {
      #expect(item.source == "imports.progressed/\(event.importID)/\(state)/40" && item.content.links.importID != nil)
      #expect((item.content.parameters["progress"] != nil) == (state == .reading))
    }
    let superseded = Set(NotificationSpec.all.compactMap { $0.superseded(event) })
    #expect(superseded == [NotificationSource(accountID: Self.ana, text: "imports.progressed/\(event.importID)/")])
  }

  @Test("An event without an account makes no notification")
  func nobody() {
    let event = AccountProtected(incidentID: ID(), accountID: nil, pattern: .accountGuessed, at: Self.at)
    #expect(NotificationKindTests.drafts(event).isEmpty)
    #expect(NotificationKindTests.drafts(PasswordRecoveryRequested(recoveryID: ID(), accountID: nil)).isEmpty)
  }

  @Test(
    "A notification quotes only the beginning of a message, on one line",
    arguments: [
      ("short", "short"), (" two\n\n lines\t", "two lines"),
      (String(repeating: "x", count: 140), String(repeating: "x", count: 140)),
      (String(repeating: "x", count: 141), String(repeating: "x", count: 139) + "…"),
    ])
  func excerpts(text: String, expected: String) { #expect(Excerpt.of(text) == expected) }

  @Test("A quote in a notification is limited in bytes, however many combining marks it has")
  func heavy() {
    let text = String(repeating: "a" + String(repeating: "\u{0301}", count: 100), count: 80)
    #expect(Excerpt.of(text).utf8.count <= Excerpt.maxBytes)
    #expect(Excerpt.of(text).count == 6)
  }
}
