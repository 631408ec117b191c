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
    let bell = Bell()
    service.hear(VerificationMailRequested.self) { event, _, transaction in
      try MailQueue.add(event.linkID, of: event.accountID, transaction)
      transaction.afterCommit { bell.ring() }
    }
    let mail = try VerificationMail()
    service.run { store in
      MailWorker(
        store: store, settings: settings, carrier: carrier,
        identity: ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock),
        clock: environment.clock,
        bell: bell, mail: mail, logger: environment.logger)
    }
  }
}

extension MailSettings {
  /// Takes mails the way that is set.
  func carrier(_ environment: ServiceEnvironment) -> any MailCarrier {
    switch way {
    case .folder(let path): MailFolder(path: path, logger: environment.logger)
    case .server(let server): SMTPCarrier(server: server, logger: environment.logger)
    }
  }
}
