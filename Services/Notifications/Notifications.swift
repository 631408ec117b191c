import NotificationsContract
public import ServiceKit

/// Builds the notifications service: the inbox and the mails.
public enum Notifications {
  /// The service as its executable and the tests run it. Settings that cannot be used are recorded in the environment's settings.
  public static func service(_ environment: ServiceEnvironment) throws -> ServiceDefinition {
    var service = ServiceDefinition(
      .notifications, migrations: [Accounts.migration(1), InboxStore.migration(2), MailQueue.migration(3)])
    service.keepAccounts()
    InboxHandlers.serve(&service)
    InboxSubscriptions.hear(&service)
    try Mails.add(to: &service, MailSettings(environment.settings, environment.home), environment)
    return service
  }
}
