import Operations
import Testing

@testable import IdentityContract

@Suite("The form of personal access tokens (ID-18)")
struct PersonalAccessTokenFormTests {
  /// The same numbers each time.
  private struct Counter: RandomNumberGenerator {
    var state: UInt64 = 42
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state
    }
  }

  @Test("The checksum of personal access tokens is that of gzip and of GitHub's tokens")
  func checksum() {
    #expect(CRC32.of(Array("123456789".utf8)) == 0xCBF4_3926)
    #expect(CRC32.of([]) == 0)
    // 0xCBF43926 = 3421780262 in base62, by hand: 3·62⁵ + 45·62⁴ + 35·62³ + 27·62² + 22·62 + 14.
    #expect(String(decoding: PersonalAccessTokenForm.check(Array("123456789".utf8)), as: UTF8.self) == "3jZRME")
    #expect(String(decoding: PersonalAccessTokenForm.check([]), as: UTF8.self) == "000000")
  }

  @Test("A new personal access token has its checksum, and no two are equal")
  func make() throws {
    var generator = Counter()
    let tokens = (0..<1000).map { _ in PersonalAccessTokenForm.make(using: &generator) }
    #expect(Set(tokens).count == 1000)
    for token in tokens {
      #expect(token.wholeMatch(of: /racha_pat_[0-9A-Za-z]{36}/) != nil)
      #expect(PersonalAccessTokenForm.isMet(by: token))
    }
  }

  @Test("A personal access token with one mistyped character is detected, wherever it is")
  func mistyped() {
    var generator = Counter()
    let token = PersonalAccessTokenForm.make(using: &generator)
    for index in token.indices {
      var wrong = token
      wrong.replaceSubrange(index...index, with: token[index] == "a" ? "b" : "a")
      #expect(!PersonalAccessTokenForm.isMet(by: wrong), "\(wrong)")
    }
    for wrong in ["", "racha_pat_", token + "a", String(token.dropLast()), " " + token, "ghp_" + token.dropFirst(10)] {
      #expect(!PersonalAccessTokenForm.isMet(by: wrong), "\(wrong)")
    }
  }

  @Test("The hash of a personal access token is 32 bytes in lower-case hexadecimal, and nothing else")
  func hash() throws {
    let hash = try #require(PersonalAccessTokenHash(bytes: (0..<32).map { UInt8($0 * 8) }))
    #expect(hash.description.hasPrefix("0008101820"))
    #expect(try PersonalAccessTokenHash(text: hash.description) == hash)
    for wrong in [
      "", "00", String(repeating: "0", count: 63), String(repeating: "A", count: 64), "é" + String(repeating: "0", count: 63),
    ] {
      #expect(throws: FieldRule.self) { try PersonalAccessTokenHash(text: wrong) }
    }
    #expect(PersonalAccessTokenHash(bytes: [1, 2, 3]) == nil)
  }
}
