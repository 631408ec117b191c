import IdentityContract
import Operations
import ServiceKit

/// The public keys, listed.
struct KeyHandlers: Sendable {
  let keys: SigningKeys

  func list(_ input: Empty, _ call: OpenCall) -> ListKeys.Output { ListKeys.Output(keys: keys.published) }
}
