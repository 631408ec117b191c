import IdentityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves the wordings of consents, for forms that ask for them.
  mutating func serveConsents() {
    let words = Words(Contract.identity.words)
    serve(ListConsents.self) { _, call in
      Page(
        items: ConsentPurpose.allCases.map { purpose in
          ConsentWording(
            purpose: purpose, version: purpose.wordingVersion,
            text: words.text("consent.\(purpose.rawValue)", call.language) ?? purpose.rawValue)
        })
    }
  }
}
