import Foundation
import Testing
import TransparencyLog

struct CanonicalJSONTests {
  @Test(
    "Numbers are written as listed in RFC 8785, appendix B",
    arguments: [
      (0, "0"), (0x8000_0000_0000_0000, "0"), (1, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
      (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"), (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
      (0x4340_0000_0000_0000, "9007199254740992"), (0xc340_0000_0000_0000, "-9007199254740992"),
      (0x4430_0000_0000_0000, "295147905179352830000"), (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
      (0x44b5_2d02_c7e1_4af6, "1e+23"), (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
      (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"), (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
      (0x444b_1ae4_d6e2_ef50, "1e+21"), (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"), (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
      (0x41b3_de43_5555_5553, "333333333.3333332"), (0x41b3_de43_5555_5554, "333333333.33333325"),
      (0x41b3_de43_5555_5555, "333333333.3333333"), (0x41b3_de43_5555_5556, "333333333.3333334"),
      (0x41b3_de43_5555_5557, "333333333.33333343"), (0xbece_cbf6_4761_2f36, nil), (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
      (0x4340_0000_0000_0001, "9007199254740994"), (0x4340_0000_0000_0002, "9007199254740996"),
      (0x7fff_ffff_ffff_ffff, ""), (0x7ff0_0000_0000_0000, ""), (0xfff0_0000_0000_0000, ""),
      ((100.0).bitPattern, "100"), ((-1.5).bitPattern, "-1.5"), ((0.1).bitPattern, "0.1"), ((123e-7).bitPattern, "0.0000123"),
      ((1e20).bitPattern, "100000000000000000000"), ((1.25e25).bitPattern, "1.25e+25"), ((56.0).bitPattern, "56"),
    ] as [(UInt64, String?)])
  func numbers(_ bits: UInt64, _ text: String?) throws {
    let value = Double(bitPattern: bits)
    guard value.isFinite else {
      #expect(throws: LogFault.malformed(.json)) { _ = try CanonicalJSON.number(value).text() }
      return
    }
    let written = try CanonicalJSON.number(value).text()
    #expect(Double(written) == value)
    if let text { #expect(written == text) }
  }

  @Test("Documents of the reference test data are written as their expected results")
  func documents() throws {
    let values = CanonicalJSON.object([
      (
        "numbers",
        .array([.number(333333333.33333329), .number(1E30), .number(4.50), .number(2e-3), .number(0.000000000000000000000000001)])
      ),
      ("string", .string("\u{20ac}$\u{0F}\u{0a}A'\u{42}\u{22}\u{5c}\\\"/")),
      ("literals", .array([.null, .bool(true), .bool(false)])),
    ])
    #expect(
      try values.text()
        == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
    )
    let weird = CanonicalJSON.object([
      ("\u{20ac}", .string("Euro Sign")), ("\r", .string("Carriage Return")), ("\u{0a}", .string("Newline")),
      ("1", .string("One")),
      ("\u{80}", .string("Control\u{7f}")), ("\u{1F602}", .string("Smiley")),
      ("\u{f6}", .string("Latin Small Letter O With Diaeresis")),
      ("\u{fb33}", .string("Hebrew Letter Dalet With Dagesh")), ("</script>", .string("Browser Challenge")),
    ])
    #expect(
      try weird.text() == #"{"\n":"Newline","\r":"Carriage Return","1":"One","</script>":"Browser Challenge","#
        + "\"\u{80}\":\"Control\u{7f}\","
        + "\"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",\"\u{1F602}\":\"Smiley\","
        + "\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}")
    let structure = CanonicalJSON.object([
      ("1", .object([("f", .object([("f", .string("hi")), ("F", .number(5))])), ("\n", .number(56.0))])), ("10", .object([])),
      ("", .string("empty")), ("a", .object([])), ("111", .array([.object([("e", .string("yes")), ("E", .string("no"))])])),
      ("A", .object([])),
    ])
    #expect(
      try structure.text()
        == #"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}"#)
  }

  @Test("Text is kept scalar by scalar, and a repeated name is refused")
  func names() throws {
    let decomposed = try CanonicalJSON.string("A\u{30a}").text()
    #expect(Array(decomposed.utf8) == Array("\"A\u{30a}\"".utf8))
    let both = CanonicalJSON.object([("\u{e9}", .null), ("e\u{301}", .null)])
    #expect(Array(try both.text().utf8) == Array("{\"e\u{301}\":null,\"\u{e9}\":null}".utf8))
    #expect(throws: LogFault.malformed(.json)) { _ = try CanonicalJSON.object([("a", .null), ("a", .null)]).text() }
  }

  @Test("A commitment matches only its record and salt")
  func commitments() {
    let salt = Commitment.salt()
    #expect(salt.count == 32 && salt != Commitment.salt())
    #expect(Commitment("{}", salt: salt) == Commitment("{}", salt: salt))
    #expect(Commitment("{}", salt: salt) != Commitment("{ }", salt: salt))
    #expect(Commitment("{}", salt: salt) != Commitment("{}", salt: Commitment.salt()))
    let zeroes = Commitment("{}", salt: Array(repeating: 0, count: 32))
    #expect(zeroes.hash.bytes == hex("fb1634c4e6cd4b1f1afe3ce2d6ef080f7ac5d1f357d723ad4dfca782733b62db"))
  }
}
