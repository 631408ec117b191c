public import Client
public import IdentityContract
import Operations

/// Somebody who has registered, verified the address and logged in.
public struct Member: Sendable {
  /// Speaks in the member's name.
  public let client: GatewayClient
  public let account: OwnAccount
  public let accessToken: String
}

extension RunningCluster {
  /// Registers somebody who consents to activity data, and to location if asked for, verifies the address by the mailed link and logs in,
  /// however often a service dies meanwhile.
  public func join(
    _ username: String, password: String, timeZone: String = "UTC", consentsToLocation: Bool = false
  ) async throws -> Member {
    let email = "\(username)@example.org"
    _ = try await client.callUntilDone(
      RegisterAccount.self,
      .init(
        email: .init(text: email), username: .init(text: username), password: .init(text: password),
        passwordConfirmation: .init(text: password), timeZone: .init(text: timeZone),
        consents: .init(activityData: true, location: consentsToLocation)),
      idempotencyKey: "register-\(username)")
    let mail = try await mail(to: email, seconds: 60)
    do {
      _ = try await client.callUntilDone(VerifyAccount.self, .init(token: mail.token ?? ""))
    } catch let problem as GatewayClient.Problem where problem.status == 409 || problem.status == 410 || problem.status == 404 {
      // The first try took effect and its answer was lost: the token is used up. Logging in shows whether it is so.
    }
    let member = try await signIn(username, password: password)
    guard member.account.isVerified else { throw NotReady(description: "\(username) is not verified") }
    return member
  }

  /// Logs somebody in who has registered before.
  public func signIn(_ username: String, password: String) async throws -> Member {
    let session = try await client.callUntilDone(LogIn.self, .init(login: username, password: password))
    return Member(
      client: client.authorized(session.accessToken), account: session.account, accessToken: session.accessToken)
  }
}
