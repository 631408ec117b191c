import Dispatch
import Foundation
import IdentityContract
import Operations
import Synchronization
import Testing

@testable import IdentityService

@Suite("Hashing passwords")
struct PasswordHasherTests {
  private let cheap = HashCost(memoryBytes: 1 << 20, passes: 1)

  @Test("A password is hashed with Argon2id, 19 MiB, two passes and a fresh salt, in PHC form")
  func form() async throws {
    let hasher = try PasswordHasher()
    let password = try Password(text: "Rio-7-lento")
    let (one, two) = (try await hasher.hash(password), try await hasher.hash(password))
    #expect(one.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    #expect(one != two)
    #expect(try await hasher.verify(password, against: one).isRight)
    #expect(try await !hasher.verify(Password(text: "Rio-7-lento "), against: one).isRight)
  }

  @Test("A password matches however its characters are composed")
  func composition() async throws {
    let hasher = try PasswordHasher(cost: cheap)
    let hash = try await hasher.hash(Password(text: "ma\u{F1}ana"))
    #expect(try await hasher.verify(Password(text: "man\u{303}ana"), against: hash).isRight)
  }

  @Test("No password matches a missing hash, not even the decoy's")
  func decoy() async throws {
    let hasher = try PasswordHasher(cost: cheap)
    #expect(try await !hasher.verify(Password(text: "Rio-7-lento"), against: nil).isRight)
    #expect(try await !hasher.verify(Password(text: ""), against: nil).isRight)
  }

  @Test("A right password's hash is renewed only if the cost has changed")
  func renewal() async throws {
    let (old, new) = (try PasswordHasher(cost: cheap), try PasswordHasher(cost: HashCost(memoryBytes: 2 << 20, passes: 2)))
    let password = try Password(text: "Rio-7-lento")
    let hash = try await old.hash(password)
    let renewed = try #require(try await new.verify(password, against: hash).renewed)
    #expect(renewed.text.contains("m=2048,t=2"))
    #expect(try await new.verify(password, against: renewed).renewed == nil)
    #expect(try await new.verify(Password(text: "wrong"), against: hash).renewed == nil)
  }

  @Test("Hashing for an unknown login takes as long as for a wrong password")
  func equalTime() async throws {
    let hasher = try PasswordHasher()
    let hash = try await hasher.hash(Password(text: "Rio-7-lento"))
    let wrong = try Password(text: "Rio-8-lento")
    var known: [Duration] = []
    var unknown: [Duration] = []
    for _ in 0..<12 {
      known.append(try await ContinuousClock().measure { _ = try await hasher.verify(wrong, against: hash) })
      unknown.append(try await ContinuousClock().measure { _ = try await hasher.verify(wrong, against: nil) })
    }
    // Medians, so that a busy machine does not decide.
    let ratio = known.sorted()[6] / unknown.sorted()[6]
    #expect((0.5...2).contains(ratio), "known \(known.sorted()[6]), unknown \(unknown.sorted()[6])")
  }
}
