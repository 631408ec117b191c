import NotificationsContract
public import ServiceKit

/// Builds the notifications service: the inbox and the mails.
public enum Notifications {
  /// The service as its executable and the tests run it. Settings that cannot be used are recorded in the environment's settings.
  public static func service(_ environment: ServiceEnvironment) throws -> ServiceDefinition {
    let settings = MailSettings(environment.settings, environment.home)
    return try service(environment, settings, settings.carrier(environment))
  }

  static func service(
    _ environment: ServiceEnvironment, _ settings: MailSettings, _ carrier: any MailCarrier
  ) throws -> ServiceDefinition {
    var service = ServiceDefinition(
      .notifications,
      migrations: [
        Accounts.migration(1), InboxStore.migration(2), MailQueue.migration(3), MailQueue.kindsMigration(4),
        DeadMails.migration(5), Accounts.settingsMigration(6), InboxErasure.migration(7), DeletionReports.migration(8),
        MailErasure.migration(9), MailHousekeeping.migration(10),
      ])
    service.keepAccounts()
    InboxHandlers.serve(&service)
    InboxSubscriptions.subscribe(&service)
    try Mails.add(to: &service, settings, carrier, environment)
    service.serveMailbox(settings.mailbox.map { Mailbox(folder: $0) })
    let folders = settings.folders(environment.home)
    service.erase(
      NotificationsErasure.tables, environment, clean: { try await MailErasure.clean($0, folders, $1) })
    // What it tells is live: who begins to listen misses nothing, since clients ask for what they have not seen
    // (`notifications.since`). So there is no state to tell, and the outbox is kept short.
    service.publishSnapshot { _, _, _ in ([], nil) }
    return service
  }
}
