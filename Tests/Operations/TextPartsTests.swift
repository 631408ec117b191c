import Operations
import Testing

@Suite("Texts composed of parts")
struct TextPartsTests {
  @Test(
    "The text between a fixed beginning and end is found",
    arguments: [
      ("/a/1/b", "1"), ("/a//b", ""), ("/a/b", nil), ("/a/1/c", nil), ("x/a/1/b", nil), ("/a/1/b ", nil), ("", nil),
      ("/a/\u{301}/b", "\u{301}"),
    ] as [(String, String?)])
  func middle(text: String, expected: String?) {
    #expect(TextParts.middle(of: text, between: "/a/", and: "/b") == expected)
  }

  @Test("A position in a list has two halves, and anything else is an invalid cursor")
  func pair() throws {
    let (first, second) = try TextParts.pair("1/b")
    #expect(first == "1" && second == "b")
    for text in ["", "1", "1/2/3"] { #expect(throws: PageCursor.invalid) { try TextParts.pair(text) } }
  }
}
