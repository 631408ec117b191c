/// Bounds what administrators are told.
enum AdministratorRules {
  /// Beyond so many nobody would feel meant.
  static let maxNotified = 50
}
