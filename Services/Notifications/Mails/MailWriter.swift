import Operations
import ServiceKit

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

  /// The letter; nil if there is no longer a reason for it.
  func letter(_ job: MailStore.Job) async throws(MailFailure) -> Letter? {
    // A kind that is no more.
    guard let spec = MailSpec.named(job.kind) else { return nil }
    let found: MailContent
    do {
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
