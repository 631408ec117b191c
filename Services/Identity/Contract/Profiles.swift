public import Operations
public import SocialContract

extension FeatureContract {
  static let profiles = FeatureContract(operations: [UpdateProfile.self, GetProfile.self, GetProfileByUsername.self])
}

/// Changes fields of the account's profile; the others stay. An optional field that is null or empty is removed.
///
/// All invalid fields are reported at once. A username must be free, regardless of case; the old one stays reserved for the account for 30
/// days and is then free.
public enum UpdateProfile: AccountOperation {
  public struct Input: Form, Hashable {
    public var username: Patch<FormField<Username>>
    public var nickname: Patch<FormField<Nickname>?>
    public var name: Patch<FormField<PersonName>?>
    public var age: Patch<Int?>
    public var found = FoundProblems()

    public init(
      username: Patch<FormField<Username>> = .keep, nickname: Patch<FormField<Nickname>?> = .keep,
      name: Patch<FormField<PersonName>?> = .keep, age: Patch<Int?> = .keep
    ) {
      self.username = username
      self.nickname = nickname
      self.name = name
      self.age = age
    }

    private enum CodingKeys: String, CodingKey {
      case username, nickname, name, age
    }

    public static let notes: Notes = [
      "username": "The account's unique name; upper case is folded to lower.",
      "nickname": "Its display name; null or an empty text removes it.",
      "name": "The person's name; null or an empty text removes it.",
      "age": Note("The person's age in years; null removes it.", range: 13...120, isCheckedByFeature: true, example: 34),
    ]
  }

  public typealias Output = OwnAccount

  public static let spec = OperationSpec(
    "profiles.update", of: .identity, .patch("/v1/accounts/me/profile"), by: .account, effect: .write, rate: .registered,
    requirements: ["ID-11"],
    "Changes username, nickname, name or age: fields that are left out stay, and null removes one.")
}

/// An account as another account sees it: its visible data, and the relation between the two (ID-11, SOC-2, SOC-7, SOC-8).
public struct Profile: Document, Hashable {
  public var accountID: AccountID
  public var username: Username
  public var nickname: Nickname?
  public var name: PersonName?
  public var age: Int?
  public var photoURL: PhotoURL?
  public var createdAt: Instant
  public var relation: Relation

  public init(
    accountID: AccountID, username: Username, nickname: Nickname? = nil, name: PersonName? = nil, age: Int? = nil,
    photoURL: PhotoURL? = nil, createdAt: Instant, relation: Relation = Relation()
  ) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.name = name
    self.age = age
    self.photoURL = photoURL
    self.createdAt = createdAt
    self.relation = relation
  }

  public static let notes: Notes = [
    "accountID": "The account.", "username": "Its unique name, as requests take it.",
    "nickname": "Its display name, if it has a nickname.",
    "name": "The person's name, if the account shows it to the caller.",
    "age": Note("The person's age in years, if the account shows it to the caller.", example: 34),
    "photoURL": "Its photo, if it has one and the caller has not blocked it.", "createdAt": "When it was registered.",
    "relation": "The relation between the caller and it.",
  ]
}

/// Reads the profile of an account that the caller has met, for example in a list (ID-11, SOC-8).
///
/// For an account that the caller has blocked, only the names and the block are shown. If the account has blocked the caller or is
/// suspended, the answer is the same as for one that does not exist.
public enum GetProfile: AccountOperation {
  public struct Input: Document, Hashable {
    public var accountID: AccountID

    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The account whose profile it is."]
  }

  public typealias Output = Profile

  public static let spec = OperationSpec(
    "profiles.get", of: .identity, .get("/v1/accounts/{accountID}/profile"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-11", "SOC-2", "SOC-7", "SOC-8"],
    "Returns an account's profile and its relation to the caller; `not_found` for an account that the caller cannot see.")
}

/// Reads the profile of an account whose username the caller knows; see ``GetProfile``. Accounts that are not listed in the directory
/// are found too, by their whole name alone.
public enum GetProfileByUsername: AccountOperation {
  public struct Input: Document, Hashable {
    public var username: Username

    public init(username: Username) { self.username = username }

    public static let notes: Notes = ["username": "The username of the account; upper case is folded to lower."]
  }

  public typealias Output = Profile

  public static let spec = OperationSpec(
    "profiles.getByUsername", of: .identity, .get("/v1/profiles/{username}"), by: .account, effect: .read, rate: .search,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-11", "SOC-1", "SOC-8"],
    """
    Returns the profile of the account with a username and its relation to the caller; `not_found` for one that the caller \
    cannot see.
    """)
}
