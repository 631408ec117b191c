import Operations
import Testing

private enum Colour: String, Choice { case red, green }

private struct Place: Document, Hashable {
  var name: String

  static let notes: Notes = ["name": Note("Its name.", length: 1...5)]
}

/// Fields of every kind, those before `reason` always with a value, the others with one or none.
private struct Edit: Document, Hashable {
  var title: Patch<String> = .keep
  var count: Patch<Int> = .keep
  var share: Patch<Double> = .keep
  var isOpen: Patch<Bool> = .keep
  var day: Patch<LocalDay> = .keep
  var tags: Patch<[String]> = .keep
  var place: Patch<Place> = .keep
  var reason: Patch<String?> = .keep
  var limit: Patch<Int?> = .keep
  var ratio: Patch<Double?> = .keep
  var isPublic: Patch<Bool?> = .keep
  var end: Patch<LocalDay?> = .keep
  var colour: Patch<Colour?> = .keep
  var words: Patch<[String]?> = .keep
  var home: Patch<Place?> = .keep

  static let notes: Notes = [
    "title": Note("A", length: 1...5), "count": Note("B", range: 0...9), "share": Note("C", range: 0...1), "isOpen": "D",
    "day": "E", "tags": Note("F", items: 0...2), "place": "G", "reason": Note("H", length: 1...5),
    "limit": Note("I", range: 0...9),
    "ratio": Note("J", range: 0...1), "isPublic": "K", "end": "L", "colour": "M", "words": Note("N", items: 0...2), "home": "O",
  ]
}

private struct Case: Sendable, CustomTestStringConvertible {
  let field: String
  let value: String
  let edit: Edit
  let wrong: (value: String, fault: String)
  let nullable: Bool
  let type: JSON?

  var testDescription: String { field }

  private static let day = try? LocalDay(text: "2026-11-21")

  /// Each field with a value of it, what is read then, a value that breaks its rule, and whether and how its schema takes null.
  static let all: [Case] = [
    Case(
      field: "title", value: #""Run""#, edit: Edit(title: .set("Run")), wrong: (#""too long""#, "title too_long"),
      nullable: false, type: "string"),
    Case(
      field: "count", value: "3", edit: Edit(count: .set(3)), wrong: ("10", "count out_of_range"), nullable: false,
      type: "integer"),
    Case(
      field: "share", value: "0.5", edit: Edit(share: .set(0.5)), wrong: ("2", "share out_of_range"), nullable: false,
      type: "number"),
    Case(
      field: "isOpen", value: "false", edit: Edit(isOpen: .set(false)), wrong: ("0", "isOpen not_a_truth_value"), nullable: false,
      type: "boolean"),
    Case(
      field: "day", value: #""2026-11-21""#, edit: Edit(day: day.map { .set($0) } ?? .keep), wrong: (#""x""#, "day not_a_day"),
      nullable: false, type: "string"),
    Case(
      field: "tags", value: #"["a"]"#, edit: Edit(tags: .set(["a"])), wrong: (#"["a","b","c"]"#, "tags wrong_count"),
      nullable: false, type: "array"),
    Case(
      field: "place", value: #"{"name":"Home"}"#, edit: Edit(place: .set(Place(name: "Home"))),
      wrong: (#"{"name":""}"#, "place.name empty"), nullable: false, type: nil),
    Case(
      field: "reason", value: #""Air""#, edit: Edit(reason: .set("Air")), wrong: (#""too long""#, "reason too_long"),
      nullable: true,
      type: ["string", "null"]),
    Case(
      field: "limit", value: "3", edit: Edit(limit: .set(3)), wrong: ("10", "limit out_of_range"), nullable: true,
      type: ["integer", "null"]),
    Case(
      field: "ratio", value: "0.5", edit: Edit(ratio: .set(0.5)), wrong: ("2", "ratio out_of_range"), nullable: true,
      type: ["number", "null"]),
    Case(
      field: "isPublic", value: "true", edit: Edit(isPublic: .set(true)), wrong: ("1", "isPublic not_a_truth_value"),
      nullable: true,
      type: ["boolean", "null"]),
    Case(
      field: "end", value: #""2026-11-21""#, edit: Edit(end: .set(day)), wrong: (#""x""#, "end not_a_day"), nullable: true,
      type: ["string", "null"]),
    Case(
      field: "colour", value: #""red""#, edit: Edit(colour: .set(.red)), wrong: (#""blue""#, "colour not_a_choice"),
      nullable: true, type: nil),
    Case(
      field: "words", value: #"["a"]"#, edit: Edit(words: .set(["a"])), wrong: (#"["a","b","c"]"#, "words wrong_count"),
      nullable: true,
      type: ["array", "null"]),
    Case(
      field: "home", value: #"{"name":"Home"}"#, edit: Edit(home: .set(Place(name: "Home"))),
      wrong: (#"{"name":"too long"}"#, "home.name too_long"), nullable: true, type: nil),
  ]

  /// What is read when the field is null.
  var cleared: Edit {
    switch field {
    case "reason": Edit(reason: .set(nil))
    case "limit": Edit(limit: .set(nil))
    case "ratio": Edit(ratio: .set(nil))
    case "isPublic": Edit(isPublic: .set(nil))
    case "end": Edit(end: .set(nil))
    case "colour": Edit(colour: .set(nil))
    case "words": Edit(words: .set(nil))
    default: Edit(home: .set(nil))
    }
  }
}

private func decode(_ json: String) throws(Failure) -> Edit { try Edit.decode(Array(json.utf8)) }

private func faults(_ json: String) -> [String] {
  do {
    _ = try decode(json)
    return []
  } catch {
    return error.fields.map { "\($0.field) \($0.code)" }
  }
}

@Suite("A patch (RFC 7396)")
struct PatchTests {
  @Test("A patch without fields keeps them all, and is written as nothing")
  func absent() throws {
    #expect(try decode("{}") == Edit())
    #expect(Edit().json == Array("{}".utf8))
  }

  @Test("A patch sets a field to its value, keeps the others, and is written back the same", arguments: Case.all)
  private func value(_ example: Case) throws {
    let json = #"{"\#(example.field)":\#(example.value)}"#
    let edit = try decode(json)
    #expect(edit == example.edit && edit != Edit())
    #expect(String(decoding: edit.json, as: UTF8.self) == json)
  }

  @Test("A patch with an invalid value is refused with the field's name", arguments: Case.all)
  private func wrong(_ example: Case) {
    #expect(faults(#"{"\#(example.field)":\#(example.wrong.value)}"#) == [example.wrong.fault])
  }

  @Test("A patch clears an optional field by null, and is refused for one that always has a value", arguments: Case.all)
  private func null(_ example: Case) throws {
    let json = #"{"\#(example.field)":null}"#
    guard example.nullable else { return #expect(faults(json) == ["\(example.field) null"]) }
    let edit = try decode(json)
    #expect(edit == example.cleared && edit != Edit())
    #expect(String(decoding: edit.json, as: UTF8.self) == json)
  }

  @Test("A patch names all fields at once that are null and may not be")
  func nulls() {
    let json = "{" + Case.all.map { #""\#($0.field)":null"# }.joined(separator: ",") + "}"
    #expect(faults(json) == Case.all.filter { !$0.nullable }.map { "\($0.field) null" })
  }

  @Test("A patch's fields are optional in the schema, with null where it clears and the limits of the value", arguments: Case.all)
  private func schema(_ example: Case) throws {
    var schemas = Schemas()
    _ = schemas.reference(to: Edit.self)
    let schema = try #require(schemas.components.first { $0.name == Edit.schemaName }?.schema)
    #expect(schema["required"] == nil)
    let field = try #require(schema["properties"]?[example.field])
    #expect(field["description"] != nil)
    if let type = example.type {
      #expect(field["type"] == type)
    } else if example.nullable {
      guard case .array(let choices) = field["anyOf"] else { return #expect(Bool(false), "\(field)") }
      #expect(choices.count == 2 && choices.last == ["type": "null"])
    } else {
      #expect(field["$ref"] != nil)
    }
    if ["count", "limit"].contains(example.field) { #expect(field["maximum"] == 9) }
    if ["title", "reason"].contains(example.field) { #expect(field["maxLength"] == 5) }
  }

  @Test("A patch knows a field's given value, and its value afterwards")
  func applied() {
    #expect(Patch<String>.keep.applied(to: "a") == "a" && Patch.set("b").applied(to: "a") == "b")
    #expect(Patch<String?>.keep.applied(to: "a") == "a" && Patch<String?>.set(nil).applied(to: "a") == nil)
    #expect(Patch<String?>.set("b").applied(to: nil) == "b")
    let given: [String?] = [Patch<String?>.keep.value, Patch<String?>.set(nil).value, Patch<String?>.set("b").value]
    #expect(given == [nil, nil, "b"])
    #expect(Patch<Int>.keep.value == nil && Patch.set(3).value == 3)
  }
}
