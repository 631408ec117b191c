import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit

extension ImportFormat {
  /// Whether it brings what devices have measured of somebody, samples and exercises, which are kept with consent to activity data
  /// alone. Habits and their marks are what people write down themselves, and need none.
  var needsConsent: Bool {
    switch self {
    case .appleHealth, .appleHealthZip, .fitbitHours, .fitbitSteps, .fitbitStepsJSON, .googleFitDays, .googleFitDay, .gpx,
      .takeout:
      true
    case .loopDatabase, .loopHabits, .loopCheckmarks, .loopZip: false
    }
  }
}

/// The consent that a file needs, by what it brings. Where its format is not known yet, nothing is asked for yet.
enum ImportConsent {
  /// See `Accounts.catchUp`.
  static func catchUp(for format: ImportFormat?, _ call: AccountCall) async throws {
    if format?.needsConsent == true { try await Accounts.catchUp(on: .activityData, call) }
  }

  static func require(for format: ImportFormat?, of account: AccountID, in database: Database) throws {
    if format?.needsConsent == true { try Accounts.requireConsent(.activityData, of: account, in: database) }
  }
}
