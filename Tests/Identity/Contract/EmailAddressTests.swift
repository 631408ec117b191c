import IdentityContract
import Operations
import Testing

@Suite("E-mail addresses")
struct EmailAddressTests {
  @Test(
    "E-mail addresses are taken as mail servers take them",
    arguments: [
      ("ana@example.com", "ana@example.com"),
      ("Ana.Ruiz@Example.COM", "ana.ruiz@example.com"),
      ("  ana@example.com ", "ana@example.com"),
      ("ana+racha@example.com", "ana+racha@example.com"),
      ("o'brien_{x}!#$%&*/=?^`|~-@example.co.uk", "o'brien_{x}!#$%&*/=?^`|~-@example.co.uk"),
      ("a@b.cd", "a@b.cd"),
      ("1@1a.es", "1@1a.es"),
      ("ana@münchen.de", "ana@xn--mnchen-3ya.de"),
      ("ana@MÜNCHEN.de", "ana@xn--mnchen-3ya.de"),
      ("ana@mu\u{308}nchen.de", "ana@xn--mnchen-3ya.de"),
      ("ana@españa.es", "ana@xn--espaa-rta.es"),
      ("ana@例え.テスト", "ana@xn--r8jz45g.xn--zckzah"),
      ("ana@例え。テスト", "ana@xn--r8jz45g.xn--zckzah"),
      ("ana@правда.рф", "ana@xn--80aafi6cg.xn--p1ai"),
      (String(repeating: "a", count: 64) + "@example.com", String(repeating: "a", count: 64) + "@example.com"),
    ])
  func accepted(text: String, normalized: String) throws {
    #expect(try EmailAddress(text: text).normalized == normalized)
  }

  @Test(
    "E-mail addresses of other forms are refused",
    arguments: [
      "", " ", "ana", "ana@", "@example.com", "ana@example", "ana@@example.com", "ana@ex ample.com", "a na@example.com",
      ".ana@example.com", "ana.@example.com", "a..na@example.com", "ana@.example.com", "ana@example.com.", "ana@example..com",
      "ana@-example.com", "ana@example-.com", "ana@exa_mple.com", "ana@example.123", "ana@192.168.0.1", "ana@[192.168.0.1]",
      "\"ana\"@example.com", "ana@example.com\n", "ana(x)@example.com", "ana,ruiz@example.com", "ana@exa\u{0}mple.com",
      "añá@example.com",
      "ana@\u{1F600}.com", String(repeating: "a", count: 65) + "@example.com",
      "ana@" + String(repeating: "a", count: 64) + ".com",
      "ana@" + Array(repeating: String(repeating: "a", count: 60), count: 5).joined(separator: ".") + ".com",
      "ana@" + String(repeating: "ü", count: 62) + ".de",
    ])
  func refused(text: String) {
    #expect(throws: FieldRule("invalid_email")) { try EmailAddress(text: text) }
  }

  @Test("E-mail addresses have at most 254 bytes")
  func length() throws {
    let tail = "." + String(repeating: "c", count: 63) + "." + String(repeating: "d", count: 55)
    let longest = String(repeating: "a", count: 64) + "@" + String(repeating: "b", count: 63) + tail + ".com"
    try #require(longest.utf8.count == 64 + 1 + 63 + 1 + 63 + 1 + 55 + 4)
    #expect(try EmailAddress(text: longest).normalized.utf8.count == 252)
    #expect(throws: FieldRule("invalid_email")) { try EmailAddress(text: longest.replacing("dd.com", with: "ddddd.com")) }
  }

  @Test("E-mail addresses are the same whatever their case, and keep how they were typed")
  func sameness() throws {
    let typed = try EmailAddress(text: "Ana@MÜNCHEN.de")
    #expect(typed == (try EmailAddress(text: "ana@xn--mnchen-3ya.DE")))
    #expect(typed.description == "Ana@MÜNCHEN.de")
    #expect(typed.ascii == "Ana@xn--mnchen-3ya.de")
  }
}
