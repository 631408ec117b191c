import ServiceKit

/// How long what was delivered is kept, from the settings `racha.notifications.*`.
struct DeliverySettings: Sendable {
  /// Of the log of deliveries; its figures are kept for a year at least.
  let logKeptDays: Int
  /// Of notifications that were read.
  let readKeptDays: Int

  init(_ settings: Settings) {
    logKeptDays = settings.int("racha.notifications.logRetentionDays", default: 90, in: 1...3650)
    readKeptDays = settings.int("racha.notifications.readRetentionDays", default: 90, in: 1...3650)
  }
}
