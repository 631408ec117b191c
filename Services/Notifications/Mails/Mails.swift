import IdentityContract
import Operations
import ServiceKit
import Storage

/// The mails: queued by events, sent by the worker.
enum Mails {
  /// - Throws: where a template is malformed.
  static func add(
    to service: inout ServiceDefinition, _ settings: MailSettings, _ carrier: any MailCarrier, _ environment: ServiceEnvironment
  ) throws {
    let signal = WakeSignal()
    service.subscribe(to: VerificationMailRequested.self) { event, logged, transaction in
      try MailQueue.add(.verification(event.linkID), to: event.accountID, at: logged.at, transaction)
      transaction.afterCommit { signal.ring() }
    }
    service.subscribe(to: PasswordRecoveryRequested.self) { event, logged, transaction in
      guard let account = event.accountID else { return }
      try MailQueue.add(.recovery(event.recoveryID), to: account, at: logged.at, transaction)
      transaction.afterCommit { signal.ring() }
    }
    service.subscribe(to: PasswordChanged.self) { event, logged, transaction in
      try MailQueue.add(.passwordChanged(event.changeID), to: event.accountID, at: logged.at, transaction)
      transaction.afterCommit { signal.ring() }
    }
    service.subscribe(to: EmailChangeRequested.self) { event, logged, transaction in
      try MailQueue.add(.emailChange(event.changeID), to: event.accountID, at: logged.at, transaction)
      try MailQueue.add(.emailChangeNotice(event.changeID), to: event.accountID, at: logged.at, transaction)
      transaction.afterCommit { signal.ring() }
    }
    service.subscribe(to: EmailChanged.self) { event, logged, transaction in
      try MailQueue.add(.emailChanged(event.changeID), to: event.accountID, at: logged.at, transaction)
      transaction.afterCommit { signal.ring() }
    }
    service.subscribe(to: IdentityLinkChanged.self) { event, logged, transaction in
      let subject: MailSubject = event.isLinked ? .identityLinked(event.changeID) : .identityUnlinked(event.changeID)
      try MailQueue.add(subject, to: event.accountID, at: logged.at, transaction)
      transaction.afterCommit { signal.ring() }
    }
    service.subscribe(to: PersonalAccessTokenCreated.self) { event, logged, transaction in
      try MailQueue.add(.tokenCreated(event.tokenID), to: event.accountID, at: logged.at, transaction)
      transaction.afterCommit { signal.ring() }
    }
    service.serveDeadMails(signal)
    SecurityNotices.subscribe(&service, signal)
    let reports = WakeSignal()
    service.subscribe(to: AccountErased.self) { event, logged, transaction in
      try MailQueue.add(.accountDeleted(event.deletionID), to: event.accountID, at: logged.at, transaction)
      transaction.afterCommit { signal.ring() }
    }
    let writer = MailWriter(
      identity: ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock),
      templates: try MailTemplates(), from: settings.from, publicURL: settings.publicURL)
    service.run { store, pulse in
      MailWorker(
        store: store, settings: settings, carrier: carrier, writer: writer, clock: environment.clock, signal: signal,
        pulse: pulse, logger: environment.logger, reports: reports)
    }
    let (client, folders) = (writer.identity, settings.folders(environment.home))
    service.run { store in MailHousekeeping(store: store, folders: folders, clock: environment.clock) }
    service.run { store in
      DeletionReports(
        store: store, identity: client, folders: folders, keptSeconds: settings.reportKeptSeconds,
        clock: environment.clock, signal: reports, logger: environment.logger)
    }
  }
}

extension MailSettings {
  /// Where files of mails may lie: also those from before a server was set.
  func folders(_ home: Home) -> Set<String> {
    guard case .folder(let path) = way else { return [home.mails] }
    return [home.mails, path]
  }

  /// Takes mails the way that is set.
  func carrier(_ environment: ServiceEnvironment) -> any MailCarrier {
    switch way {
    case .folder(let path): MailFolder(path: path, logger: environment.logger)
    case .server(let server): SMTPCarrier(server: server, logger: environment.logger)
    }
  }
}
