import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import SocialContract

/// Decisions of moderators: for the reporters, and for the reported account, which never learns who they are (SOC-8).
extension NotificationSpec {
  static let ofModeration: [NotificationSpec] = [
    reportActed, reportDismissed, contentRemoved, accountWarned, accountSuspended, accountBanned, appealGranted, appealRefused,
    suspensionEnded,
  ]

  private static let reportActed = NotificationSpec(
    "reportActed", .moderation, on: ReportDecided.self, when: { $0.outcome != .nothing }, about: { $0.reportID },
    to: { $0.accountID }, inbox: report, mail: MailSpec(from: .front, actions: [.link]))

  private static let reportDismissed = NotificationSpec(
    "reportDismissed", .moderation, on: ReportDecided.self, when: { $0.outcome == .nothing }, about: { $0.reportID },
    to: { $0.accountID }, inbox: report, mail: MailSpec(from: .front, actions: [.link]))

  private static let report = InboxPart<ReportDecided>(
    values: [.text("kind") { $0.kind.rawValue }], links: { NotificationLinks(reportID: ID(linking: $0.reportID)) })

  /// A restricted account has a right to the reasons and to an appeal (Regulation (EU) 2022/2065, article 17).
  private static let sanctioned = DeliverySpec(
    defaults: [.inbox, .email, .push], required: [.inbox, .email], endsWhenRead: false)

  private static let contentRemoved = sanction("contentRemoved", .removed, .warning)
  private static let accountWarned = sanction("accountWarned", .warned, .warning)
  private static let accountSuspended = sanction("accountSuspended", .suspended, .critical)
  private static let accountBanned = sanction("accountBanned", .banned, .critical)

  private static func sanction(
    _ name: String, _ outcome: ModerationOutcome, _ severity: NotificationSeverity
  ) -> NotificationSpec {
    NotificationSpec(
      name, .moderation, severity, on: SanctionImposed.self, when: { $0.outcome == outcome }, about: { $0.caseID },
      to: { $0.accountID },
      inbox: .init(
        values: [
          .text("kind") { $0.kind.rawValue }, .text("reason") { Excerpt.of($0.reason.description) },
          .text("until") { $0.until.map(MailContent.minute) ?? "" },
        ], links: { NotificationLinks(caseID: ID(linking: $0.caseID)) }),
      mail: MailSpec(from: .sanction, actions: [.link]), delivery: sanctioned)
  }

  private static let appealGranted = appeal("appealGranted", .granted)
  private static let appealRefused = appeal("appealRefused", .refused)

  private static func appeal(_ name: String, _ outcome: AppealOutcome) -> NotificationSpec {
    NotificationSpec(
      name, .moderation, on: AppealDecided.self, when: { $0.outcome == outcome }, about: { $0.caseID },
      to: { $0.accountID },
      inbox: .init(
        values: [.text("reason") { Excerpt.of($0.reason.description) }],
        links: { NotificationLinks(caseID: ID(linking: $0.caseID)) }),
      mail: MailSpec(from: .appeal, actions: [.link]), delivery: sanctioned)
  }

  private static let suspensionEnded = NotificationSpec(
    "suspensionEnded", .moderation, on: SuspensionChanged.self, when: { $0.until == nil }, about: { $0.suspensionID },
    to: { $0.accountID }, inbox: .init(), mail: MailSpec(from: .front, actions: [.link]), delivery: sanctioned)
}

extension MailSource {
  /// Leads to the first page.
  fileprivate static let front = MailSource(["url"]) { job, reader in
    try await moderation(job, reader, [:])
  }

  /// Why moderators decided against the account, and until when it is suspended, asked from social.
  fileprivate static let sanction = MailSource(["url", "reason", "until"]) { job, reader in
    let notice = try await reader.social.request(GetSanctionNotice.self, .init(caseID: job.subject()))
    let until = notice.until.map(MailContent.minute) ?? ""
    return try await moderation(job, reader, ["reason": .text(notice.reason.description), "until": .text(until)])
  }

  /// What was answered to an appeal, asked from social.
  fileprivate static let appeal = MailSource(["url", "reason"]) { job, reader in
    let notice = try await reader.social.request(GetSanctionNotice.self, .init(caseID: job.subject()))
    return try await moderation(job, reader, ["reason": .text(notice.appealReason?.description ?? "")])
  }

  private static func moderation(
    _ job: MailStore.Job, _ reader: MailReader, _ values: [String: MailValue]
  ) async throws -> MailContent {
    let addressee = try await reader.identity.request(GetAddressee.self, .init(accountID: job.account))
    return MailContent(
      email: addressee.email, username: addressee.username, language: addressee.language,
      values: values.merging(["url": .text(reader.publicURL)]) { $1 })
  }
}
