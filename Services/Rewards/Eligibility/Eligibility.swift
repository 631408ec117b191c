/// Whether an account takes part in what is derived from movement, as far as this service knows: the single rule for coins, leaderboards
/// and challenges (ID-13, SOC-8).
struct Eligibility: Hashable, Sendable {
  /// Whether the account's state has arrived from identity.
  var isKnown = true
  /// Whether the account was erased, or is being erased.
  var isErased = false
  /// Whether the account is suspended now, or banned.
  var isSuspended = false
  /// Whether the account is known not to consent that its movement is kept, counted and turned into coins. False for an unknown account:
  /// activity records no movement without consent.
  var lacksConsent = false

  /// Whether the account's movement counts. Movement of a suspended account does, since activity still records it.
  var counts: Bool { !isErased && !lacksConsent }

  /// Whether others see that the account takes part.
  var isShown: Bool { counts && !isSuspended }
}
