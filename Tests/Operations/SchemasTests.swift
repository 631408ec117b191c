import Operations
import Testing

private struct Sample: Document {
  var id: String
  var at: Instant
  var count: Int
  static let notes: Notes = ["id": Note("Its id.", length: 1...64), "at": "When.", "count": Note("How many.", range: 0...10)]
}

private struct Batch: Document {
  var samples: [Sample]
  var note: String?
  var username: Username
  static let notes: Notes = ["samples": Note("The samples.", items: 1...1000), "note": "A note.", "username": "Whose."]
}

@Suite("Schemas")
struct SchemasTests {
  @Test("Schemas are recorded from the same declaration that decodes")
  func recorded() throws {
    var schemas = Schemas()
    let reference = schemas.reference(to: Page<Batch>.self)
    #expect(reference["$ref"] == "#/components/schemas/BatchPage")
    #expect(schemas.components.map(\.name) == ["BatchPage", "Batch", "Sample"])
    let batch = try #require(schemas.components.first { $0.name == "Batch" }?.schema)
    #expect(batch["required"] == ["samples", "username"])
    #expect(batch["properties"]?["samples"]?["maxItems"] == 1000)
    #expect(batch["properties"]?["samples"]?["items"] == ["$ref": "#/components/schemas/Sample"])
    #expect(batch["properties"]?["username"]?["pattern"] != nil)
    let sample = try #require(schemas.components.first { $0.name == "Sample" }?.schema)
    #expect(sample["properties"]?["at"]?["format"] == "date-time")
    #expect(sample["properties"]?["count"]?["maximum"] == 10)
    #expect(sample["additionalProperties"] == false)
  }
}
