import ActivityContract
import ImportFormats
import InProcess
import Operations
import Sampling
import Testing

@Suite("Archives")
struct ArchiveTests {
  private let export = Array(AppleHealthTests.export(AppleHealthTests.record("StepCount", "count", "12")).utf8)

  @Test(
    "Archives of Apple Health are read as a stream: the export at any position and in any language, without other documents"
  )
  func apple() throws {
    let clinical = Array("<?xml version=\"1.0\"?><ClinicalDocument/>".utf8)
    for name in ["apple_health_export/export.xml", "apple_health_export/exportar.xml", "export.xml"] {
      let bytes = try Zip.archive([
        ("apple_health_export/export_cda.xml", clinical), ("apple_health_export/electrocardiograms/a.csv", [0x31]),
        (name, export), ("apple_health_export/workout-routes/r.gpx", Array("<gpx/>".utf8)),
      ])
      let file = try TemporaryFile("export.zip", bytes)
      #expect(try file.file.format() == .appleHealthZip)
      #expect(try file.read().records.samples.map(\.amount) == [12])
    }
  }

  @Test("Archives that unpack beyond the limit are refused before they do")
  func bomb() throws {
    let head = Array("<HealthData>".utf8)
    let bytes = try Zip.archive([("export.xml", head + [UInt8](repeating: 0x20, count: 64 << 20))])
    #expect(bytes.count < 100_000)
    #expect(try TemporaryFile("export.zip", bytes).read().fault == .tooLarge)
  }

  @Test("Archives whose entries do not say their sizes are read, and what lies before the export is ignored")
  func openEnded() throws {
    var generator = SeededGenerator(7)
    let noise = (0..<40_000).flatMap { _ in withUnsafeBytes(of: generator.next(), Array.init) }
    let all: [[(name: String, bytes: [UInt8])]] = [
      [], [("a.bin", noise)], [("a.xml", Array("<a/>".utf8)), ("b.bin", [UInt8](repeating: 0, count: 1 << 20))],
    ]
    for before in all {
      let bytes = try Zip.archive(before + [("export.xml", export)], isStreamed: true)
      #expect(bytes.suffix(400).firstRange(of: [0x50, 0x4B, 0x01, 0x02]) == nil)
      let file = try TemporaryFile("export.zip", bytes)
      #expect(try file.file.format() == .appleHealthZip)
      #expect(try file.read().records.samples.map(\.amount) == [12])
      #expect(try TemporaryFile("export.zip", Array(bytes.dropLast(30))).read().fault == .damaged)
    }
  }

  @Test("Archives whose entries do not say their sizes are refused if one unpacks beyond the limit")
  func openEndedBomb() throws {
    let zeros = [UInt8](repeating: 0x20, count: 32 << 20)
    let all: [[(name: String, bytes: [UInt8])]] = [
      [("a.bin", zeros), ("export.xml", export)], [("export.xml", Array("<HealthData>".utf8) + zeros)], [("a.xml", zeros)],
    ]
    for entries in all {
      let bytes = try Zip.archive(entries, isStreamed: true)
      #expect(bytes.count < 100_000)
      #expect(try TemporaryFile("export.zip", bytes).read().fault == .tooLarge)
    }
  }

  @Test("Archives with more entries than any export are refused")
  func manyEntries() throws {
    let entries = [(name: String, bytes: [UInt8])](repeating: ("a.txt", []), count: 200_001)
    let bytes = try Zip.archive(entries + [("export.xml", export)], options: "zip:compression=store")
    #expect(try TemporaryFile("export.zip", bytes).read().fault == .tooLarge)
  }

  @Test("Archives of Loop whose rows have no end are refused before they are read")
  func endlessRow() throws {
    let marks = Array("Date,".utf8) + [UInt8](repeating: 0x41, count: 4 << 20)
    let bytes = try Zip.archive([("Habits.csv", Array(LoopTests.columns.utf8)), ("Checkmarks.csv", marks)])
    #expect(try TemporaryFile("loop.zip", bytes).read().fault == .damaged)
  }

  @Test("Archives within archives are not unpacked")
  func nested() throws {
    let inner = try Zip.archive([("export.xml", export)])
    let bytes = try Zip.archive([("export.zip", inner), ("readme.xml", Array("<a/>".utf8))])
    #expect(try TemporaryFile("export.zip", bytes).read().fault == .noExport)
  }

  @Test("Archives that are encrypted are refused")
  func encrypted() throws {
    let bytes = try Zip.archive([("export.xml", export)], options: "zip:encryption=traditional")
    #expect(try TemporaryFile("export.zip", bytes).read().fault == .encrypted)
  }

  @Test("Archives that are damaged or cut off are refused where they are")
  func damaged() throws {
    let many = (0..<2000).map { AppleHealthTests.record("StepCount", "count", "\($0 * 7919 % 10_007)") }
    var bytes = try Zip.archive([("export.xml", Array(AppleHealthTests.export(many.joined()).utf8))])
    for index in 10_000..<min(bytes.count - 300, 10_200) { bytes[index] ^= 0x5A }
    let (records, fault) = try TemporaryFile("export.zip", bytes).read()
    #expect(fault == .damaged && records.samples.count < 2000)
    #expect(try TemporaryFile("export.zip", Array(bytes.prefix(20))).read().fault == .damaged)
    #expect(try TemporaryFile("a.zip", [0x50, 0x4B, 0x03, 0x04]).read().fault == .damaged)
  }

  @Test("Archives of other things are refused")
  func others() throws {
    let bytes = try Zip.archive([("word/document.xml", Array("<w:document xmlns:w=\"w\"/>".utf8)), ("Habits.csv", [0x31])])
    #expect(try TemporaryFile("a.docx", bytes).read().fault == .noExport)
  }
}
