import Foundation
import IdentityContract
import Operations

/// The rules for a new password (requirement ID-1, ID-20). Every broken rule is reported, each by its own code.
struct PasswordRules: Sendable {
  /// In characters (grapheme clusters), after normalization.
  static let length = 8...256
  /// A character may have any number of marks; this bounds what is hashed.
  static let maxBytes = 2048

  private let common: CommonPasswords

  init(common: CommonPasswords = .embedded) { self.common = common }

  /// The rules broken, in the order in which a person would mend them; empty if it may be chosen.
  ///
  /// - Parameter names: what can be read off the account and so must not be its password.
  func broken(by password: Password, names: [String]) -> [FieldRule] {
    let text = password.normalized
    guard text.utf8.count <= PasswordRules.maxBytes, text.count <= PasswordRules.length.upperBound else {
      return [FieldRule("password_too_long", ["max": .number(PasswordRules.length.upperBound)])]
    }
    var rules: [FieldRule] = []
    func expect(_ holds: Bool, _ code: String, _ parameters: [String: Parameter] = [:]) {
      if !holds { rules.append(FieldRule(code, parameters)) }
    }
    expect(
      text.count >= PasswordRules.length.lowerBound, "password_too_short", ["min": .number(PasswordRules.length.lowerBound)])
    expect(text.contains(where: \.isUppercase), "password_lacks_upper_case")
    expect(text.contains(where: \.isLowercase), "password_lacks_lower_case")
    expect(text.contains(where: \.isWholeNumber), "password_lacks_digit")
    expect(text.contains { !$0.isLetter && !$0.isNumber && !$0.isWhitespace }, "password_lacks_special")
    let readings = PasswordReadings(text)
    expect(!common.contains(readings), "password_common")
    expect(
      !names.contains { !PasswordReadings($0).plain.isDisjoint(with: readings.plain.union(readings.undisguised)) },
      "password_is_name")
    return rules
  }
}

extension Password {
  /// The form that is validated and hashed: composed characters (RFC 8265, section 4.2.2), so that every keyboard gives the same.
  var normalized: String { description.precomposedStringWithCanonicalMapping }
}
