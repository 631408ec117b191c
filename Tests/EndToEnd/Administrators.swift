import Client
import Cluster
import IdentityContract
import Operations

extension RunningCluster {
  /// The client of a new account that administers, logged in as such.
  func administrator(_ name: String) async throws -> GatewayClient {
    let member = try await join(name, password: "Rio-7-lento")
    try await waitUntilReady()
    try administer("administrator", name)
    let session = try await client.callUntilDone(
      LogIn.self, .init(login: member.account.username.description, password: "Rio-7-lento"))
    return client.authorized(session.accessToken)
  }
}
