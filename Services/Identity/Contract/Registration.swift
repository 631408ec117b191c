public import Operations

/// Registers an account. It exists from then on, unverified, and a mail with the verification link is sent.
///
/// Every field at fault is named at once, with each rule it breaks; a missing one too. See ``FormField``.
public enum RegisterAccount: Operation {
  public struct Input: Form, Hashable {
    public var email: FormField<EmailAddress>
    public var username: FormField<Username>
    public var password: FormField<Password>
    public var passwordRepetition: FormField<Password>
    public var name: FormField<PersonName>?
    public var age: Int?
    public var nickname: FormField<Nickname>?
    public var timeZone: FormField<ChosenTimeZone>?
    public var language: FormField<Language>?
    public var consents: ConsentChoices?
    public var found = FoundProblems()

    public init(
      email: FormField<EmailAddress>, username: FormField<Username>, password: FormField<Password>,
      passwordRepetition: FormField<Password>, name: FormField<PersonName>? = nil, age: Int? = nil,
      nickname: FormField<Nickname>? = nil, timeZone: FormField<ChosenTimeZone>? = nil, language: FormField<Language>? = nil,
      consents: ConsentChoices? = nil
    ) {
      self.email = email
      self.username = username
      self.password = password
      self.passwordRepetition = passwordRepetition
      self.name = name
      self.age = age
      self.nickname = nickname
      self.timeZone = timeZone
      self.language = language
      self.consents = consents
    }

    private enum CodingKeys: String, CodingKey {
      case email, username, password, passwordRepetition, name, age, nickname, timeZone, language, consents
    }

    public static let notes: Notes = [
      "email": "E-mail address; the verification link is sent to it.",
      "username": "Wished username; upper case is folded to lower.",
      "password":
        "8 to 256 characters with an upper-case and a lower-case letter, a digit and a special character; no common password.",
      "passwordRepetition": "The same password again.",
      "name": "The person's name.",
      "age": Note("The person's age in years.", range: 13...120, isCheckedByFeature: true, example: 34),
      "nickname": "How others see the account named.",
      "timeZone": "IANA time zone, a region such as `Europe/Madrid` or `UTC`; UTC if absent.",
      "language": "Language of messages; that of the request if absent.",
      "consents": "What the person consents to, see `consents.list`; nothing that is absent.",
    ]
  }

  public typealias Output = OwnAccount

  public static let spec = OperationSpec(
    "accounts.register", of: .identity, .post("/v1/accounts"), by: .anyone, effect: .create, rate: .sensitive,
    takesIdempotencyKey: true, requirements: ["ID-1", "ID-20"],
    "Register an account; the mail with its verification link is sent.")
}
