/// What holds for the links of all mails.
enum EmailLinkRules {
  /// How long they are kept after they expired: long enough that a stale link is still distinguished from a wrong one.
  static let keptSeconds = 30 * 86_400
}
