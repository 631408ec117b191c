import Operations

/// What is known of a mailed link when it is opened.
struct OpenedLink: Hashable, Sendable {
  var expiresAt: Instant
  var usedAt: Instant?
  /// When a newer one was sent.
  var replacedAt: Instant?
}
