/// Bounds how often administrators are notified.
enum AdministratorRules {
  /// Beyond so many nobody would feel meant.
  static let maxNotified = 50
}
