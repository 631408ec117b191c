import Foundation
import Testing

@testable import NotificationsService

@Suite("Quoted-printable text")
struct QuotedPrintableTests {
  @Test(
    "Quoted-printable text encodes what mail may not carry",
    arguments: [
      ("plain", "plain"), ("a=b", "a=3Db"), ("año", "a=C3=B1o"), ("end \nnext\t", "end=20\r\nnext=09"), ("\n\n", "\r\n\r\n"),
      ("€", "=E2=82=AC"), ("\u{7F}", "=7F"),
    ])
  func encodes(text: String, expected: String) {
    #expect(String(decoding: QuotedPrintable.encode(text), as: UTF8.self) == expected)
  }

  @Test("Quoted-printable text breaks lines at 76 characters, never inside an escape, and loses nothing")
  func breaks() {
    for length in 60...240 {
      for letter in ["x", "ñ", "=", " "] {
        let text = String(repeating: letter, count: length) + "."
        let encoded = String(decoding: QuotedPrintable.encode(text), as: UTF8.self)
        let lines = encoded.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
        #expect(lines.dropLast().allSatisfy { $0.hasSuffix("=") })
        let joined = lines.map { $0.hasSuffix("=") ? $0.dropLast() : $0 }.joined()
        #expect(decode(joined) == text)
      }
    }
  }

  private func decode(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "=") {
        bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

@Suite("Encoded words")
struct EncodedWordTests {
  @Test(
    "Encoded words follow RFC 2047",
    arguments: [
      ("Plain subject", "Plain subject"),
      ("Confirma tu correo electrónico", "=?utf-8?B?Q29uZmlybWEgdHUgY29ycmVvIGVsZWN0csOzbmljbw==?="),
      ("=?utf-8?B?x?=", "=?utf-8?B?PT91dGYtOD9CP3g/PQ==?="),
      // Nothing in it is read as a word that is none.
      ("What is =?", "=?utf-8?B?V2hhdCBpcyA9Pw==?="), ("a =?x?q?y?= b", "=?utf-8?B?YSA9P3g/cT95Pz0gYg==?="),
      ("two\r\nBcc: x@example.org", "=?utf-8?B?dHdvDQpCY2M6IHhAZXhhbXBsZS5vcmc=?="),
    ])
  func encodes(text: String, expected: String) {
    #expect(EncodedWord.encode(text) == expected)
  }

  @Test("Encoded words are folded so that no line of the subject exceeds 76 characters, each with whole characters")
  func folds() {
    for count in 1...40 {
      let text = String(repeating: "ñandú ", count: count)
      let lines = "Subject: \(EncodedWord.encode(text))".components(separatedBy: "\r\n")
      #expect(lines.allSatisfy { $0.utf8.count <= 76 && $0.contains(" =?utf-8?B?") && $0.hasSuffix("?=") })
      #expect(EncodedWord.decode(String(lines.joined(separator: "\r\n").dropFirst(9))) == text)
    }
  }

  @Test("A character longer than an encoded word is split between its scalars")
  func longCharacter() throws {
    for count in 18...60 {
      let text = "Año e" + String(repeating: "\u{301}", count: count) + " fin"
      let words = EncodedWord.encode(text).components(separatedBy: "\r\n ")
      #expect(words.count > 1)
      for word in words {
        let bytes = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
        #expect(String(validating: bytes, as: UTF8.self) != nil, "\(count)")
      }
      #expect(EncodedWord.decode(words.joined(separator: "\r\n ")) == text)
    }
  }
}
