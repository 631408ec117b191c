import IdentityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves the public keys.
  mutating func serveKeys(_ keys: IdentityKeys) {
    let output = ListKeys.Output(keys: keys.signing.published)
    serve(ListKeys.self) { _, _ in output }
  }
}
