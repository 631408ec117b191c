import IdentityContract
import Operations

/// A profile whose fields are all right, as far as can be said without looking at other accounts.
struct ProfileForm: Equatable, Sendable {
  /// From 13 on, the lowest age at which GDPR, article 8, lets people consent for themselves.
  static let ages = 13...120

  let username: Username
  let nickname: Nickname?
  let name: PersonName?
  let age: Int?

  /// Validates a change by itself.
  ///
  /// - Parameter present: the profile as it is. Nobody loses a username that has been reserved since.
  /// - Returns: the profile after the change.
  static func validate(_ input: UpdateProfile.Input, of present: ProfileForm) -> Result<ProfileForm, InvalidForm> {
    var problems = input.username.value.map { usernameProblems($0, present: present.username) } ?? []
    for (field, rule) in [
      ("nickname", input.nickname.value?.brokenRule), ("name", input.name.value?.brokenRule), ("age", ageRule(input.age.value)),
    ] {
      if let rule { problems.append(FieldProblem(field: field, rule)) }
    }
    problems = input.found.with(problems)
    guard problems.isEmpty else { return .failure(InvalidForm(problems: problems)) }
    return .success(
      ProfileForm(
        username: input.username.value?.value ?? present.username, nickname: input.nickname.applied(to: present.nickname),
        name: input.name.applied(to: present.name), age: input.age.applied(to: present.age)))
  }

  /// What is wrong with a wished username by itself; the suggestions that go with it need a look at other accounts.
  static func usernameProblems(_ username: FormField<Username>, present: Username? = nil) -> [FieldProblem] {
    var rules = [username.rule.map { $0.code == "required" ? $0 : FieldRule("unacceptable_username") }]
    if let wished = username.value, wished != present, ReservedUsernames.embedded.contains(wished) {
      rules.append(FieldRule("reserved"))
    }
    return rules.compactMap { $0.map { FieldProblem(field: "username", $0) } }
  }

  /// The rule that an age breaks.
  static func ageRule(_ age: Int?) -> FieldRule? {
    guard let age, !ages.contains(age) else { return nil }
    return FieldRule("impossible_age", ["min": .number(ages.lowerBound), "max": .number(ages.upperBound)])
  }
}

extension Patch {
  /// The value of a form's optional field after the patch: an empty text clears it as null does.
  fileprivate func applied<Field: TextValue>(to present: Field?) -> Field? where Value == FormField<Field>? {
    guard case .set(let field) = self else { return present }
    return field?.value
  }
}

extension FormField {
  /// The rule that an optional field breaks: an empty one breaks none.
  var brokenRule: FieldRule? {
    guard case .wrong(_, let rule) = self else { return nil }
    return rule
  }
}
