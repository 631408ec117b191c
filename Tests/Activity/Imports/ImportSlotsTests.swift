import ActivityContract
import ImportFormats
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Imports of several accounts", .timeLimit(.minutes(2)))
struct ImportSlotsTests {
  private static let large = CreateImport.Input(name: "a.csv", totalBytes: ImportLimits.largeBytes + 1)
  private static let small = CreateImport.Input(name: "a.csv", totalBytes: ImportLimits.largeBytes)
  private static let largeArchive = CreateImport.Input(name: "a.zip", totalBytes: ImportLimits.largeArchiveBytes + 1)

  /// Notes a file as complete, which is not there; returns how the store has it.
  private static func waiting(
    _ input: CreateImport.Input, of account: AccountID, as format: ImportFormat = .fitbitHours, _ store: Store
  ) async throws -> ImportRow {
    try await store.write { transaction in
      let made = try ImportStore.create(input, of: account, ImportLimits(Settings([:])), transaction)
      _ = try ImportStore.note(received: input.totalBytes, after: 0, of: made.id, account, transaction)
      try ImportStore.accept(made.id, as: format, transaction)
      return try ImportStore.find(made.id, of: account, in: transaction.database)
    }
  }

  @Test(
    "Imports are read in parallel: at most three, one for each account, and no more than two large ones"
  )
  func slots() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let store = services.store(of: .activity)
      // The service's own runner has looked for the last time: no signal is sent for what follows.
      _ = try await services.register().upload("a.csv", [1])
      let people = (0..<5).map { _ in AccountID() }
      var rows: [ImportRow] = []
      for (person, input, format) in [
        (0, Self.large, ImportFormat.fitbitHours), (0, Self.small, .fitbitHours), (1, Self.largeArchive, .appleHealthZip),
        (2, Self.large, .fitbitHours), (3, Self.small, .fitbitHours), (4, Self.small, .fitbitHours),
      ] {
        rows.append(try await Self.waiting(input, of: people[person], as: format, store))
      }
      #expect(rows.map(\.isLarge) == [true, false, true, true, false, false])
      let all = rows
      var slots = ImportSlots()
      func next() async throws -> Int? {
        let now = slots
        let row = try await store.read { try ImportStore.next(beside: now, in: $0) }
        return row.flatMap { row in all.firstIndex { $0.id == row.id } }
      }
      // The first one's second file waits for the first, the third large one for a slot, the small one of another passes them.
      for expected in [0, 2, 4] {
        #expect(try await next() == expected)
        slots.begin(rows[expected])
      }
      #expect(try await next() == nil)
      slots.end(rows[4])
      try await store.write { try ImportStore.end(all[4].id, .cancelled, $0) }
      #expect(try await next() == 5)
      slots.begin(rows[5])
      slots.end(rows[0])
      // Whoever has waited longest, once there is room.
      #expect(try await next() == 0)
      try await store.write { try ImportStore.end(all[0].id, .cancelled, $0) }
      #expect(try await next() == 1)
      slots.begin(rows[1])
      slots.end(rows[5])
      try await store.write { try ImportStore.end(all[5].id, .cancelled, $0) }
      #expect(try await next() == 3)
    }
  }

  @Test("Imports of several accounts do not wait for each other: a small one ends while a large one is read")
  func together() async throws {
    let records = 40_000
    let large = Array(
      (RowsTests.fitbit
        + (0..<records).map { index in
          "1,\(1 + index / 24 % 12)/\(1 + index / 288 % 28)/\(2010 + index / 8064) \(index % 24):00,x,7\n"
        }.joined()).utf8)
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let first = try await ana.upload("large.csv", large, chunk: UploadImportChunk.Input.maxBytes)
      _ = try await ana.send(CompleteImport.self, .init(importID: first.id))
      // Another of the same account waits behind it; one of another account does not.
      let second = try await ana.upload("small.csv", Array((RowsTests.fitbit + "1,3/12/2009 0:00,x,7\n").utf8))
      _ = try await ana.send(CompleteImport.self, .init(importID: second.id))
      let other = try await ben.importFile("small.csv", RowsTests.fitbit + "1,3/12/2016 0:00,x,7\n")
      #expect(other.state == .done && other.counts.accepted == 1)
      #expect(try await ana.end(of: first.id).counts.accepted == records)
      #expect(try await ana.end(of: second.id).counts.accepted == 1)
      let ends = try await services.published(by: .activity).filter { $0.name == ImportProgressed.spec.name }
        .map { try ImportProgressed.decode($0.body) }.filter { $0.state == .done }.map(\.importID)
      #expect(ends == [other.id, first.id, second.id])
    }
  }
}
