import Operations
import Sampling
import Testing

private enum Colour: String, Choice { case red, green }

private struct Inner: Document, Hashable {
  var day: LocalDay
  var amount: Int

  static let notes: Notes = ["day": "A day.", "amount": Note("An amount.", range: 1...10)]
}

private struct Outer: Document, Hashable {
  var title: String
  var colour: Colour
  var inner: Inner
  var list: [Inner]?
  var tags: [String]?
  var share: Double?
  var isOpen: Bool?
  var until: LocalDay?

  static let notes: Notes = [
    "title": Note("A title.", length: 1...5), "colour": "A colour.", "inner": "One.", "list": Note("Many.", items: 1...2),
    "tags": "Words.", "share": Note("A share.", range: 0...1), "isOpen": "Whether.", "until": "A day.",
  ]

  func check(_ fields: inout FieldChecks) {
    fields.expect(title != "never", "title", FieldRule("never_said"))
    guard fields.areRight("inner"), let until else { return }
    fields.expect(until >= inner.day, "until", FieldRule("before_start"))
  }
}

private func problems(_ json: String, parameters: [String: String] = [:]) -> [String: String] {
  do {
    _ = try Outer.decode(Array(json.utf8), parameters: parameters)
    return [:]
  } catch {
    if error.code == "invalid_json" { return ["": error.parameters["reason"]?.description ?? ""] }
    return Dictionary(error.fields.map { ($0.field, $0.code) }) { first, _ in first }
  }
}

private let good = #"{"title":"run","colour":"red","inner":{"day":"2026-11-21","amount":3}}"#

@Suite("The strict decoder")
struct StrictDecoderTests {
  @Test("The strict decoder reads valid documents and writes them back the same")
  func roundTrip() throws {
    let json =
      #"{"title":"año","colour":"green","inner":{"day":"2024-02-29","amount":10},"list":[{"day":"2026-11-21","amount":1}],"tags":["a\"\\"],"share":0.25,"isOpen":true}"#
    let document = try Outer.decode(Array(json.utf8))
    #expect(String(decoding: document.json, as: UTF8.self) == json)
    #expect(document.list?.first?.day.description == "2026-11-21")
  }

  @Test("The strict decoder names every bad field at once, each with its rule")
  func allAtOnce() {
    let found = problems(
      #"{"title":"too long","colour":"blue","inner":{"day":"2026-02-30","amount":11,"extra":1},"list":[],"share":2,"isOpen":"yes","other":null}"#
    )
    #expect(
      found == [
        "title": "too_long", "colour": "not_a_choice", "inner.day": "not_a_day", "inner.amount": "out_of_range",
        "inner.extra": "unknown_field", "list": "wrong_count", "share": "out_of_range", "isOpen": "not_a_truth_value",
        "other": "unknown_field",
      ])
  }

  @Test("The strict decoder names missing fields, also when a whole object is missing or of another type")
  func missing() {
    #expect(problems("{}") == ["title": "required", "colour": "required", "inner": "required"])
    #expect(problems(#"{"title":"a","colour":"red","inner":[]}"#) == ["inner": "not_an_object"])
    #expect(problems(#"{"title":null,"colour":"red","inner":{"day":"2026-11-21","amount":3}}"#) == ["title": "required"])
    #expect(problems("[]") == ["": "not_an_object"])
  }

  @Test("The strict decoder names a field whose own type rejects it, together with others, and once if it is missing")
  func ownTypes() {
    enum Level: Int, Codable { case low = 1, high }
    struct Step: Document {
      var level: Level
      static let notes: Notes = ["level": "How high."]
    }
    struct Stairs: Document {
      var name: String
      var steps: [Step]
      var levels: [Level]?
      static let notes: Notes = ["name": Note("A name.", length: 1...5), "steps": "Its steps.", "levels": "Levels."]
    }
    func found(_ json: String) -> [String] {
      do {
        _ = try Stairs.decode(Array(json.utf8))
        return []
      } catch {
        return error.fields.map { "\($0.field) \($0.code)" }
      }
    }
    #expect(found(#"{"name":"a","steps":[{"level":2}],"levels":[1]}"#) == [])
    #expect(found(#"{"name":"","steps":[{"level":2},{"level":"x"}]}"#) == ["name empty", "steps[1].level wrong_type"])
    #expect(found(#"{"name":"a","steps":[],"levels":[1,3]}"#) == ["levels[1] wrong_type"])
    #expect(found(#"{"name":"a","steps":[{}]}"#) == ["steps[0].level required"])
  }

  @Test("The strict decoder refuses null in every optional field")
  func nulls() {
    struct Edited: Document {
      var title: String?
      var day: LocalDay?
      var count: Int?
      var share: Double?
      var isOpen: Bool?
      var list: [String]?
      var inner: Inner?

      static let notes: Notes = [
        "title": "A", "day": "B", "count": "C", "share": "D", "isOpen": "E", "list": "F", "inner": "G",
      ]
    }
    let fields = ["title", "day", "count", "share", "isOpen", "list", "inner"]
    let json = "{" + fields.map { "\"\($0)\":null" }.joined(separator: ",") + "}"
    let failure = #expect(throws: Failure.self) { try Edited.decode(Array(json.utf8)) }
    #expect(failure?.fields.map(\.field) == fields && failure?.fields.allSatisfy { $0.code == "null" } == true)
  }

  @Test("The strict decoder reports rules between fields together with unknown fields")
  func unknownAndBetween() {
    #expect(
      problems(good.dropLast() + #","until":"2026-11-20","other":1}"#) == ["until": "before_start", "other": "unknown_field"])
  }

  @Test("The strict decoder reports the range of an overlarge whole number, and a number that is not whole")
  func largeNumbers() {
    func amount(_ text: String) -> [String: String] {
      problems(#"{"title":"run","colour":"red","inner":{"day":"2026-11-21","amount":\#(text)}}"#)
    }
    for text in ["99999999999999999999", "-99999999999999999999", "1e30", "1e400"] {
      #expect(amount(text) == ["inner.amount": "out_of_range"], "\(text)")
    }
    for text in ["1e400", "-1e400", String(repeating: "9", count: 5001), "9007199254740993"] {
      #expect(problems(good.dropLast() + #","share":\#(text)}"#) == ["share": "out_of_range"], "\(text.prefix(20))")
    }
    #expect(amount("3.5") == ["inner.amount": "not_a_whole_number"])
  }

  @Test("The strict decoder reports a document's own rules together with faults of other fields")
  func ownRules() {
    #expect(
      problems(good.replacing("run", with: "never").dropLast() + #","share":2,"isOpen":"yes","until":"2026-11-20"}"#)
        == ["title": "never_said", "share": "out_of_range", "isOpen": "not_a_truth_value", "until": "before_start"])
    // Of what a placeholder stands for nothing is reported, nor of what is compared with it.
    #expect(
      problems(good.replacing("2026-11-21", with: "x").dropLast() + #","until":"1969-01-01"}"#) == ["inner.day": "not_a_day"])
    #expect(problems(good.replacing(#""run""#, with: "1")) == ["title": "not_a_string"])
  }

  @Test("The strict decoder applies rules between fields only if these are valid")
  func betweenFields() {
    #expect(problems(good.dropLast() + #","until":"2026-11-20"}"#) == ["until": "before_start"])
    #expect(problems(good.dropLast() + #","until":"2026-11-21"}"#).isEmpty)
    #expect(problems(good.dropLast() + #","until":"x"}"#) == ["until": "not_a_day"])
  }

  @Test("The strict decoder merges path and query parameters, and refuses a field given twice or unknown")
  func parameters() throws {
    let document = try Outer.decode(Array(good.utf8), parameters: ["share": "0.5", "isOpen": "false", "tags": "a,b"])
    #expect(document.share == 0.5 && document.isOpen == false && document.tags == ["a", "b"])
    #expect(problems(good, parameters: ["title": "x"]) == ["title": "given_twice"])
    #expect(problems(good, parameters: ["nothing": "x"]) == ["nothing": "unknown_field"])
    #expect(problems(good, parameters: ["share": "half"]) == ["share": "not_a_number"])
  }

  @Test("The strict decoder counts characters as people do, and refuses control characters")
  func characters() {
    #expect(problems(good.replacing("run", with: "👨‍👩‍👧‍👦ñé́🇪🇸x")).isEmpty)
    #expect(problems(good.replacing("run", with: "")) == ["title": "empty"])
    #expect(problems(good.replacing("run", with: #"a\u0007"#)) == ["title": "control_character"])
    #expect(problems(good.replacing("run", with: #"a\n"#)) == ["title": "control_character"])
  }

  @Test(
    "The strict decoder refuses invalid JSON",
    arguments: [
      ("{", "json_incomplete"), (#"{"a":1,}"#, "json_malformed"), ("{'a':1}", "json_malformed"), ("{} {}", "json_malformed"),
      (#"{"a":01}"#, "json_malformed"), (#"{"a":1.}"#, "json_malformed"), (#"{"a":.5}"#, "json_malformed"),
      (#"{"a":+1}"#, "json_malformed"), (#"{"a":NaN}"#, "json_malformed"), (#"{"a":tru}"#, "json_malformed"),
      ("{\"a\":\"\u{1}\"}", "json_malformed"), (#"{"a":"\x"}"#, "json_malformed"), (#"{"a":"\u12g4"}"#, "json_malformed"),
      (#"{"a":"\ud800"}"#, "json_lone_surrogate"), (#"{"a":"\udc00"}"#, "json_lone_surrogate"),
      (#"{"a":"\ud800\u0041 and more"}"#, "json_lone_surrogate"),
      (#"{"a":1,"a":2}"#, "json_duplicate_key"), (#"{"a":1,"\u0061":2}"#, "json_duplicate_key"),
      (#"{"x":{"b":[{"c":1,"c":1}]}}"#, "json_duplicate_key"), ("\u{FEFF}{}", "json_malformed"),
    ])
  func notJSON(_ text: String, _ reason: String) {
    #expect(problems(text) == ["": reason])
  }

  @Test(
    "The strict decoder reports where text stops being JSON, by line and byte",
    arguments: [
      ("", nil, nil), ("[1,\n 2,\n}", 3, 1), ("{\"a\":1,\n\"a\":2}", 2, 1), ("{\n\n", 3, 1), ("x", 1, 1),
    ] as [(String, Int?, Int?)])
  func position(_ text: String, _ line: Int?, _ byte: Int?) {
    do {
      _ = try Outer.decode(Array(text.utf8))
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.parameters["line"] == line.map { .number($0) })
      #expect(error.parameters["byte"] == byte.map { .number($0) })
    }
  }

  @Test("The strict decoder finds a duplicate among many names, and tells many different ones apart")
  func manyNames() throws {
    let members = (0..<200).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(throws: Never.self) { try JSONTape(Array("{\(members)}".utf8)) }
    #expect(throws: JSONSyntaxError.self) { try JSONTape(Array("{\(members),\"k7\":1}".utf8)) }
  }

  @Test(
    "The strict decoder refuses bytes that are not UTF-8",
    arguments: [
      [0x80], [0xC0, 0xAF], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80],
    ] as [[UInt8]]
  )
  func notUTF8(_ bytes: [UInt8]) {
    #expect(throws: JSONSyntaxError.self) { try JSONTape([0x22] + bytes + [0x22]) }
  }

  @Test("The strict decoder limits depth and size")
  func bounds() throws {
    let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(throws: Never.self) { try JSONTape(Array(deep.utf8)) }
    #expect { try JSONTape(Array("[\(deep)]".utf8)) } throws: { ($0 as? JSONSyntaxError)?.reason == .tooDeep }
    #expect { try JSONTape(Array("[1234567890]".utf8), limits: JSONLimits(bytes: 11)) } throws: {
      ($0 as? JSONSyntaxError)?.reason == .tooLarge
    }
  }

  @Test(
    "The strict decoder reads whole numbers exactly or refuses them",
    arguments: [
      ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("9223372036854775808", nil), ("1.0", nil),
      ("1e2", nil),
      ("-0", 0), ("12", 12),
    ] as [(String, Int?)])
  func wholeNumbers(_ text: String, _ value: Int?) throws {
    struct Number: Document {
      var n: Int
      static let notes: Notes = ["n": "A number."]
    }
    let decoded = try? Number.decode(Array("{\"n\":\(text)}".utf8)).n
    #expect(decoded == value)
  }

  @Test("The strict decoder survives any bytes", arguments: 0..<50)
  func anyBytes(_ seed: Int) {
    var random = SeededGenerator(UInt64(seed))
    let alphabet = Array("{}[]\",:\\u0129eE+-.truefalsn \u{1}é".utf8) + [0xFF, 0xC3, 0xED]
    for _ in 0..<400 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
      if let tape = try? JSONTape(bytes) { _ = tape.json.bytes }
      _ = try? Outer.decode(bytes)
    }
  }
}
