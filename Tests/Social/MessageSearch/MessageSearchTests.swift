import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import ServiceKit
@testable import SocialService

@Suite("Search in a conversation (SOC-5)")
struct MessageSearchTests {
  @Test(
    "Search in a conversation finds parts of a text whatever its case and accents",
    arguments: [
      ("café", ["Un CAFÉ con leche"]), ("CAFE", ["Un CAFÉ con leche"]), ("straße", ["Hauptstrasse 7"]),
      ("O  LECHE", []), ("con   leche", ["Un CAFÉ con leche"]), ("smor", ["Smørrebrød?"]), ("100%", ["100% sure"]), ("_", []),
      ("日本", ["日本語で"]), ("\"quoted", ["a \"quoted\" word"]),
    ])
  func found(query: String, texts: [String]) async throws {
    try await ServicesInProcess.withFriends { _, ana, ben in
      for text in ["Un CAFÉ con leche", "Hauptstrasse 7", "Smørrebrød?", "100% sure", "日本語で", "a \"quoted\" word"] {
        _ = try await ana.write(text, to: ben)
      }
      #expect(try await ben.search(query, with: ana) == texts)
    }
  }

  @Test("Search in a conversation finds the messages of both, newest first, page by page, and of no other conversation")
  func pages() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let eva = try await services.register()
      try await services.befriend(ana, eva)
      _ = try await ana.write("match of another", to: eva)
      for number in 0..<7 {
        _ = try await (number % 2 == 0 ? ana : ben).write("match \(number)", to: number % 2 == 0 ? ben : ana)
        _ = try await ana.write("other", to: ben)
      }
      var input = SearchMessages.Input(accountID: ben.id, query: try MessageQuery(text: "MATCH"), limit: 3)
      var found: [String?] = []
      while true {
        let page = try await ana.send(SearchMessages.self, input)
        found += page.items.map(\.text?.description)
        guard let next = page.nextCursor else { break }
        input.cursor = next
      }
      #expect(found == (0..<7).reversed().map { "match \($0)" })
    }
  }

  @Test("Search in a conversation finds an edited message only by its new text, and none of an erased account")
  func changes() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let message = try await ana.write("before", to: ben)
      _ = try await ben.write("answer before", to: ana)
      _ = try await ana.send(EditMessage.self, .init(messageID: message.id, text: ChatText(text: "after")))
      #expect(try await ben.search("before", with: ana) == ["answer before"])
      #expect(try await ben.search("after", with: ana) == ["after"])
      try await services.delete(ana, receivedBy: .social)
      #expect(try await ben.search("after", with: ana) == [])
      #expect(try await ben.search("before", with: ana) == ["answer before"])
      #expect(try await services.store(of: .social).rows("message_texts") == 1)
    }
  }

  @Test("Search in a conversation is open to the two, also as former friends, and unknown to strangers")
  func standing() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let eve = try await services.register()
      #expect(try await ana.search("x", with: ben) == [])
      _ = try await ana.write("x", to: ben)
      _ = try await ana.send(RemoveFriend.self, .init(accountID: ben.id))
      #expect(try await ben.search("x", with: ana) == ["x"])
      let query = try MessageQuery(text: "x")
      #expect(try await eve.failure(SearchMessages.self, .init(accountID: ana.id, query: query)) == "not_found")
      #expect(try await eve.failure(SearchMessages.self, .init(accountID: AccountID(), query: query)) == "not_found")
    }
  }

  @Test(
    "Search in a conversation refuses invalid texts with their rule",
    arguments: [
      ("", "empty"), ("  \n", "empty"), ("\u{0301}\u{0302}", "empty"), (String(repeating: "x", count: 101), "too_long"),
    ])
  func refused(query: String, rule: String) async throws {
    try await ServicesInProcess.withFriends { _, ana, ben in
      var body: JSON = ["accountID": .string(ben.id.description)]
      body["query"] = .string(query)
      let json = body.bytes
      let failure = await #expect(throws: Failure.self) {
        let _: Page<ChatMessage> = try await ana.send(SearchMessages.self, json: json)
      }
      #expect(failure?.fields.map { "\($0.field) \($0.code)" } == ["query \(rule)"])
    }
  }

  @Test(
    "Search in a conversation reads a limited number of messages for each page, and continues after them", arguments: 1...8)
  func bounded(maxSearched: Int) async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      for number in 0..<7 { _ = try await ana.write(number % 3 == 0 ? "match \(number)" : "other", to: ben) }
      let (one, other) = (ana.id, ben.id)
      let pages = try await services.store(of: .social).read { database in
        let conversation = try #require(try ConversationStore.find(one, other, in: database))
        var (pages, key) = ([[String?]](), String?.none)
        repeat {
          let page = PageRequest(limit: 2, lastKey: key) { try! PageCursor(text: $0) }
          let found = try MessageSearchStore.search("match", of: conversation, page, maxSearched: maxSearched, in: database)
          pages.append(found.items.map(\.text?.description))
          key = found.nextCursor?.description
        } while key != nil && pages.count < 20
        return pages
      }
      #expect(pages.flatMap { $0 } == ["match 6", "match 3", "match 0"])
      #expect(pages.allSatisfy { $0.count <= min(2, maxSearched) })
      #expect(pages.count >= (7 + maxSearched - 1) / maxSearched)
    }
  }

  @Test("A search reads at most a megabyte of texts for a page, whatever their lengths, and finds the rest on further pages")
  func longTexts() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      _ = try await ana.write("needle", to: ben)
      let long = String(repeating: "語", count: 2000)
      let count = 500
      try await services.store(of: .social).write { transaction in
        for _ in 0..<count {
          _ = try MessageStore.add(.init(text: ChatText(text: long), photo: nil), from: ana.id, to: ben.id, transaction)
        }
      }
      var input = SearchMessages.Input(accountID: ben.id, query: try MessageQuery(text: "needle"))
      let first = try await ana.send(SearchMessages.self, input)
      #expect(first.items.isEmpty && first.nextCursor != nil)
      input.cursor = first.nextCursor
      var (found, pages) = ([String?](), 1)
      while true {
        let page = try await ana.send(SearchMessages.self, input)
        (found, pages) = (found + page.items.map(\.text?.description), pages + 1)
        guard let next = page.nextCursor else { break }
        input.cursor = next
      }
      #expect(found == ["needle"] && pages <= 4, "\(pages)")
    }
  }

  @Test("The stored search text takes no more than twice its bytes, whatever its characters")
  func expansion() throws {
    let text = try ChatText(text: String(repeating: "\u{FDFA}", count: 2000))
    #expect(SearchText(text.description).string.utf8.count > 4 * text.bytes)
    #expect((text.bytes...2 * text.bytes).contains(MessageSearchStore.folded(text).utf8.count))
    #expect(MessageSearchStore.folded(try ChatText(text: "Café")) == "cafe")
  }
}
