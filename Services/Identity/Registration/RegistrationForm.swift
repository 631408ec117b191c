import IdentityContract
import Operations

/// A registration whose fields are all right, as far as can be said without looking at other accounts.
struct RegistrationForm: Sendable {
  static let ages = 13...120

  let email: EmailAddress
  let username: Username
  let password: Password
  let name: PersonName?
  let age: Int?
  let nickname: Nickname?
  let timeZone: TimeZoneName
  let language: Language
  let consents: ConsentChoices

  /// Judges the form by itself.
  ///
  /// - Parameter requestLanguage: taken where the form asks for none.
  /// - Returns: the registration, or every rule that a field breaks.
  static func judge(
    _ input: RegisterAccount.Input, passwordRules: PasswordRules, requestLanguage: Language
  ) -> Result<RegistrationForm, InvalidForm> {
    var problems: [FieldProblem] = []
    func refuse(_ field: String, _ rule: FieldRule?) {
      if let rule { problems.append(FieldProblem(field: field, rule)) }
    }

    refuse("email", input.email.rule)
    // The suggestions that go with it need a look at other accounts.
    refuse("username", input.username.rule.map { $0.code == "required" ? $0 : FieldRule("unacceptable_username") })
    if let username = input.username.value, ReservedUsernames.embedded.contains(username) {
      refuse("username", FieldRule("reserved"))
    }
    problems += passwordRules.problems(input.password, repetition: input.passwordRepetition, names: names(of: input))
    refuse("name", input.name?.brokenRule)
    if let age = input.age, !ages.contains(age) {
      refuse("age", FieldRule("impossible_age", ["least": .number(ages.lowerBound), "most": .number(ages.upperBound)]))
    }
    refuse("nickname", input.nickname?.brokenRule)
    refuse("timeZone", input.timeZone?.brokenRule)
    refuse("language", input.language?.brokenRule)

    guard problems.isEmpty, let email = input.email.value, let username = input.username.value,
      let password = input.password.value
    else { return .failure(InvalidForm(problems: problems)) }
    return .success(
      RegistrationForm(
        email: email, username: username, password: password, name: input.name?.value, age: input.age,
        nickname: input.nickname?.value, timeZone: input.timeZone?.value?.name ?? .utc,
        language: input.language?.value ?? requestLanguage, consents: input.consents ?? ConsentChoices()))
  }

  /// What a password must not be, since it can be read off the account.
  private static func names(of input: RegisterAccount.Input) -> [String] {
    var names: [String] = []
    if let username = input.username.value { names.append(username.description) }
    if let email = input.email.value { names += [email.description, String(email.localPart)] }
    return names
  }
}

/// Everything wrong with a form.
struct InvalidForm: Error, Sendable {
  let problems: [FieldProblem]
}

extension FormField {
  /// The rule that an optional field breaks: an empty one breaks none.
  fileprivate var brokenRule: FieldRule? {
    guard case .wrong(_, let rule) = self else { return nil }
    return rule
  }
}
