import ActivityContract
import Foundation
import GRDB
import InProcess
import Operations
import Sampling
import Storage
import Testing

@testable import ActivityService

@Suite("Comments stored in blocks for searching")
struct EntryCommentBlockTests {
  @Test("A filter of trigrams admits every text that its contents contain, and few others")
  func filter() {
    var generator = SeededGenerator(3)
    func text(_ count: Int) -> String {
      String((0..<count).map { _ in "abcdefghijklmnopqrstuvwxyz ñ日🏃".randomElement(using: &generator) ?? "a" })
    }
    var filter = TrigramFilter()
    let texts = (0..<200).map { _ in FoldedText(text(20)).description }
    for text in texts { filter.insert(folded: text) }
    for text in texts {
      let characters = Array(text)
      let first = Int.random(in: 0..<characters.count - 5, using: &generator)
      let part = FoldedText(String(characters[first..<first + 5]))
      let isAdmitted = filter.mayHold(TrigramFilter.bits(of: part))
      #expect(isAdmitted, "\(part)")
    }
    let wrong = (0..<2_000).count { _ in filter.mayHold(TrigramFilter.bits(of: FoldedText("x" + text(6) + "x"))) }
    #expect(wrong < 40, "\(wrong)")
    #expect(TrigramFilter.bits(of: FoldedText("ab")).isEmpty)
    // They are kept in stores.
    #expect(TrigramFilter.bits(of: FoldedText("abcd")) == [6_222, 6_143])
  }

  /// What the store keeps of the account, in the order of keys.
  private func blocks(_ database: Database) throws -> [(first: Int64, count: Int, filter: TrigramFilter?)] {
    try Row.fetchAll(database, sql: "SELECT first_comment, comments, filter FROM entry_comment_blocks ORDER BY first_comment").map
    {
      ($0[0], $0[1], Data.fromDatabaseValue($0[2]).map { TrigramFilter(bytes: Array($0)) })
    }
  }

  @Test("Written, changed and deleted comments leave each block with the right count and a filter of all its comments")
  func changes() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let ana = try await services.register()
      var activities: [ActivityID] = []
      for number in 0..<4 { activities.append(try await ana.makeActivity(title: "\(number)", startDay: "2010-01-01").id) }
      let store = services.store(of: .activity)
      var generator = SeededGenerator(17)
      var comments: [PlantedEntry] = []
      for round in 0..<6 {
        let added = (0..<(round < 3 ? 400 : 20)).compactMap { _ -> PlantedEntry? in
          let day = LocalDay(daysSinceEpoch: Int32.random(in: 18_000..<20_700, using: &generator))
          guard let activity = activities.randomElement(using: &generator),
            !comments.contains(where: { $0.activity == activity && $0.day == day })
          else { return nil }
          let entry = PlantedEntry(
            owner: ana.id, activity: activity, day: day, comment: "comment \(UInt16.random(in: 0 ... .max, using: &generator))")
          comments.append(entry)
          return entry
        }
        try await services.plant(added)
        comments.shuffle(using: &generator)
        let changed = (0..<(round < 3 ? 30 : 0)).map { index in
          comments[index].comment = "changed \(index) \(round)"
          return comments[index]
        }
        let deleted = Array(comments.suffix(round < 3 ? 40 : 150))
        comments.removeLast(deleted.count)
        try await store.write { transaction in
          for entry in changed {
            try EntryCommentStore.keep(entry.comment, of: ana.id, entry.activity, entry.day, in: transaction.database)
          }
          for entry in deleted {
            try transaction.database.run(
              "DELETE FROM entries WHERE activity_id = ? AND day = ?", .id(entry.activity), .day(entry.day))
            try EntryCommentStore.removed(of: ana.id, in: transaction.database)
          }
        }
        let count = comments.count
        try await store.read { database in
          let blocks = try self.blocks(database)
          let kept = try Row.fetchAll(database, sql: "SELECT comment_id, folded FROM entry_comments ORDER BY comment_id")
          #expect(kept.count == count)
          #expect(blocks.reduce(0) { $0 + $1.count } == kept.count)
          for (index, block) in blocks.enumerated() {
            let next = index + 1 < blocks.count ? blocks[index + 1].first : Int64.max
            let own = kept.filter { (block.first..<next).contains($0[0]) }
            #expect(block.count == own.count && block.count <= EntryCommentBlockStore.maxCount)
            guard let filter = block.filter else { continue }
            let missing = own.filter { !filter.mayHold(TrigramFilter.bits(of: FoldedText($0[1]))) }
            #expect(missing.isEmpty)
          }
        }
        // What was changed or deleted is not in any filter that was made since: a text that is nowhere is looked for in few blocks.
        for entry in comments.prefix(3) + changed.prefix(3) {
          #expect(try await ana.history(.init(text: entry.comment)).contains { $0.day == entry.day })
        }
      }
      let left = try await store.read { try self.blocks($0) }
      #expect(left.count > 1 && left.contains { $0.filter != nil })
      // Everything goes with its account.
      try await services.delete(ana, receivedBy: .activity)
      #expect(try await store.rows("entry_comment_blocks") == 0)
    }
  }

  @Test("A search for a text that does not occur reads a small part of many comments")
  func search() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(startDay: "2010-01-01").id
      try await services.plant(
        (0..<3_000).map {
          PlantedEntry(owner: ana.id, activity: walk, day: LocalDay(daysSinceEpoch: 17_000 + Int32($0)), comment: "walked \($0)")
        })
      let (store, account) = (services.store(of: .activity), ana.id)
      for (text, most) in [("xylophone", 512), ("walked 2999", 1_024)] {
        let looked = try await store.read { database in
          let number = try #require(try HistoryAccountStore.number(of: account, in: database))
          let keys = try #require(CommentKey.range(number, CommentKey.days))
          return try EntryCommentBlockStore.count(
            within: keys, of: number, mayHold: TrigramFilter.bits(of: FoldedText(text)), maximum: .max, in: database)
        }
        #expect(looked <= most, "\(text): \(looked)")
      }
      #expect(try await ana.history(.init(text: "WALKED 2999")).count == 1)
      #expect(try await ana.history(.init(text: "alked 12")).count == 111)
    }
  }
}
