import IdentityContract
import Operations

extension PasswordRules {
  /// Validates a new password as a form has it, typed twice: every rule that the fields `password` and `passwordConfirmation` break.
  ///
  /// - Parameter names: what can be read off the account and so must not be its password.
  func problems(_ password: FormField<Password>, repetition: FormField<Password>, names: [String]) -> [FieldProblem] {
    var rules = password.rule.map { [$0] } ?? []
    var repetitionRule = repetition.rule
    if let chosen = password.value {
      rules += broken(by: chosen, names: names)
      if let again = repetition.value, again.normalized != chosen.normalized { repetitionRule = FieldRule("passwords_differ") }
    }
    return rules.map { FieldProblem(field: "password", $0) }
      + [repetitionRule].compactMap { $0.map { FieldProblem(field: "passwordConfirmation", $0) } }
  }
}

extension AccountRecord {
  /// What can be read off the account and so must not be its password.
  var names: [String] {
    let others = [name?.description, nickname?.description].compactMap { $0 }
    return [username.description, email.description, String(email.localPart)] + others
  }
}
