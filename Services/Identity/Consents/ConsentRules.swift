import IdentityContract
import Operations

/// Whom a withdrawal must have reached before it is answered.
enum ConsentRules {
  /// The services that keep data for a purpose that needs consent.
  static let keepers: [ServiceName] = [.activity]
  /// How long an answer waits for one of them.
  static let maxSeconds = 2
}

extension ConsentChoices {
  /// The choices that change something: giving what is given already, or withdrawing what is not given, changes nothing.
  func changes(from given: [ConsentPurpose]) -> [(purpose: ConsentPurpose, isGiven: Bool)] {
    ConsentPurpose.allCases.compactMap { purpose in
      guard let choice = self[purpose], choice != given.contains(purpose) else { return nil }
      return (purpose, choice)
    }
  }
}
