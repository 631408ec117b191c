import ActivityContract
import BuiltPrograms
import Foundation
import GRDB
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("How long imports are kept")
struct ImportHousekeepingTests {
  @Test("A file without a new chunk for 24 hours is removed and its import ended; each chunk restarts the time")
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

  @Test("The last 10,000 imports of an account are remembered, and none of another's is forgotten for them")
  func forgotten() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let bens = try await ben.send(CreateImport.self, .init(name: "b", totalBytes: 1))
      _ = try await ben.send(CancelImport.self, .init(importID: bens.id))
      var made: [ImportID] = []
      try await services.store(of: .activity).write { [ana] transaction in
        for number in 0..<Import.maxKept - 100 {
          let bytes = [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
          let id = try #require(ImportID(bytes: bytes))
          try transaction.database.execute(
            sql: """
              INSERT INTO imports (import_id, account_id, name, state, total_bytes, received_bytes, progress, position, taken,
                repeated, refused, days, created_at, touched_at, published_at, ended_at)
              VALUES (?, ?, 'old', 'cancelled', 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1)
              """, arguments: [id, ana.id])
        }
      }
      let oldest = try #require(ImportID(bytes: [UInt8](repeating: 0, count: 16)))
      #expect(try await ana.send(GetImport.self, .init(importID: oldest)).name == "old")
      for number in 0..<103 {
        let one = try await ana.send(CreateImport.self, .init(name: "\(number)", totalBytes: 1))
        _ = try await ana.send(CancelImport.self, .init(importID: one.id))
        made.append(one.id)
      }
      #expect(try await ana.send(ListImports.self, .init(limit: 100)).items.map(\.id) == made.suffix(100).reversed())
      #expect(try await ana.send(GetImport.self, .init(importID: made[0])).name == "0")
      #expect(try await ana.failure(GetImport.self, .init(importID: oldest)) == "import_not_found")
      #expect(try await ben.send(GetImport.self, .init(importID: bens.id)).state == .cancelled)
    }
  }
}
