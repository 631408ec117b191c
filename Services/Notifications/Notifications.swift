import NotificationsContract
import Operations
public import ServiceKit

/// The notifications service: the inbox, the mails and the pushes.
///
/// Its events are live: a new subscriber misses nothing, since clients ask for what they have not seen (`notifications.listSince`). So no
/// feature has a snapshot, and the outbox is kept short.
public enum Notifications {
  /// The body of the service's executable.
  public static func main() -> Never { ServiceProcess.start(.notifications) { try service($0) } }

  /// The service as its executable and the tests run it. Settings that cannot be used are recorded in the environment's settings.
  public static func service(_ environment: ServiceEnvironment) throws -> ServiceDefinition {
    let settings = MailSettings(environment.settings, environment.home)
    return try service(environment, settings, settings.carrier(environment))
  }

  static func service(
    _ environment: ServiceEnvironment, _ settings: MailSettings, _ carrier: any MailCarrier
  ) throws -> ServiceDefinition {
    ServiceDefinition(
      .notifications, environment,
      features: try features(environment, settings, carrier, secret: try environment.home.secret("notifications.store")))
  }

  /// The features, each after those that it depends on.
  ///
  /// - Parameter secret: the store's secret, from which the key of links is derived.
  static func features(
    _ environment: ServiceEnvironment, _ settings: MailSettings, _ carrier: any MailCarrier, secret: [UInt8]
  ) throws -> [any Feature] {
    let (mails, reports, held, pushes) = (WakeSignal(), WakeSignal(), WakeSignal(), WakeSignal())
    let quietHours = QuietHoursStore(zones: TimeZones())
    let dispatch = DeliveryDispatch(
      quietHours: quietHours, routes: [MailRoute(signal: mails), PushRoute(signal: pushes)], signal: held)
    let links = UnsubscribeLinks(secret: secret)
    let reminders = ReminderLinks(secret: secret, publicURL: settings.publicURL)
    let deliveries = DeliverySettings(environment.settings)
    let (push, keys) = (PushSettings(environment.settings, settings), PushKeys(environment.home))
    return [
      AccountsFeature(migrations: (table: 1, settings: 6, people: 12, enrollment: 14, everyone: 34)),
      InboxFeature(settings: deliveries),
      BlockFeature(),
      PreferenceFeature(),
      QuietHoursFeature(changes: QuietHoursChangeStore(hours: quietHours, held: held)),
      DeliveryFeature(environment: environment, settings: deliveries, dispatch: dispatch),
      MailFeature(
        environment: environment, settings: settings, carrier: carrier, composer: try MailComposer(), links: links,
        reminders: reminders,
        signal: mails, reports: reports),
      PushSubscriptionFeature(
        environment: environment, handlers: PushSubscriptionHandlers(keys: keys, rules: push.rules, pushes: pushes)),
      PushFeature(
        environment: environment, settings: push,
        writer: PushWriter(
          keys: keys, publicURL: settings.publicURL, contact: push.contact, reminders: reminders, clock: environment.clock),
        signal: pushes),
      ReminderFeature(environment: environment, links: reminders, dispatch: dispatch),
      KindFeature(dispatch: dispatch),
      WeeklySummaryFeature(environment: environment, dispatch: dispatch),
      DailyCheckFeature(environment: environment, dispatch: dispatch),
      UnsubscribeFeature(links: links),
      BroadcastFeature(environment: environment, dispatch: dispatch),
      DeadEmailFeature(signal: mails),
      DeadPushFeature(signal: held),
      DeletionReportFeature(environment: environment, settings: settings, signal: reports),
      MailboxFeature(mailbox: settings.mailbox.map { Mailbox(folder: $0) }),
    ]
  }
}
