public import Operations

extension FeatureContract {
  static let registration = FeatureContract(operations: [RegisterAccount.self])
}

/// Registers an account. It exists from then on, unverified, and a mail with the verification link is sent.
///
/// Every field at fault is named at once, with each rule it breaks; a missing one too. See ``FormField``.
public enum RegisterAccount: OpenOperation {
  public struct Input: Form, Hashable {
    public var email: FormField<EmailAddress>
    public var username: FormField<Username>
    public var password: FormField<Password>
    public var passwordConfirmation: FormField<Password>
    public var name: FormField<PersonName>?
    public var age: Int?
    public var nickname: FormField<Nickname>?
    public var timeZone: FormField<ChosenTimeZone>?
    public var language: FormField<Language>?
    public var consents: ConsentChoices?
    /// Whether to log in at once.
    public var beginsSession: Bool?
    public var device: DeviceName?
    public var found = FoundProblems()

    public init(
      email: FormField<EmailAddress>, username: FormField<Username>, password: FormField<Password>,
      passwordConfirmation: FormField<Password>, name: FormField<PersonName>? = nil, age: Int? = nil,
      nickname: FormField<Nickname>? = nil, timeZone: FormField<ChosenTimeZone>? = nil, language: FormField<Language>? = nil,
      consents: ConsentChoices? = nil, beginsSession: Bool? = nil, device: DeviceName? = nil
    ) {
      self.email = email
      self.username = username
      self.password = password
      self.passwordConfirmation = passwordConfirmation
      self.name = name
      self.age = age
      self.nickname = nickname
      self.timeZone = timeZone
      self.language = language
      self.consents = consents
      self.beginsSession = beginsSession
      self.device = device
    }

    private enum CodingKeys: String, CodingKey {
      case email, username, password, passwordConfirmation, name, age, nickname, timeZone, language, consents, beginsSession,
        device
    }

    public static let notes: Notes = [
      "email": "E-mail address; the verification link is sent to it.",
      "username": "The username wanted; upper case is folded to lower.",
      "password":
        "8 to 256 characters with an upper-case and a lower-case letter, a digit and a special character; no common password.",
      "passwordConfirmation": "The same password again.",
      "name": "The person's name.",
      "age": Note("The person's age in years.", range: 13...120, isCheckedByFeature: true, example: 34),
      "nickname": "Its display name.",
      "timeZone": "IANA time zone, a region such as `Europe/Madrid` or `UTC`; UTC if absent.",
      "language": "Language of messages; that of the request if absent.",
      "consents": "What the person consents to, see `consents.list`; an absent one is not given.",
      "beginsSession": "`true` logs in at once: the answer then has the session's tokens, as `signedIn`.",
      "device": "With `beginsSession`: a name for the device, for the list of sessions.",
    ]
  }

  public typealias Output = RegisteredAccount

  /// How long a retry of a registration that began a session gets new tokens, in seconds: a client that lost the answer retries soon, and a
  /// request that is captured and sent later logs nobody in.
  public static let repeatedSessionSeconds = 600

  public static let spec = OperationSpec(
    "accounts.register", of: .identity, .post("/v1/accounts"), by: .anyone, effect: .create, rate: .sensitive,
    takesIdempotencyKey: true, requirements: ["ID-1", "ID-4", "ID-20"],
    """
    Registers an account and sends the mail with its verification link; logs in on request. Repeated with its idempotency key \
    within ten minutes it gives the same session other tokens, later none.
    """)
}

/// A newly registered account: the data that its owner sees, and the session that began with it, if one was requested. Both are members of
/// one JSON object.
@dynamicMemberLookup
public struct RegisteredAccount: Document, Hashable {
  public var account: OwnAccount
  public var signedIn: SignedIn?

  private enum CodingKeys: CodingKey { case signedIn }

  public init(_ account: OwnAccount, signedIn: SignedIn? = nil) {
    self.account = account
    self.signedIn = signedIn
  }

  public init(from decoder: any Decoder) throws {
    account = try OwnAccount(from: decoder)
    signedIn = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(SignedIn.self, forKey: .signedIn)
  }

  public func encode(to encoder: any Encoder) throws {
    try account.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(signedIn, forKey: .signedIn)
  }

  public subscript<Value>(dynamicMember field: KeyPath<OwnAccount, Value>) -> Value { account[keyPath: field] }

  public static let notes: Notes = OwnAccount.notes.merging([
    "signedIn": "The session that began with it; absent unless one was requested."
  ]) { own, _ in own }
}
