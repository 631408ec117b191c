import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("Rules of passwords")
struct PasswordRulesTests {
  let rules = PasswordRules()

  @Test(
    "Sound passwords break no rule",
    arguments: [
      "Rio-7-lento", "Aa1!aaaa", "ñÑ1¡ñññx", "correct Horse 7 battery!", "Ωω9…ΩωΩω", "A1!" + String(repeating: "a", count: 253),
      "Пароль-длинный-5", "👩‍👩‍👧‍👦Aa1xyzw",
    ])
  func accepted(text: String) throws { #expect(rules.broken(by: try Password(text: text), names: ["ana"]) == []) }

  @Test(
    "Passwords are reported with every rule that they break",
    arguments: [
      (
        "",
        [
          "password_too_short", "password_lacks_upper_case", "password_lacks_lower_case", "password_lacks_digit",
          "password_lacks_special",
        ]
      ),
      ("Aa1!aaa", ["password_too_short"]),
      ("aa1!aaaa", ["password_lacks_upper_case"]),
      ("AA1!AAAA", ["password_lacks_lower_case"]),
      ("Aab!aaaa", ["password_lacks_digit"]),
      ("Aa1aaaaa", ["password_lacks_special"]),
      ("Aa1 aaaa", ["password_lacks_special"]),
      ("aaaaaaab", ["password_lacks_upper_case", "password_lacks_digit", "password_lacks_special"]),
      ("A1!" + String(repeating: "a", count: 254), ["password_too_long"]),
      ("A1!a" + String(repeating: "e" + String(repeating: "\u{301}", count: 100), count: 20), ["password_too_long"]),
      ("password", ["password_lacks_upper_case", "password_lacks_digit", "password_lacks_special", "password_common"]),
      ("Password1!", ["password_common"]), ("P@ssw0rd!", ["password_common"]),
      ("QWERTY123!", ["password_lacks_lower_case", "password_common"]),
      ("Contraseña1!", ["password_common"]), ("Contrasen\u{303}a1!", ["password_common"]),
      ("Ana.Ruiz-7", ["password_is_name"]), ("ANA.ruiz-7@Example.com", ["password_is_name"]),
    ])
  func refused(text: String, codes: [String]) throws {
    let broken = rules.broken(by: try Password(text: text), names: ["ana.ruiz-7", "ana.ruiz-7@example.com"])
    #expect(broken.map(\.code) == codes)
  }

  @Test(
    "Common passwords are refused, also with what people append to satisfy rules (ID-20)",
    arguments: [
      "Whatever1!", "Chicken1!", "Maverick1!", "Buster2024!", "Tigers123!", "Midnight1!", "Rangers1!", "Abc12345!", "Dragon!",
      "Whatever-1999-!", "Monkey123456789!", "Shadow11111!", "Mustang54321?",
    ])
  func endings(text: String) throws {
    #expect(rules.broken(by: try Password(text: text), names: []).map(\.code).contains("password_common"))
  }

  @Test(
    "Common passwords are refused with prefixes, separators and substituted letters (ID-20)",
    arguments: [
      "!Password1", "Adm1n!234", "Aa123456789!", "Pass-word1!", "2024!Dragon", "123456Monkey!", "P.a.s.s.w.o.r.d.1",
      "Ab11111111!",
    ])
  func additions(text: String) throws {
    #expect(rules.broken(by: try Password(text: text), names: []).map(\.code) == ["password_common"])
  }

  @Test(
    "Names of the account are refused as passwords, also with what people put around them (ID-20)",
    arguments: [
      ("Pedrolopez7!", "pedrolopez7"), ("Pedro.lopez1", "pedro.lopez"), ("Pedro Lopez1!", "Pedro Lopez"),
      ("PedroLopez-2024", "Pedro Lopez"), ("!!1Pedro_Lopez", "pedrolopez"),
      ("P3dro.l0pez", "pedro.lopez"), ("Pedro-1999!", "pedro77"), ("Bo-Li-2024!", "Bo Li"),
    ])
  func names(text: String, name: String) throws {
    #expect(rules.broken(by: try Password(text: text), names: ["someone", name]).map(\.code).contains("password_is_name"))
  }

  @Test(
    "Passwords may contain a name among other words, or consist mainly of punctuation",
    arguments: ["Pedro-swims-7-lakes", "lake Pedro 7 battery!", "Pedro.lopez83947205", "#9$k&!R*", "Pe!1dr-lo"])
  func besideNames(text: String) throws {
    #expect(rules.broken(by: try Password(text: text), names: ["pedro", "pedro.lopez", "Pedro Lopez", "k", "\u{1F600}"]).isEmpty)
  }

  @Test(
    "Passwords may contain a common word among others, or with an unusual number",
    arguments: ["Whatever-Chicken-7", "7-Midnight-lento", "Dragon83947205!", "Tigers!swim2024lentos"])
  func words(text: String) throws {
    #expect(rules.broken(by: try Password(text: text), names: []).isEmpty)
  }

  @Test("The list has at least 3,000 common passwords in lower case, many of which pass every other rule")
  func list() throws {
    let common = CommonPasswords.embedded.all
    #expect(common.count >= 3000)
    #expect(common.allSatisfy { $0 == $0.lowercased() && !$0.isEmpty })
    let open = PasswordRules(common: CommonPasswords(text: []))
    let disguised = common.filter { word in
      guard let password = try? Password(text: word.prefix(1).uppercased() + word.dropFirst()) else { return false }
      return open.broken(by: password, names: []).isEmpty
    }
    #expect(disguised.count >= 1000)
  }
}
