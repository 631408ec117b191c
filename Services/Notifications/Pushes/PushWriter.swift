import ActivityContract
import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// What a push service is given.
struct PushRequest: Sendable {
  let endpoint: PushEndpoint
  let headers: [String]
  let body: [UInt8]
}

/// Writes pushes when they are sent: what they say then, in the device's language, for that device alone.
struct PushWriter: Sendable {
  private static let words = NotificationText.words
  /// Most titles in a summary.
  private static let maxLines = 10

  let keys: PushKeys
  /// Where people reach the system.
  let publicURL: String
  let contact: String
  /// By which reminders are answered.
  let reminders: ReminderLinks
  let clock: Clock

  /// The content of a message.
  struct Content: Sendable {
    /// Nil where no content is left.
    var payload: PushPayload?
    /// The deliveries that it no longer includes, and why.
    var leftOut: [ID<NotificationDelivery>: SilenceReason] = [:]
  }

  /// The current content of a message.
  func content(_ job: PushStore.Job, in database: Database) throws -> Content {
    let language = try job.language ?? Accounts.find(job.account, in: database)?.language ?? .english
    if job.isRepeat { return try repeated(job, language, in: database) }
    let choices = try PreferenceStore.choices(of: job.account, in: database)
    var (going, leftOut): ([(delivery: Delivery, content: DeliveryContent)], [ID<NotificationDelivery>: SilenceReason]) = (
      [], [:]
    )
    for id in try PushStore.deliveries(of: job.message, in: database) {
      guard let delivery = try DeliveryStore.queued(id, of: job.account, in: database) else { continue }
      let content = try DeliveryStore.content(of: id, job.account, in: database)
      if let reason = try silence(of: delivery, content, choices, in: database) {
        leftOut[id] = reason
      } else if let content {
        going.append((delivery, content))
      }
    }
    guard let first = going.first else { return Content(leftOut: leftOut) }
    var (title, text) = first.content.words(language)
    if going.count > 1 {
      let titles = going.map { $0.content.words(language).title }
      var lines = titles.prefix(Self.maxLines).joined(separator: "\n")
      if titles.count > Self.maxLines { lines += "\n…" }
      title = Self.words.text("push.summary", language, ["count": .number(going.count)]) ?? title
      text = lines
    }
    return Content(
      payload: PushPayload(
        title: title, text: text, language: language, tag: PushRules.topic(job.source, job.secret), page: "\(publicURL)/",
        at: job.createdAt, delivery: first.delivery.id, notification: going.count == 1 ? first.delivery.notification : nil,
        kind: going.count == 1 ? first.delivery.kind : PushRules.summarySource,
        answers: going.count == 1 ? answers(first.delivery, on: job.subscription, language) : nil), leftOut: leftOut)
  }

  /// Why something is not pushed any more; nil where it is.
  private func silence(
    of delivery: Delivery, _ content: DeliveryContent?, _ choices: PreferenceChoices, in database: Database
  ) throws -> SilenceReason? {
    if content == nil { return .withdrawn }
    if try !delivery.isOfUse(at: clock.now) || ReminderStore.isOver(delivery, at: clock.now, in: database) { return .late }
    let endsWhenRead = NotificationSpec.named(delivery.kind)?.delivery.endsWhenRead ?? true
    if try endsWhenRead && DeliveryStore.isRead(delivery, in: database) { return .read }
    return choices.isSwitchedOff(delivery) ? .switchedOff : nil
  }

  /// What can be answered to a reminder from where it is shown.
  private func answers(
    _ delivery: Delivery, on device: ID<PushSubscription>, _ language: Language
  ) -> PushPayload.Answers? {
    guard delivery.kind == NotificationSpec.reminderDue.name, let reminder = ID<Reminder>(bytes: delivery.subject.bytes) else {
      return nil
    }
    let token = reminders.token(reminder, to: device)
    let choices = ReminderReply.allCases.map { reply in
      PushPayload.Answers.Choice(
        name: reply.rawValue, title: Self.words.text("push.reminder.\(reply.rawValue)", language) ?? reply.rawValue,
        page: reminders.page(token, reply.rawValue))
    }
    return PushPayload.Answers(token: token, choices: choices)
  }

  /// The replacement of a sent push, without a sound: its current content, or that it has none any more. A push cannot close what another
  /// one showed: browsers require each to show something (W3C Push API), and one with the same tag replaces it.
  private func repeated(_ job: PushStore.Job, _ language: Language, in database: Database) throws -> Content {
    guard let id = try PushStore.deliveries(of: job.message, in: database).first else { return Content() }
    let content = try DeliveryStore.content(of: id, job.account, in: database)
    // New words are new to whoever has switched the kind off; what was taken back is taken back.
    let choices = try PreferenceStore.choices(of: job.account, in: database)
    let kind = try DeliveryStore.kind(of: id, job.account, in: database)
    if content != nil, kind.map({ choices.isSwitchedOff($0, by: .push) }) ?? false { return Content() }
    let words: (title: String, text: String) =
      content?.words(language)
      ?? (Self.words.text("push.withdrawn.title", language) ?? "", Self.words.text("push.withdrawn.text", language) ?? "")
    return Content(
      payload: PushPayload(
        title: words.title, text: words.text, language: language, tag: PushRules.topic(job.source, job.secret),
        page: "\(publicURL)/", at: job.createdAt, delivery: id, notification: nil,
        kind: content?.kind.rawValue ?? PushRules.withdrawnKind, isSilent: true))
  }

  /// The request for a payload; nil where the server's key is gone with which the device subscribed.
  func request(_ payload: PushPayload, _ job: PushStore.Job, at now: Instant) throws -> PushRequest? {
    guard let signer = try keys.signer(job.serverKey) else { return nil }
    let seconds = max(0, (job.expiresAt.milliseconds - now.milliseconds) / 1000)
    return PushRequest(
      endpoint: job.endpoint,
      headers: [
        "TTL: \(seconds)", "Urgency: \(job.urgency.rawValue)", "Topic: \(payload.tag)", "Content-Type: application/octet-stream",
        "Content-Encoding: aes128gcm",
        "Authorization: \(try PushAuthorization.header(job.endpoint, signer, contact: contact, at: now))",
      ], body: try PushEncryption.body(payload.bytes, for: job.key, job.secret))
  }
}
