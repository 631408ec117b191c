import Operations
import ServiceKit

extension Admission {
  /// The language of the account that a valid token speaks for, so that refusals before admission are in it too.
  ///
  /// It draws on the address's budget, so that trying tokens costs here as well; beyond it the token counts as none.
  func language(token: String?, address: ClientAddress) async -> Language? {
    guard let token, limiter.take(.address(address), .read).isAllowed else { return nil }
    do {
      return try await verifier.identify(token).language
    } catch {
      // The request is refused for another reason; that the token is not valid changes nothing about it.
      return nil
    }
  }
}
