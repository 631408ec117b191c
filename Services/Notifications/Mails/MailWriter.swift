import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Turns a mail of the queue into a letter, with what identity knows at this moment.
struct MailWriter: Sendable {
  let reader: MailReader
  let composer: MailComposer
  let from: MailAddress
  /// By which its reader ends what can be ended.
  let links: UnsubscribeLinks

  /// The link that ends this kind of mail; nil for one that cannot be ended.
  private func end(of spec: MailSpec, _ content: MailContent, _ job: MailStore.Job) -> String? {
    let scope: UnsubscribeScope =
      spec == .digest
      ? .all : .kind(content.kind ?? NotificationSpec.all.first { $0.mail?.name == spec.name }?.name ?? spec.name)
    guard !scope.kinds.isEmpty else { return nil }
    return "\(reader.publicURL)/unsubscribe?token=\(links.token(scope, of: job.account))"
  }

  /// Ends the deliveries that the mail must no longer carry: those that its reader has switched off since they were queued, and those that
  /// a digest leaves out.
  ///
  /// - Returns: whether any delivery is left, or the mail has none in the log.
  private func isWanted(_ job: MailStore.Job, _ spec: MailSpec) async throws -> Bool {
    let now = reader.clock.now
    let (count, silentCount, ended) = try await reader.store.read { database in
      let (count, silentCount, queued) = try DeliveryStore.carried(by: job.id, in: database)
      let choices = try PreferenceStore.choices(of: job.account, in: database)
      let ended = try queued.compactMap { delivery -> (ID<NotificationDelivery>, SilenceReason)? in
        if choices.isSwitchedOff(delivery) { return (delivery.id, .switchedOff) }
        guard spec == .digest else { return nil }
        if !delivery.isOfUse(at: now) { return (delivery.id, .late) }
        return try DeliveryStore.content(of: delivery.id, job.account, in: database) == nil ? (delivery.id, .withdrawn) : nil
      }
      return (count, silentCount, ended)
    }
    if !ended.isEmpty {
      try await reader.store.write { transaction in
        for (delivery, reason) in ended {
          try DeliveryStore.finish(delivery, of: job.account, .silent, reason: reason.rawValue, transaction)
        }
      }
    }
    return count == 0 || silentCount + ended.count < count
  }

  /// The letter; nil if there is no longer a reason for it.
  func letter(_ job: MailStore.Job) async throws(MailFailure) -> Letter? {
    // A kind that is no more.
    guard let spec = MailSpec.named(job.kind) else { return nil }
    let found: MailContent
    do {
      guard try await isWanted(job, spec) else { return nil }
      found = try await spec.source.read(job, reader)
    } catch let failure as Failure where failure.status == RequestFailure.notFound.status {
      return nil
    } catch {
      throw .secretUnavailable
    }
    let message = try composer.message(job, spec, found, from: from, ending: end(of: spec, found, job))
    return Letter(id: job.id, createdAt: job.createdAt, from: message.from, to: message.to, bytes: message.bytes)
  }
}
