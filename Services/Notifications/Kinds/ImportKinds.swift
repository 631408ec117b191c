import ActivityContract
import NotificationsContract
import Operations

/// The progress of an import: each notification replaces the last, so that an inbox has only one for each import. Nothing is sent where its
/// owner cancelled it.
extension NotificationSpec {
  static let ofImports: [NotificationSpec] = [importProgressed, importDone, importFailed]

  private static let importProgressed = NotificationSpec(
    "importProgressed", .imports, on: ImportProgressed.self, when: { $0.state == .reading },
    about: { $0.importID }, to: { $0.accountID }, inbox: part(values: [.number("progress") { $0.progress }]))

  private static let importDone = NotificationSpec(
    "importDone", .imports, on: ImportProgressed.self, when: { $0.state == .done }, about: { $0.importID },
    to: { $0.accountID }, inbox: part())

  private static let importFailed = NotificationSpec(
    "importFailed", .imports, .warning, on: ImportProgressed.self, when: { $0.state == .failed }, about: { $0.importID },
    to: { $0.accountID }, inbox: part())

  /// - Parameter values: beside the counts. What has ended is not on its way any more.
  private static func part(values: [NotificationValue<ImportProgressed>] = []) -> InboxPart<ImportProgressed> {
    InboxPart(
      source: { "\($0.importID)/\($0.state)/\($0.progress)" }, isReplacing: true,
      values: [
        .number("taken") { $0.counts.taken }, .number("repeated") { $0.counts.repeated },
        .number("refused") { $0.counts.refused },
      ] + values, links: { NotificationLinks(importID: ID(linking: $0.importID)) })
  }
}
