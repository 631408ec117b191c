import NotificationsContract
public import ServiceKit

/// The notifications service: the inbox and the mails.
///
/// What it publishes is live: who begins to subscribe misses nothing, since clients ask for what they have not seen
/// (`notifications.since`). So no feature has a snapshot, and the outbox is kept short.
public enum Notifications {
  /// The service as its executable and the tests run it. Settings that cannot be used are recorded in the environment's settings.
  public static func service(_ environment: ServiceEnvironment) throws -> ServiceDefinition {
    let settings = MailSettings(environment.settings, environment.home)
    return try service(environment, settings, settings.carrier(environment))
  }

  static func service(
    _ environment: ServiceEnvironment, _ settings: MailSettings, _ carrier: any MailCarrier
  ) throws -> ServiceDefinition {
    let (mails, reports) = (WakeSignal(), WakeSignal())
    return ServiceDefinition(
      .notifications, environment,
      features: [
        AccountsFeature(migrations: (table: 1, settings: 6, people: 12, enrollment: 14)),
        InboxFeature(),
        BlockFeature(),
        MailFeature(
          environment: environment, settings: settings, carrier: carrier, composer: try MailComposer(), signal: mails,
          reports: reports),
        KindFeature(signal: mails),
        DeadMailFeature(signal: mails),
        DeletionReportFeature(environment: environment, settings: settings, signal: reports),
        MailboxFeature(mailbox: settings.mailbox.map { Mailbox(folder: $0) }),
      ])
  }
}
