import IdentityContract
import Operations
import ServiceKit
import Storage

/// What is told of the safety of accounts: by a notification and by mail, in one transaction.
enum SecurityNotices {
  static func subscribe(_ service: inout ServiceDefinition, _ signal: WakeSignal) {
    service.subscribe(to: LoginAlertRaised.self) { event, logged, transaction in
      try InboxSubscriptions.notify(NotificationDraft(event), transaction)
      try mail(subject(event), to: event.accountID, at: logged.at, signal, transaction)
    }
    service.subscribe(to: AccountProtected.self) { event, logged, transaction in
      guard let account = event.accountID else { return }
      try InboxSubscriptions.notify(NotificationDraft(event, to: account), transaction)
      try mail(subject(event), to: account, at: logged.at, signal, transaction)
    }
    service.subscribe(to: AdministratorAlerted.self) { event, logged, transaction in
      try InboxSubscriptions.notify(NotificationDraft(event), transaction)
      try mail(.incident(event.mailID), to: event.accountID, at: logged.at, signal, transaction)
    }
    service.subscribe(to: SecurityReportReady.self) { event, logged, transaction in
      try mail(.report(event.mailID), to: event.accountID, at: logged.at, signal, transaction)
    }
  }

  private static func subject(_ event: LoginAlertRaised) -> MailSubject {
    switch event.level {
    case .notice: .loginNoticed(event.alertID)
    case .suspicious: .loginSuspicious(event.alertID)
    case .high: .loginRefused(event.alertID)
    }
  }

  private static func subject(_ event: AccountProtected) -> MailSubject {
    switch event.pattern {
    case _ where event.measure == .everythingRevoked: .everythingRevoked(event.incidentID)
    case .tokensReused: .tokensReused(event.incidentID)
    default: .locked(event.incidentID)
    }
  }

  private static func mail(
    _ subject: MailSubject, to account: AccountID, at: Instant, _ signal: WakeSignal, _ transaction: Transaction
  ) throws {
    try MailQueue.add(subject, to: account, at: at, transaction)
    transaction.afterCommit { signal.ring() }
  }
}
