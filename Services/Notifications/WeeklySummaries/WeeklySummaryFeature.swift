import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// A summary of each account's week, sent once, on the following Monday (NOT-3).
struct WeeklySummaryFeature: Feature {
  let environment: ServiceEnvironment
  let dispatch: DeliveryDispatch
  /// Wakes the worker.
  let signal = WakeSignal()

  let migrations = [WeeklySummaryStore.migration(24)]
  let tables: [ErasedTable] = [.rows("weekly_summaries", "account_id = :account", .notifications)]

  func register(in service: inout ServiceDefinition) {
    let client = ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock)
    let (signal, environment) = (signal, environment)
    let summaries = WeeklySummaries(services: client, dispatch: dispatch, logger: environment.logger)
    service.run { store, pulse in
      DueWorker(work: summaries, store: store, clock: environment.clock, signal: signal, pulse: pulse)
    }
  }

  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try WeeklySummaryStore.recheck(of: move.account, transaction)
    transaction.afterCommit { signal.send() }
  }

  func accountChanged(_ account: AccountID, _ transaction: Transaction) throws {
    try WeeklySummaryStore.follow(account, dispatch.quietHours.zones, transaction)
  }
}

extension MailSource {
  /// The summary's content, and the register's checkpoint; nothing once there is a newer summary.
  static let weeklySummary = MailSource(["url", "from", "until", "lines", "noteWords", "note"]) { job, reader in
    let (id, account): (ID<WeeklySummaryMark>, AccountID) = (job.subject(), job.account)
    guard let summary = try await reader.store.read({ try WeeklySummaryStore.find(id, of: account, in: $0) }) else {
      throw Failure(RequestFailure.notFound)
    }
    let addressee = try await reader.identity.request(GetAddressee.self, .init(accountID: account))
    return MailContent(
      email: addressee.email, username: addressee.username, language: addressee.language,
      values: summary.mailValues(addressee.language, reader))
  }
}

extension WeeklySummary {
  fileprivate func mailValues(_ language: Language, _ reader: MailReader) -> [String: MailValue] {
    var values: [String: MailValue] = [
      "url": .text(reader.publicURL), "from": .text(firstDay.description), "until": .text(lastDay.description),
      "lines": .lines(lines(language, naming: true)),
    ]
    if let checkpoint {
      values["note"] = .verbatim(checkpoint)
      values["noteWords"] = .text(reader.words.text("weeklySummary.checkpoint", language) ?? "")
    }
    return values
  }
}
