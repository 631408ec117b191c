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
  /// The choices that change something: what is given already cannot be given again, nor what is not be withdrawn.
  func changes(from given: [ConsentPurpose]) -> [(purpose: ConsentPurpose, isGiven: Bool)] {
    ConsentPurpose.allCases.compactMap { purpose in
      guard let choice = self[purpose], choice != given.contains(purpose) else { return nil }
      return (purpose, choice)
    }
  }
}
