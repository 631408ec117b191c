import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit

extension ImportFormat {
  /// Whether the format contains measured data of a person (samples and exercises), which needs consent to activity data. Habits and their
  /// checkmarks are what people write down themselves, and need none.
  var needsConsent: Bool {
    switch self {
    case .appleHealth, .appleHealthZip, .fitbitHours, .fitbitSteps, .fitbitStepsJSON, .googleFitDays, .googleFitDay, .gpx,
      .takeout:
      true
    case .loopDatabase, .loopHabits, .loopCheckmarks, .loopZip: false
    }
  }
}

/// Checks the consent that a file needs, by its format. While the format is unknown, no consent is required.
enum ImportConsent {
  /// See `Accounts.catchUp`.
  static func catchUp(for format: ImportFormat?, _ call: AccountCall) async throws {
    if format?.needsConsent == true { try await Accounts.catchUp(on: .activityData, call) }
  }

  static func require(for format: ImportFormat?, of account: AccountID, in database: Database) throws {
    if format?.needsConsent == true { try Accounts.requireConsent(.activityData, of: account, in: database) }
  }
}
