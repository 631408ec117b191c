import EarlierStores
import GRDB
import IdentityContract
import InMemoryBus
import InProcess
import Logging
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import NotificationsService

@Suite("Preferences of notifications (NOT-4, B UC13)", .timeLimit(.minutes(1)))
struct PreferenceTests {
  private static let others: [ServicesInProcess.Build] = [
    { _ in ServiceDefinition(.rewards, migrations: []) }, { _ in ServiceDefinition(.social, migrations: []) },
  ]

  private func run(_ body: (ServicesInProcess, Person) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }] + Self.others) { services in
      let ana = try await services.register()
      try await services.hasReceived(.notifications, of: .identity)
      try await body(services, ana)
    }
  }

  private func choose(_ ana: Person, _ choices: NotificationChoice...) async throws -> [NotificationPreference] {
    try await ana.send(UpdateNotificationPreferences.self, .init(choices: choices)).items
  }

  /// Help asked for in a task, as social publishes it.
  static func help(for account: AccountID) throws -> TaskHelpChanged {
    TaskHelpChanged(
      accountID: account, taskName: try TaskName(text: "Paint"),
      help: TaskHelp(
        id: ID(), taskID: ID(), kind: .request,
        person: TaskPerson(accountID: AccountID(), username: try Username(text: "ben"), nickname: nil, photoURL: nil),
        createdAt: .now, closedAt: nil, thankedAccountIDs: []), at: .now)
  }

  private func inbox(
    _ services: ServicesInProcess, _ ana: Person, of publisher: ServiceName = .social
  ) async throws -> [NotificationKind] {
    try await services.hasReceived(.notifications, of: publisher)
    return try await ana.send(ListNotifications.self, .init()).items.map(\.kind)
  }

  @Test("UC13: an account that mutes help gets no notifications of it, which is logged, until it stops muting")
  func muteHelp() async throws {
    try await run { services, ana in
      let muted = try await choose(
        ana, .init(category: .help, .inbox, isOn: false), .init(category: .help, .email, isOn: false),
        .init(category: .help, .push, isOn: false))
      let help = try #require(muted.first { $0.category == .help && $0.kind == nil })
      #expect(help.inbox == .off && help.email == .off && help.push == .off && help.chosen == [.inbox, .email, .push])
      let event = try Self.help(for: ana.id)
      // The same twice is logged once.
      try await services.publish(.social, event, event)
      #expect(try await inbox(services, ana) == [])
      let log = try await ana.send(ListDeliveries.self, .init()).items
      // Of each channel that was switched off.
      #expect(log.allSatisfy { $0.kind == "taskHelpRequested" } && log.map(\.channel) == [.email, .inbox])
      #expect(
        log.map(\.state) == [.silent, .silent] && log[0].reason == "switched_off"
          && log[0].explanation == "You switched this off.")
      _ = try await choose(ana, .init(category: .help, .inbox, isOn: nil))
      try await services.publish(.social, try Self.help(for: ana.id))
      #expect(try await inbox(services, ana) == ["taskHelpRequested"])
    }
  }

  @Test("Help muted at identity is muted here once; later choices here persist, whatever identity publishes")
  func takenOver() async throws {
    try await run { services, ana in
      try await services.change(ana, receivedBy: .notifications) { $0.mutesHelp = true }
      try await services.publish(.social, try Self.help(for: ana.id))
      #expect(try await inbox(services, ana) == [])
      _ = try await choose(ana, .init(category: .help, .inbox, isOn: true))
      try await services.change(ana, receivedBy: .notifications) { $0.nickname = try Nickname(text: "Ana") }
      try await services.publish(.social, try Self.help(for: ana.id))
      #expect(try await inbox(services, ana) == ["taskHelpRequested"])

      // Who has chosen here before identity's event came keeps that.
      let ben = try await services.register()
      try await services.hasReceived(.notifications, of: .identity)
      _ = try await choose(ben, .init(category: .help, .inbox, isOn: nil))
      try await services.change(ben, receivedBy: .notifications) { $0.mutesHelp = true }
      try await services.publish(.social, try Self.help(for: ben.id))
      #expect(try await inbox(services, ben) == ["taskHelpRequested"])
    }
  }

  @Test(
    "E UC-06 AF-03: a completed challenge is logged as silent if such notifications are off, and other kinds still arrive"
  )
  func oneKind() async throws {
    try await run { services, ana in
      _ = try await choose(ana, .init(kind: "challengeCompleted", .inbox, isOn: false))
      let text = ChallengeText(title: "Ten thousand", description: "Walk.", badge: "Ten-thousander")
      let (challenge, texts) = (ChallengeID(), ChallengeTexts(en: text, es: text))
      try await services.publish(
        .rewards,
        ChallengeCompleted(
          accountID: ana.id, challengeID: challenge, completionID: ID(), texts: texts, icon: .placeholder, coins: 20, at: .now),
        BadgeAwarded(
          accountID: ana.id, challengeID: challenge, completionID: ID(), tier: .gold, texts: texts, icon: .placeholder, at: .now))
      #expect(try await inbox(services, ana, of: .rewards) == ["badgeAwarded"])
      let log = try await ana.send(ListDeliveries.self, .init(channel: .inbox)).items
      #expect(log.map(\.kind) == ["badgeAwarded", "challengeCompleted"] && log[1].reason == "switched_off")
      #expect(log.map(\.state) == [.sent, .silent] && log.map(\.notificationID).map { $0 == nil } == [false, true])
      // Read in the inbox is opened.
      #expect(log[0].openedAt == nil)
      _ = try await ana.send(MarkAllNotificationsRead.self, .init(upTo: 1))
      #expect(try await ana.send(ListDeliveries.self, .init(state: .sent)).items[0].openedAt != nil)
    }
  }

  @Test(
    "Switching off what protects the account is refused by name, and so are unknown choices")
  func refused() async throws {
    try await run { services, ana in
      for kind in ["loginSuspicious", "verification", "recovery", "accountDeleted", "passwordChanged"] {
        let failure = await #expect(throws: Failure.self) {
          try await choose(ana, .init(category: .social, .push, isOn: false), .init(kind: kind, .email, isOn: false))
        }
        #expect(failure?.fields.map { "\($0.field) \($0.code)" } == ["choices[1].isOn cannot_switch_off"])
        #expect(failure?.fields[0].parameters["name"] == .text(kind))
      }
      for (choice, fault) in [
        (NotificationChoice(category: .security, .email, isOn: false), "choices[0].isOn cannot_switch_off"),
        (.init(category: .logins, .inbox, isOn: false), "choices[0].isOn cannot_switch_off"),
        (.init(kind: "nothing", .inbox, isOn: false), "choices[0].kind unknown_notification_kind"),
        (.init(kind: "messageEdited", .inbox, isOn: false), "choices[0].kind unknown_notification_kind"),
        (.init(kind: "verification", .push, isOn: true), "choices[0].channel channel_unavailable"),
      ] {
        #expect(try await ana.refusedFields(UpdateNotificationPreferences.self, .init(choices: [choice])) == [fault])
      }
      for json in [
        #"{"choices":[{"channel":"inbox","isOn":false}]}"#, #"{"choices":[{"category":"help","kind":"x","channel":"inbox"}]}"#,
      ] {
        let failure = await #expect(throws: Failure.self) {
          try await ana.send(UpdateNotificationPreferences.self, json: Array(json.utf8))
        }
        #expect(failure?.fields.map { "\($0.field) \($0.code)" } == ["choices[0].kind exactly_one"])
      }
      // What cannot be read hides nothing of the other choices.
      let choices = [
        #"{"kind":"recovery","channel":"email","isOn":false}"#, #"{"kind":"nothing","channel":"fax"}"#,
        #"{"kind":"nothing","channel":"inbox"}"#,
      ].joined(separator: ",")
      let failure = await #expect(throws: Failure.self) {
        try await ana.send(UpdateNotificationPreferences.self, json: Array(#"{"choices":[\#(choices)],"all":true}"#.utf8))
      }
      #expect(
        failure?.fields.map { "\($0.field) \($0.code)" }.sorted() == [
          "all unknown_field", "choices[0].isOn cannot_switch_off", "choices[1].channel not_a_choice",
          "choices[2].kind unknown_notification_kind",
        ])
      // Nothing of a request that is refused was chosen.
      let items = try await ana.send(GetNotificationPreferences.self, .init()).items
      #expect(items.allSatisfy { $0.chosen.isEmpty })
      // The push of security is one's own affair.
      #expect(try await choose(ana, .init(category: .security, .push, isOn: false)).contains { $0.chosen == [.push] })
    }
  }

  @Test("Preferences list every category with its kinds, in the reader's language, for each account separately")
  func listed() async throws {
    try await run { services, ana in
      let ben = try await services.register(language: .spanish)
      _ = try await choose(ana, .init(category: .teams, .email, isOn: true))
      let items = try await ben.send(GetNotificationPreferences.self, .init()).items
      #expect(items.filter { $0.kind == nil }.map(\.name).contains("Equipos"))
      #expect(items.first { $0.kind == "friendRequestReceived" }?.name == "Nueva solicitud de amistad")
      #expect(items.filter { $0.kind != nil }.count == NotificationSpec.all.filter { !$0.channels.isEmpty }.count)
      #expect(items.allSatisfy { $0.chosen.isEmpty })
      let security = try #require(items.first { $0.category == .security && $0.kind == nil })
      #expect(security.inbox == .required || security.inbox == .on)
      #expect(items.first { $0.kind == "verification" }?.push == .unavailable)
      // A session in doubt changes nothing.
      #expect(
        try await ana.inDoubt.failure(
          UpdateNotificationPreferences.self, .init(choices: [.init(category: .teams, .email, isOn: false)]))
          == "login_alert_unanswered")
    }
  }

  @Test("An account that muted help before preferences existed still mutes it after the upgrade")
  func upgrade() async throws {
    let migrations = try PreferenceTests.migrations()
    let number = try #require(migrations.first { $0.name == "preferences" }).number
    let (ana, ben) = (AccountID(), AccountID())
    try await UpgradedStore.upgrading(.notifications, migrations, before: number) { transaction in
      for (account, mutes) in [(ana, true), (ben, false)] {
        try transaction.database.execute(
          sql: """
            INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, revision, mutes_help)
            VALUES (?, ?, 'UTC', 0, 'en', 1, 1, ?)
            """, arguments: [account, mutes ? "ana" : "ben", mutes])
      }
    } check: { store in
      let choices = try await store.read { database in
        try [ana, ben].map { try PreferenceStore.choices(of: $0, in: database) }
      }
      #expect(choices == [.helpMuted, PreferenceChoices()])
    }
  }

  /// All of the service's.
  static func migrations() throws -> [Migration] {
    let home = Home(path: "/nonexistent")
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: home, bus: MemoryBus(.notifications, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return try Notifications.features(environment, MailSettings(environment.settings, home), WatchedCarrier(), secret: [])
      .flatMap(\.migrations).sorted { $0.number < $1.number }
  }
}
