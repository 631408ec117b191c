import ActivityContract
import ActivityService
import Foundation
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@Suite("Photos of entries (ACT-8; T UC 02.01)")
struct EntryPhotoTests {
  private func running(
    _ body: (ServicesInProcess, Person, EntryName) async throws -> Void
  ) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let name = EntryName(activityID: try await ana.makeActivity().id, day: .today)
      _ = try await ana.send(RecordEntry.self, .init(activityID: name.activityID, day: .today, isDone: true))
      try await body(services, ana, name)
    }
  }

  private func put(_ person: Person, _ name: EntryName, _ content: Base64Bytes) async throws -> String? {
    try await person.send(PutEntryPhoto.self, .init(activityID: name.activityID, day: name.day, content: content)).photoTag
  }

  @Test("An entry's new photo replaces the old one under another tag, and the same picture has the same tag")
  func replaced() async throws {
    try await running { services, ana, name in
      let first = try await put(ana, name, try Snapshots.png())
      let second = try await put(ana, name, try Snapshots.jpeg())
      #expect(first != second && first?.count == 32)
      #expect(try await ana.send(GetEntryPhoto.self, name).mediaType == "image/jpeg")
      #expect(try await put(ana, name, try Snapshots.png()) == first)
      #expect(try await services.store(of: .activity).rows("entry_photos") == 1)
    }
  }

  @Test("An entry's photo keeps neither its location nor its other metadata, not even in the store")
  func metadata() async throws {
    try await running { services, ana, name in
      let sent = try Snapshots.jpeg()
      #expect(Data(sent.bytes).range(of: Data("PLANTED-SECRET".utf8)) != nil)
      _ = try await put(ana, name, sent)
      let photo = try await ana.send(GetEntryPhoto.self, name).content.bytes
      var kept = Data(photo)
      for file in try FileManager.default.contentsOfDirectory(atPath: services.home.stores) {
        kept += try Data(contentsOf: URL(fileURLWithPath: "\(services.home.stores)/\(file)"))
      }
      for trace in ["PLANTED-SECRET", "Exif"] { #expect(kept.range(of: Data(trace.utf8)) == nil, "\(trace)") }
    }
  }

  @Test("An entry's unacceptable photo is refused with its rule, and the one before stays")
  func refused() async throws {
    try await running { _, ana, name in
      let kept = try await put(ana, name, try Snapshots.png())
      let cases: [(Base64Bytes, String)] = [
        (Snapshots.tooLarge, "picture_too_large"), (Base64Bytes(Array("GIF89a".utf8)), "picture_unknown"),
        (Base64Bytes([]), "picture_unknown"), (Base64Bytes(Array(try Snapshots.png().bytes.dropLast(20))), "picture_damaged"),
        (try Snapshots.file("moving.png"), "picture_moves"),
      ]
      for (content, code) in cases {
        let input = PutEntryPhoto.Input(activityID: name.activityID, day: name.day, content: content)
        #expect(try await ana.refusedFields(PutEntryPhoto.self, input) == ["content \(code)"])
      }
      #expect(try await ana.send(GetEntryPhoto.self, name).tag == kept)
    }
  }

  @Test("Removing a photo can be repeated, and the entry stays")
  func removed() async throws {
    try await running { services, ana, name in
      _ = try await put(ana, name, try Snapshots.png())
      for _ in 0..<2 {
        let entry = try await ana.send(DeleteEntryPhoto.self, name)
        #expect(entry.isDone && entry.photoTag == nil)
      }
      #expect(try await ana.failure(GetEntryPhoto.self, name) == "not_found")
      #expect(try await services.store(of: .activity).rows("entry_photos") == 0)
    }
  }

  @Test("A photo cannot be added where no entry is recorded")
  func withoutEntry() async throws {
    try await running { _, ana, name in
      let other = EntryName(activityID: try await ana.makeActivity(title: "Other").id, day: .today)
      let input = PutEntryPhoto.Input(activityID: other.activityID, day: .today, content: try Snapshots.png())
      #expect(try await ana.failure(PutEntryPhoto.self, input) == "entry_not_found")
      #expect(try await ana.failure(DeleteEntryPhoto.self, other) == "entry_not_found")
    }
  }
}
