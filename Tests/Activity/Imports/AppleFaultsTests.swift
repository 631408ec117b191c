import ActivityContract
import ActivityService
import ImportFormats
import InProcess
import Operations
import Testing

@Suite("Apple Health's exports that break the rules of XML (MOVE-3)")
struct AppleFaultsTests {
  /// The document type of iOS 16, "HealthKit Export Version: 12": one declaration has no end, others stand within it, one `>` is too many.
  private static let type = """
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 12 -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Workout|VisionPrescription)*)>
    <!ATTLIST HealthData
      locale CDATA #REQUIRED
    >
    <!ELEMENT VisionPrescription ((RightEye|LeftEye|Attachment|MetadataEntry)*)>
    <!ATTLIST VisionPrescription
      type             CDATA #REQUIRED
      brand            CDATA #IMPLIED
    <!ELEMENT RightEye EMPTY>
    <!ATTLIST RightEye
      sphere           CDATA #IMPLIED
    <!ELEMENT LeftEye EMPTY>
      device           CDATA #IMPLIED
    <!ELEMENT MetadataEntry EMPTY>
    >
    ]>
    """

  private static func export(_ type: String, _ records: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(type)\n<HealthData locale=\"en_US\">\n\(records)\n</HealthData>\n"
  }

  @Test("Apple's export of iOS 16 is read, though its document type breaks the rules, with the lines that its records have")
  func documentType() throws {
    let text = Self.export(Self.type, "\(AppleHealthTests.record("StepCount", "count", "777"))\n<Record/>")
    let file = try TemporaryFile("export.xml", text)
    #expect(try file.file.format() == .appleHealth)
    let (records, fault) = try file.read()
    #expect(fault == nil && records.samples.map(\.amount) == [777] && records.map(\.line) == [21])
    let packed = try TemporaryFile("export.zip", try Zip.archive([("apple_health_export/export.xml", Array(text.utf8))]))
    #expect(try packed.read().records.samples.map(\.amount) == [777])
  }

  @Test("A malformed document type is still refused if it declares entities or is excessively long")
  func unsafe() throws {
    for declaration in [
      "<!ENTITY a \"b\">", "<!ENTITY % a SYSTEM \"x\"> %a;", String(repeating: "<!ELEMENT b (c)>", count: 10_000),
    ] {
      let type = Self.type.replacing("<!ELEMENT RightEye EMPTY>", with: declaration)
      let bytes = Array(Self.export(type, "").utf8)
      let file = try TemporaryFile("export.xml", bytes)
      var fault: FormatFault?
      do throws(FormatFault) {
        let reader = try file.file.reader(.appleHealth, person: nil)
        while try reader.next(maximum: 10) != nil {}
      } catch {
        fault = error
      }
      #expect(fault == .unsafe)
    }
  }

  @Test(
    "A control character in Apple's export is listed with its line and read as a space, and all nineteen days are kept",
    arguments: ["\u{0B}", "&#11;", "&#x0B;", "\u{1}\u{2}", "&#0;", "&#xFFFF;"])
  func control(_ character: String) throws {
    let days = (1...19).map { day in
      let date = day < 10 ? "2026-11-0\(day)" : "2026-11-\(day)"
      return AppleHealthTests.record(
        "StepCount", "count", "\(day)", "\(date) 10:00:00 +0000", "\(date) 10:10:00 +0000",
        source: day == 6 ? "Ana\(character)Watch" : "iPhone")
    }
    let (records, fault) = try TemporaryFile("export.xml", Self.export(Self.type, days.joined(separator: "\n"))).read()
    #expect(fault == nil && records.samples.map(\.amount) == Array(1...19))
    #expect(records.faults == ["26 badCharacter"])
    #expect(records.samples.dropFirst(5).first?.source.name?.hasPrefix("Ana ") == true)
  }

  @Test("An invalid character reference is found wherever a long export is split, and a valid one stays")
  func cuts() throws {
    // Slices are of 64 KiB: each of these lies across the end of one.
    for shift in 0..<14 {
      let padding = String(repeating: " ", count: 65_536 - 20 - shift)
      let record = AppleHealthTests.record("StepCount", "count", "5", source: "A&#11;B&#65;")
      let text = "<HealthData>\(padding)\(record)</HealthData>"
      let moved = text.replacing("<Record type", with: "<Record sourceName=\"A&#11;B&#65;\" type").replacing(
        " sourceName=\"A&#11;B&#65;\" sourceVersion", with: " sourceVersion")
      let (records, fault) = try TemporaryFile("export.xml", moved).read()
      #expect(fault == nil && records.faults == ["1 badCharacter"])
      #expect(records.samples.map(\.source.name) == ["A     BA"], "\(shift)")
    }
  }

  @Test("An archive of Apple Health is recognized by its content, whatever the names of its entries marked as UTF-8")
  func names() throws {
    let export = Array(Self.export(Self.type, AppleHealthTests.record("StepCount", "count", "12")).utf8)
    for name in ["apple_health_export/导出.xml", "apple_health_export/exportação.xml", "експорт.xml"] {
      let bytes = OtherArchives.utf8Zip([
        ("apple_health_export/导出_cda.xml", Array("<?xml version=\"1.0\"?><ClinicalDocument/>".utf8)), (name, export),
      ])
      let file = try TemporaryFile("导出.zip", bytes)
      #expect(try file.file.format() == .appleHealthZip, "\(name)")
      #expect(try file.read().records.samples.map(\.amount) == [12])
    }
  }

  @Test("Apple's malformed exports are imported in a process without rights: iOS 16, control characters, Chinese names")
  func service() async throws {
    let record = AppleHealthTests.record("StepCount", "count", "12", source: "A\u{0B}B")
    let bytes = OtherArchives.utf8Zip([("apple_health_export/导出.xml", Array(Self.export(Self.type, record).utf8))])
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let done = try await ana.importFile("导出.zip", bytes)
      #expect(done.state == .done && done.counts.accepted == 1 && done.counts.rejected == 1)
      #expect(try await ana.problems(of: done.id) == ["21 badCharacter"])
      let again = try await ana.importFile("导出.zip", bytes)
      #expect(again.counts.accepted == 0 && again.counts.repeated == 1)
      #expect(try await ana.steps(from: "2026-11-01", days: 30) == 12)
    }
  }
}
