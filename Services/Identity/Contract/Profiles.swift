public import Operations

/// Changes what the account says of its owner: the whole form as it was shown and edited. An optional field left out or empty is removed.
///
/// Every field at fault is named at once. A username must be free, whatever its case; the old one is kept for the account for
/// 30 days, then free.
public enum EditProfile: AccountOperation {
  public struct Input: Form, Hashable {
    public var username: FormField<Username>
    public var nickname: FormField<Nickname>?
    public var name: FormField<PersonName>?
    public var age: Int?
    public var found = FoundProblems()

    public init(
      username: FormField<Username>, nickname: FormField<Nickname>? = nil, name: FormField<PersonName>? = nil, age: Int? = nil
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
      "nickname": "How others see the account named.",
      "name": "The person's name.",
      "age": Note("The person's age in years.", range: 13...120, isCheckedByFeature: true, example: 34),
    ]
  }

  public typealias Output = OwnAccount

  public static let spec = OperationSpec(
    "accounts.editProfile", of: .identity, .put("/v1/accounts/me/profile"), by: .account, effect: .write, requirements: ["ID-11"],
    "Change username, nickname, name and age; what is left out is removed.")
}
