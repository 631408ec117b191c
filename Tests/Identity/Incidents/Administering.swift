import IdentityContract
import Operations
import Testing

@testable import IdentityService

extension RunningIdentity {
  /// Registers an administrator and logs them in, from an address of their own.
  func administrator(_ username: String = "adela", from address: String = "198.18.0.9") async throws -> SignedIn {
    try await register(username)
    _ = try await ask(VerifyAccount.self, .init(token: try await mailedToken()))
    _ = try await ask(
      AppointAdministrator.self, .init(username: try Username(text: username)), by: .service(.gateway))
    return try await logIn(username, from: address)
  }

  /// Attempts to log in with a wrong password; the failures' codes.
  @discardableResult
  func guess(_ login: String = "ana", times: Int = 1, from address: String = "192.0.2.1") async throws -> [String] {
    var codes: [String] = []
    for _ in 0..<times {
      codes.append(try await failure { try await self.logIn(login, "Wrong-1-wrong", from: address) }.code)
    }
    return codes
  }

  /// The incidents there are, as an administrator sees them.
  func incidents(by administrator: SignedIn, isOpen: Bool? = nil, pattern: IncidentPattern? = nil) async throws -> [Incident] {
    try await ask(ListIncidents.self, .init(isOpen: isOpen, pattern: pattern), by: .signedIn(administrator)).items
  }
}
