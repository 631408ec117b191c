import Operations
import Testing

@Suite("Texts chosen by others, in mails (ID-7, NOT-6)")
struct LinkFreeTests {
  @Test(
    "Text chosen by others contains nothing that mail programs turn into a link, and keeps names of devices",
    arguments: [
      ("Ana's phone", "Ana's phone"), ("Firefox on Linux", "Firefox on Linux"), ("iPhone 15.2", "iPhone 15.2"),
      ("Ana's laptop (Dr. Ruiz)", "Ana's laptop (Dr. Ruiz)"), ("Work: laptop", "Work: laptop"),
      ("Móvil de Íñigo", "Móvil de Íñigo"),
      ("https://evil.example/reset?x=1", "https evil example reset?x=1"), ("evil.example", "evil example"),
      ("www.evil.example", "evil example"), ("WWW.evil.example", "evil example"),
      ("call ana@evil.example", "call ana evil example"),
      ("evil\u{3002}example", "evil example"), ("evil\u{FF0E}example\u{FF0F}x", "evil example x"), ("mailto:a@b", "mailto a b"),
      ("bit.ly.732862", "bit ly 732862"), ("tel:+34600000000", "tel +34600000000"), ("evil.example.", "evil example."),
      ("\\\\host\\share", "host share"), ("evil/.example", "evil example"), ("www .evil", ".evil"), ("at 03:30", "at 03:30"),
      // What a joint is one character with hides it from nobody (UAX #29, GB9a and GB9b).
      ("evil\u{600}.example", "evil\u{600} example"), ("evil.\u{903}example", "evil \u{903}example"),
      ("ana\u{D4E}@evil\u{D4E}.example", "ana\u{D4E} evil\u{D4E} example"),
      ("http\u{600}:\u{600}/\u{600}/evil", "http\u{600} \u{600} \u{600} evil"),
    ])
  func table(text: String, shown: String) { #expect(LinkFree.text(text) == shown) }

  @Test(
    "Text chosen by others keeps names of tokens apart, without links either (ID-18)",
    arguments: [
      ("ci:deploy", "ci: deploy"), ("ci.deploy", "ci. deploy"), ("ci deploy", "ci deploy"), ("backup.sh", "backup. sh"),
      (".env", ".env"), ("Nightly 03:30", "Nightly 03:30"), ("v1.2:rc", "v1.2: rc"), ("etc.", "etc."), ("a/b", "a/ b"),
      ("ci/deploy", "ci/ deploy"), ("ci\\deploy", "ci\\ deploy"), ("ci@deploy", "ci@ deploy"),
      ("\\\\host\\share", "\\ \\ host\\ share"),

      ("https://evil.example/reset", "https: / / evil. example/ reset"), ("www.evil.example", "www. evil. example"),
      ("www.www.evil.example", "www. www. evil. example"), (sixty, sixty), (sixty + "x", sixty),
      (String(repeating: "a.", count: 30), String(repeating: "a. ", count: 29) + "a."),
      ("ana@evil.example", "ana@ evil. example"), ("evil\u{3002}example", "evil\u{3002} example"), ("mailto:a", "mailto: a"),
    ])
  func names(text: String, shown: String) { #expect(LinkFree.name(text) == shown) }

  /// As long as the name of a token may be.
  private static let sixty = String(repeating: "nightly-", count: 7) + "abcd"

  @Test("Text chosen by others is cut so short that it cannot be a message")
  func short() {
    let text = LinkFree.text("Your account is locked, call this number at once or lose everything that you have here")
    #expect(text.count <= LinkFree.maxCharacters && text.hasPrefix("Your account"))
  }
}
