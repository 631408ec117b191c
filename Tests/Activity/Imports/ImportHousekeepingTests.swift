import ActivityContract
import BuiltPrograms
import Foundation
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("What is kept of imports, and for how long")
struct ImportHousekeepingTests {
  @Test("A file without a new chunk for 24 hours is removed, and its import has ended; a chunk begins the time anew")
  func expired() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let housekeeping = ImportHousekeepingWorker(
        store: services.store(of: .activity), spool: ImportSpool(services.home, program: BuiltProgram.activity))
      let made = try await ana.send(CreateImport.self, .init(name: "a.csv", totalBytes: 3))
      func send(_ offset: Int) async throws {
        let content = Base64Bytes([UInt8(offset)])
        _ = try await ana.send(UploadImportChunk.self, .init(importID: made.id, offset: offset, content: content))
      }
      func state(_ now: String) async throws -> ImportState {
        try services.clock.set(now)
        try await housekeeping.keep()
        return try await ana.send(GetImport.self, .init(importID: made.id)).state
      }
      try await send(0)
      #expect(try await state("2026-11-22T11:59:59.000Z") == .uploading)
      try await send(1)
      #expect(try await state("2026-11-23T11:59:58.000Z") == .uploading)
      #expect(FileManager.default.fileExists(atPath: "\(services.home.path)/imports/\(ana.id)"))
      #expect(try await state("2026-11-23T12:00:00.000Z") == .failed)
      #expect(try await ana.send(GetImport.self, .init(importID: made.id)).reason == .expired)
      #expect(!FileManager.default.fileExists(atPath: "\(services.home.path)/imports/\(ana.id)"))
    }
  }

  @Test("The last 100 imports of an account are remembered, and none of another's is forgotten for them")
  func forgotten() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let bens = try await ben.send(CreateImport.self, .init(name: "b", totalBytes: 1))
      _ = try await ben.send(CancelImport.self, .init(importID: bens.id))
      var made: [ImportID] = []
      for number in 0..<103 {
        let one = try await ana.send(CreateImport.self, .init(name: "\(number)", totalBytes: 1))
        _ = try await ana.send(CancelImport.self, .init(importID: one.id))
        made.append(one.id)
      }
      #expect(try await ana.send(ListImports.self, .init(limit: 100)).items.map(\.id) == made.suffix(100).reversed())
      #expect(try await ana.failure(GetImport.self, .init(importID: made[2])) == "import_not_found")
      #expect(try await ben.send(GetImport.self, .init(importID: bens.id)).state == .cancelled)
    }
  }
}
