public import Operations

extension FeatureContract {
  static let externalProviders = FeatureContract(operations: [ListExternalProviders.self])
}

/// The name of an external provider, as the configuration gives it: 1 to 32 of `a-z`, `0-9` and `-`, beginning with a letter.
public struct ExternalProviderName: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) {
    let isWord = text.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
    }
    guard isWord, (1...32).contains(text.utf8.count), let first = text.utf8.first, (0x61...0x7A).contains(first) else {
      throw FieldRule("invalid_provider_name")
    }
    description = text
  }

  private init(unchecked text: String) { description = text }

  public static let placeholder = ExternalProviderName(unchecked: "nobody")
  public static let schema: JSON = ["type": "string", "pattern": "^[a-z][a-z0-9-]{0,31}$", "examples": ["google"]]
}

/// An external identity provider: Google, Apple, Facebook, or any configured issuer of OpenID Connect.
public struct ExternalProvider: Document, Hashable {
  public var name: ExternalProviderName
  public var title: String

  public init(name: ExternalProviderName, title: String) {
    self.name = name
    self.title = title
  }

  public static let notes: Notes = [
    "name": "The provider's name in requests.", "title": Note("The name by which people know it.", example: "Google"),
  ]
}

/// Lists the external providers by which people can log in here, in the order to show them.
public enum ListExternalProviders: OpenOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var providers: [ExternalProvider]

    public init(providers: [ExternalProvider]) { self.providers = providers }

    public static let notes: Notes = ["providers": "The providers; empty if none is configured."]
  }

  public static let spec = OperationSpec(
    "externalProviders.list", of: .identity, .get("/v1/external-providers"), by: .anyone, effect: .read,
    requirements: ["ID-10"], "Lists the external providers that people can log in with.")
}
