import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The mails: a queue, written with what identity knows, sent by the worker (NOT-6).
struct MailFeature: Feature {
  let environment: ServiceEnvironment
  let settings: MailSettings
  let carrier: any MailCarrier
  let composer: MailComposer
  let links: UnsubscribeLinks
  let reminders: ReminderLinks
  /// Wakes the worker.
  let signal: WakeSignal
  /// Signalled where the report of a deletion has ended.
  let reports: WakeSignal

  let migrations = [
    MailStore.migration(3), MailStore.kindsMigration(4), MailStore.accountMigration(9), MailStore.finishedMigration(10),
    MailStore.sendingMigration(32),
  ]
  let tables: [ErasedTable] = [
    // The rows are needed to find the files; ``clean(_:_:)`` removes both.
    .changed(
      "mails", "account_id = :account", .mails,
      by: """
        UPDATE mails SET state = 'obsolete', finished_at = :now WHERE account_id = :account AND state = 'waiting' AND kind <> '\(MailSpec.deletionReport)'
        """)
  ]

  func register(in service: inout ServiceDefinition) {
    let client = ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock)
    service.run { store, pulse in
      let reader = MailReader(
        identity: client, social: client, store: store, publicURL: settings.publicURL, words: composer.words,
        reminders: reminders, clock: environment.clock)
      return MailWorker(
        store: store, settings: settings, carrier: carrier,
        writer: MailWriter(reader: reader, composer: composer, from: settings.from, links: links), clock: environment.clock,
        signal: signal,
        pulse: pulse, logger: environment.logger, reports: reports)
    }
    let folders = settings.folders(environment.home)
    service.run { store in MailHousekeepingWorker(store: store, folders: folders, clock: environment.clock) }
  }

  func clean(_ erasure: ErasedAccount, _ store: Store) async throws {
    try await MailStore.erase(erasure, settings.folders(environment.home), store)
  }
}
