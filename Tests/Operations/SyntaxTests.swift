import Foundation
import Operations
import Testing

@Suite("Text as syntax (UAX #29, GB9a and GB9b)")
struct SyntaxTests {
  /// Each is one `Character` with what stands before or behind it.
  static let joiners = (before: "\u{600}", letterBefore: "\u{D4E}", behind: "\u{903}")

  @Test(
    "Text is split at every delimiter, whatever it is joined to, and nowhere else",
    arguments: [
      ("a,b", ["a", "b"]), ("a\u{600},b", ["a\u{600}", "b"]), ("a,\u{903}b", ["a", "\u{903}b"]), (",", ["", ""]), ("", [""]),
      ("a\u{301},", ["a\u{301}", ""]), ("\r\n,\r\n", ["\r\n", "\r\n"]),
    ])
  func splitting(text: String, parts: [String]) {
    #expect(text.split(at: ",").map { Array($0.utf8) } == parts.map { Array($0.utf8) })
    #expect(text.split(at: ",", omitsEmpty: true).map(String.init) == parts.filter { !$0.isEmpty })
    #expect("a\u{37E}b".split(at: ";").count == 1)
    #expect("a.b.c".split(at: ".", maxSplits: 1).map(String.init) == ["a", "b.c"])
  }

  @Test("Text is cut to a number of bytes, never inside a scalar, however many combining marks a character has")
  func beginning() {
    let marks = "a" + String(repeating: "\u{301}", count: 1000)
    #expect(marks.count == 1 && marks.beginning(maxBytes: 200).utf8.count == 199)
    #expect("añb".beginning(maxBytes: 2) == "a" && "añb".beginning(maxBytes: 3) == "añ" && "añb".beginning(maxBytes: 4) == "añb")
    #expect("\u{1F600}".beginning(maxBytes: 3) == "" && "".beginning(maxBytes: 0) == "")
  }

  @Test("Text is compared byte by byte: neither the Kelvin sign nor another form of a letter is equal")
  func comparing() {
    #expect("\u{212A}" == "K" && !"\u{212A}".isSame(as: "K") && "chun\u{212A}ed".asciiLowercased != "chunked")
    #expect("ÀK".asciiLowercased == "Àk" && "\t a \u{600} ".withoutBlanks == "a \u{600}" && "  ".withoutBlanks.isEmpty)
    #expect("a\u{301}".begins(with: "a") && "x\u{600}/".ends(with: "/") && !"a".ends(with: "ba"))
  }

  @Test("Text is escaped for markup as a browser reads it", arguments: ["<", ">", "&", "\"", "'"])
  func markup(sign: String) {
    for text in [sign, "\u{600}" + sign, "\u{D4E}" + sign, sign + "\u{903}", sign + "\u{301}"] {
      let escaped = Markup.escaped(text)
      #expect(!escaped.replacing("&amp;", with: "").utf8.contains { "<>\"'".utf8.contains($0) })
      #expect(escaped.utf8.contains(UInt8(ascii: ";")) && escaped.utf8.count > text.utf8.count)
    }
  }

  /// Where texts that strangers send are taken apart.
  private static let folders = [
    "Services/Activity/Contract", "Services/Gateway/BrowserPages", "Services/Gateway/Forwarding", "Services/Gateway/HTTP",
    "Services/Gateway/JSONRPC",
    "Services/Gateway/Limits", "Services/Gateway/Live", "Services/Gateway/Routing/Query.swift", "Services/Gateway/Tokens",
    "Services/Gateway/Tracing", "Services/Identity/Contract", "Services/Identity/ExternalProviders", "Services/Identity/Login",
    "Services/Identity/LoginAlerts", "Services/Identity/SecurityEvents", "Services/Identity/Sessions",
    "Services/Notifications/Contract", "Services/Notifications/Mailbox", "Services/Notifications/Mails",
    "Services/Rewards/Contract", "Services/Social", "Shared/Operations/JSON", "Shared/Operations/Values",
    "Shared/Operations/Wire", "Shared/ServiceKit/Network",
    "Shared/ServiceKit/Observability",
  ]

  @Test("No source file splits foreign text by characters")
  func source() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let byCharacters = try Regex(
      #"split\(separator: "|(first|last)Index\(of: "|has(Prefix|Suffix)\(|String\([a-zA-Z$0.]+\.prefix\(|replacingOccurrences\("#)
    #expect(#"text.split(separator: ",")"#.contains(byCharacters) && "String($0.prefix(64))".contains(byCharacters))
    let pattern = try Regex(#"(of|separator|with): /[^/ ]|\(/[^/ ]|Regex\("#)
    #expect("rest.firstMatch(of: /=[?]x/)".contains(pattern) && !"contains(a / b)".contains(pattern))
    var looked = 0
    for folder in Self.folders {
      let start = root.appendingPathComponent(folder)
      let files = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
      for file in files + [start] where file.pathExtension == "swift" {
        looked += 1
        for (number, line) in try String(contentsOf: file, encoding: .utf8).split(at: "\n").enumerated() {
          #expect(!line.contains(byCharacters), "\(file.path):\(number + 1): see Syntax.swift")
          #expect(
            !line.contains(pattern) || line.contains(".matchingSemantics(.unicodeScalar)"),
            "\(file.path):\(number + 1): matches by characters")
        }
      }
    }
    #expect(looked > 100)
  }
}
