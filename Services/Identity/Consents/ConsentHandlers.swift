import IdentityContract
import Operations
import ServiceKit

/// The wordings of consents, for forms that ask for them.
enum ConsentHandlers {
  private static let words = Words(Contract.identity.words)

  static func list(_ input: Empty, _ call: OpenCall) -> ListConsents.Output {
    Page(
      items: ConsentPurpose.allCases.map { purpose in
        ConsentWording(
          purpose: purpose, version: purpose.wordingVersion,
          text: words.text("consent.\(purpose.rawValue)", call.language) ?? purpose.rawValue)
      })
  }
}
