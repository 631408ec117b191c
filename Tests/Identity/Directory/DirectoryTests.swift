import Foundation
import GRDB
import GRDBSQLite
import IdentityContract
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import IdentityService

@Suite("The directory (ID-14; T UC 04.01)")
struct DirectoryTests {
  @discardableResult
  private func join(
    _ identity: RunningIdentity, _ username: String, _ nickname: String? = nil, isVerified: Bool = true, isListed: Bool = true
  ) async throws -> SignedIn {
    var form = RunningIdentity.form(username)
    form.nickname = nickname.map { FormField(text: $0) }
    _ = try await identity.ask(RegisterAccount.self, form)
    if isVerified { _ = try await identity.ask(VerifyAccount.self, .init(token: try await identity.mailedToken())) }
    let signedIn = try await identity.logIn(username)
    if isListed { try await show(identity, signedIn, .listed) }
    return signedIn
  }

  private func show(_ identity: RunningIdentity, _ signedIn: SignedIn, _ visibility: DirectoryVisibility) async throws {
    _ = try await identity.ask(UpdateSettings.self, .init(directoryVisibility: .set(visibility)), by: .signedIn(signedIn))
  }

  private func search(
    _ identity: RunningIdentity, _ query: String?, by signedIn: SignedIn, limit: Int? = nil, cursor: PageCursor? = nil
  ) async throws -> Page<DirectoryEntry> {
    try await identity.ask(
      SearchDirectory.self, .init(query: try query.map(DirectoryQuery.init(text:)), limit: limit, cursor: cursor),
      by: .signedIn(signedIn))
  }

  private func names(_ identity: RunningIdentity, _ query: String?, by signedIn: SignedIn) async throws -> [String] {
    try await search(identity, query, by: signedIn).items.map(\.username.description)
  }

  @Test(
    "The directory finds an account once by the beginning, a word or a part of its names, in this order (T UC 04.01)"
  )
  func order() async throws {
    try await RunningIdentity.run { identity in
      let zoe = try await join(identity, "zoe")
      try await join(identity, "banana", "Bo")
      try await join(identity, "juan.andres")
      try await join(identity, "andy", "Andy Andersson")
      try await join(identity, "pedro", "Ana Pérez")
      try await join(identity, "ana")
      try await join(identity, "norbert")
      #expect(try await names(identity, "an", by: zoe) == ["ana", "pedro", "andy", "juan.andres", "banana"])
      #expect(try await names(identity, "andr", by: zoe) == ["juan.andres"])
      #expect(try await names(identity, "nan", by: zoe) == ["banana"])
      #expect(try await names(identity, "perez", by: zoe) == ["pedro"])
      #expect(try await names(identity, "xyz", by: zoe).isEmpty)
      #expect(try await names(identity, nil, by: zoe).count == 6)
    }
  }

  @Test("The directory ignores case and accents, those of ñ included")
  func accents() async throws {
    try await RunningIdentity.run { identity in
      let zoe = try await join(identity, "zoe")
      try await join(identity, "munoz", "Íñigo Muñoz")
      for query in ["muñoz", "MUNOZ", "Mun\u{303}oz", "iñi", "INIGO", "go mu", "ñigo", "  ñoz "] {
        #expect(try await names(identity, query, by: zoe) == ["munoz"], "\(query)")
      }
    }
  }

  @Test("The directory treats wildcards and quotes as plain text")
  func literal() async throws {
    try await RunningIdentity.run { identity in
      let zoe = try await join(identity, "zoe")
      try await join(identity, "ana", #"100% "Ana" o'x*"#)
      for query in ["%%", "a%a", "__", "a_a", "**", "an*", "\"\"", "' OR", "--", "0x"] {
        #expect(try await names(identity, query, by: zoe).isEmpty, "\(query)")
      }
      for query in ["0%", "% \"", "\"ana\"", "o'x", "x*"] {
        #expect(try await names(identity, query, by: zoe) == ["ana"], "\(query)")
      }
    }
  }

  @Test("The directory lists only verified accounts that want it, never the caller, and follows changes at once")
  func visibility() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await join(identity, "ana.ruiz")
      let bea = try await join(identity, "bea.ruiz", isListed: false)
      let carla = try await join(identity, "carla.ruiz", isVerified: false)
      #expect(try await names(identity, "ruiz", by: ana).isEmpty)
      #expect(try await names(identity, nil, by: ana).isEmpty)
      #expect(try await names(identity, "ruiz", by: bea) == ["ana.ruiz"])
      try await show(identity, bea, .listed)
      #expect(try await names(identity, "ruiz", by: ana) == ["bea.ruiz"])
      _ = try await identity.ask(VerifyAccount.self, .init(token: try await identity.mailedToken()))
      #expect(try await names(identity, "ruiz", by: ana) == ["bea.ruiz", "carla.ruiz"])
      try await show(identity, bea, .hidden)
      #expect(try await names(identity, "ruiz", by: ana) == ["carla.ruiz"])
      // Of an account that is no more nothing is left behind.
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: "DELETE FROM sessions WHERE account_id = ?", arguments: [carla.account.id])
        try transaction.database.execute(sql: "DELETE FROM accounts WHERE account_id = ?", arguments: [carla.account.id])
      }
      #expect(try await names(identity, "ruiz", by: ana).isEmpty)
      let left = "SELECT count(*) FROM directory_suffixes JOIN directory_entries USING (number) WHERE names <> 'ana.ruiz'"
      #expect(try await identity.count(left) == 0)
      #expect(try await identity.count("SELECT count(DISTINCT number) FROM directory_suffixes") == 1)
    }
  }

  @Test("The directory shows account, username and nickname, and nothing else")
  func fields() async throws {
    try await RunningIdentity.run { identity in
      let zoe = try await join(identity, "zoe")
      let ana = try await join(identity, "ana", "Anita")
      let page = try await search(identity, "ani", by: zoe)
      #expect(page.items == [.init(accountID: ana.account.id, username: ana.account.username, nickname: ana.account.nickname)])
      let text = String(decoding: page.json, as: UTF8.self)
      #expect(!text.contains("@") && !text.contains("email"))
      // The part before the @ is not searched.
      #expect(try await names(identity, "example", by: zoe).isEmpty)
    }
  }

  @Test(
    "The pages of the directory, of at most a hundred, equal the whole list; a cursor fits one search and account"
  )
  func pages() async throws {
    try await RunningIdentity.run { identity in
      let (zoe, eva) = (try await join(identity, "zoe"), try await join(identity, "eva"))
      for number in 0..<7 { try await join(identity, "ana\(number)", number % 2 == 0 ? "Susana Anaya" : nil) }
      let whole = try await search(identity, "ana", by: zoe)
      #expect(whole.items.count == 7 && whole.nextCursor == nil)
      var (items, cursor): ([DirectoryEntry], PageCursor?) = ([], nil)
      repeat {
        let page = try await search(identity, "ana", by: zoe, limit: 2, cursor: cursor)
        items += page.items
        cursor = page.nextCursor
      } while cursor != nil
      #expect(items == whole.items)
      let first = try await search(identity, "ana", by: zoe, limit: 2)
      for (query, searcher) in [("ana", eva), ("sus", zoe)] {
        let refused = try await failure {
          try await search(identity, query, by: searcher, limit: 2, cursor: first.nextCursor)
        }
        #expect(refused.fields.map { "\($0.field) \($0.code)" } == ["cursor invalid_cursor"])
      }
      try await fill(identity, 450)
      for (query, count) in [("person", 450), (nil, 458)] {
        for limit in [30, 200] {
          items = []
          cursor = nil
          repeat {
            let page = try await search(identity, query, by: zoe, limit: limit, cursor: cursor)
            #expect(page.items.count == limit || page.nextCursor == nil)
            items += page.items
            cursor = page.nextCursor
          } while cursor != nil
          #expect(items.count == count && Set(items.map(\.accountID)).count == count)
        }
      }
    }
  }

  @Test(
    "A pending follow request appears beside its account in list and search, with the id that answers it (T UC 04.04)"
  )
  func followRequest() async throws {
    try await RunningIdentity.run { identity in
      let (zoe, ana) = (try await join(identity, "zoe"), try await join(identity, "ana", "Anita"))
      let photo = try Portrait.png()
      let account = try await identity.ask(PutPhoto.self, .init(content: Base64Bytes(photo)), by: .signedIn(ana))
      let id = ID<FollowRequest>()
      try await identity.relate(zoe.account.id, ana.account.id, Relation(followRequestReceivedID: id))
      try await identity.relate(ana.account.id, zoe.account.id, Relation(followRequestSentID: id))
      let expected = DirectoryEntry(
        accountID: ana.account.id, username: try Username(text: "ana"), nickname: try Nickname(text: "Anita"),
        photoURL: PhotoURL(account: ana.account.id, tag: try #require(account.photoTag)),
        relation: Relation(followRequestReceivedID: id))
      for query in [nil, "ana", "nit"] { #expect(try await search(identity, query, by: zoe).items == [expected]) }
      #expect(try await search(identity, nil, by: ana).items.map(\.relation) == [Relation(followRequestSentID: id)])
      // Answered, it is the follow that stands there.
      try await identity.relate(zoe.account.id, ana.account.id, Relation(isFollowedBy: true), revision: 2)
      #expect(try await search(identity, nil, by: zoe).items.map(\.relation) == [Relation(isFollowedBy: true)])
    }
  }

  @Test(
    "The directory shows each account's relation to the caller, so that nobody requests what exists (T UC 04.02)",
    arguments: [
      Relation(), Relation(isFriend: true), Relation(friendRequest: .sent, friendRequestID: ID()),
      Relation(friendRequest: .received, friendRequestID: ID()), Relation(follows: true), Relation(isFollowedBy: true),
      Relation(followRequestSentID: ID()),
    ])
  func relations(relation: Relation) async throws {
    try await RunningIdentity.run { identity in
      let (zoe, ana, eva) = (try await join(identity, "zoe"), try await join(identity, "ana"), try await join(identity, "eva"))
      try await identity.relate(zoe.account.id, ana.account.id, relation)
      #expect(try await search(identity, nil, by: zoe).items.map(\.relation) == [relation, Relation()])
      // What is between two is nobody else's.
      #expect(try await search(identity, nil, by: eva).items.map(\.relation) == [Relation(), Relation()])
    }
  }

  @Test(
    "A blocker and the blocked account do not find each other in list or search, and pages are full (SOC-8; T UC 04.01)"
  )
  func blocks() async throws {
    try await RunningIdentity.run { identity in
      let (zoe, eva) = (try await join(identity, "zoe"), try await join(identity, "eva"))
      var others: [AccountID] = []
      for number in 0..<6 { others.append(try await join(identity, "ana\(number)").account.id) }
      try await identity.block(zoe.account.id, others[1])
      try await identity.block(others[2], zoe.account.id)
      let shown = ["ana0", "ana3", "ana4", "ana5"]
      for query in [nil, "ana", "na"] {
        #expect(try await names(identity, query, by: zoe) == (query == nil ? shown + ["eva"] : shown))
        #expect(try await names(identity, query, by: eva).count == (query == nil ? 7 : 6))
      }
      for other in ["ana1", "ana2"] { #expect(try await names(identity, other, by: zoe).isEmpty) }
      let blocked = try await identity.logIn("ana1")
      #expect(try await names(identity, "zoe", by: blocked).isEmpty)
      let page = try await search(identity, "ana", by: zoe, limit: 2)
      #expect(page.items.map(\.username.description) == ["ana0", "ana3"])
      let next = try await search(identity, "ana", by: zoe, limit: 2, cursor: page.nextCursor)
      #expect(next.items.map(\.username.description) == ["ana4", "ana5"] && next.nextCursor == nil)
      // An end of the block opens the list again, and brings nothing else back.
      try await identity.block(zoe.account.id, others[1], false, revision: 2)
      #expect(try await search(identity, "ana1", by: zoe).items.map(\.relation) == [Relation()])
      #expect(try await names(identity, "zoe", by: blocked) == ["zoe"])
    }
  }

  @Test("The directory leaves out suspended accounts until the suspension ends, and banned ones (SOC-8)")
  func suspensions() async throws {
    try await RunningIdentity.run { identity in
      let zoe = try await join(identity, "zoe")
      let (ana, bea) = (try await join(identity, "ana"), try await join(identity, "bea"))
      let end = identity.time.now.adding(seconds: 60)
      try await identity.suspend(ana.account.id, until: end)
      try await identity.suspend(bea.account.id, until: .endOfTime)
      #expect(try await names(identity, nil, by: zoe).isEmpty)
      // Those who never come back make no search longer.
      #expect(try await identity.count("SELECT count(*) FROM directory_entries WHERE names = 'bea'") == 0)
      identity.time.advance(seconds: 60)
      #expect(try await names(identity, nil, by: zoe) == ["ana"])
      try await identity.suspend(bea.account.id, until: end)
      #expect(try await names(identity, nil, by: zoe) == ["ana", "bea"])
    }
  }

  @Test("The directory is open to accounts with a session, also without a verified address (ID-2), and not to tokens")
  func callers() async throws {
    try await RunningIdentity.run { identity in
      let unverified = try await join(identity, "ana", isVerified: false)
      #expect(try await names(identity, "an", by: unverified).isEmpty)
      let closed = try await identity.logIn("ana")
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(closed))
      let token = Caller(kind: .account, account: unverified.account.id, isVerified: true)
      for (caller, code) in [
        (Caller.signedIn(closed), "session_revoked"), (token, "unauthenticated"), (.person(), "unauthenticated"),
        (.service(.social), "unauthenticated"),
      ] {
        #expect(try await failure { try await identity.ask(SearchDirectory.self, .init(), by: caller) }.code == code)
      }
      #expect(AccessScope(for: SearchDirectory.spec) == nil && SearchDirectory.spec.rate == .search)
    }
  }

  @Test("The directory reports invalid searches by field and rule, in both languages")
  func badFields() async throws {
    try await RunningIdentity.run { identity in
      let zoe = try await join(identity, "zoe")
      let words = Words(Contract.identity.words)
      for (json, expected) in [
        (#"{"query":"a"}"#, ["query too_short"]), (#"{"query":"   "}"#, ["query too_short"]),
        ("{\"query\":\"e\u{301}\"}", ["query too_short"]),
        (#"{"query":"\#(String(repeating: "x", count: 31))"}"#, ["query too_long"]),
        (#"{"query":7,"limit":201,"cursor":"?"}"#, ["query not_a_string", "limit out_of_range", "cursor invalid_cursor"]),
      ] {
        do {
          _ = try await identity.ask(SearchDirectory.self, json: json, by: .signedIn(zoe))
          #expect(expected.isEmpty, "\(json)")
        } catch let refused as Failure {
          #expect(refused.fields.map { "\($0.field) \($0.code)" } == expected)
          for field in refused.fields {
            for language in Language.allCases { #expect(words.text("field.\(field.code)", language, field.parameters) != nil) }
          }
        }
      }
      // Marks alone are nothing to look for, however many they are.
      let marks = try await failure { try await search(identity, "´´", by: zoe) }
      #expect(marks.fields.map(\.code) == ["too_short"])
    }
  }

  @Test("The directory reads along its index, without sorting")
  func plan() async throws {
    try await RunningIdentity.run { identity in
      let plan = try await identity.store.read { database in
        try Row.fetchAll(
          database, sql: "EXPLAIN QUERY PLAN \(DirectoryStore.searchSQL)",
          arguments: [0, "an", -1, -1, "an\u{10FFFF}", AccountID(), 0]
        ).map { $0["detail"] as String }
      }
      #expect(plan.count == 4 && plan.allSatisfy { $0.hasPrefix("SEARCH ") }, "\(plan)")
      #expect(
        plan.last == "SEARCH relations USING PRIMARY KEY (account_id=? AND other_account_id=?) LEFT-JOIN", "\(plan)")
      #expect(
        plan.first == "SEARCH directory_suffixes USING PRIMARY KEY (rank=? AND (suffix,number,offset)>(?,?,?) AND suffix<?)",
        "\(plan)")
      let removal = try await identity.store.read { database in
        try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN DELETE FROM directory_suffixes WHERE number = 1").map {
          $0["detail"] as String
        }
      }
      #expect(removal.allSatisfy { $0.contains("directory_suffixes_by_entry") }, "\(removal)")
    }
  }

  @Test("The directory takes no more work among thousands of accounts than among hundreds")
  func work() async throws {
    try await RunningIdentity.run { identity in
      let zoe = try await join(identity, "zoe")
      try await fill(identity, 300)
      let queries: [String?] = ["an", "person", "maria", "xyzzy", nil]
      var few: [Int] = []
      for query in queries { few.append(try await steps(identity, query, for: zoe.account.id)) }
      try await fill(identity, from: 300, 3_000)
      try await befriendAll(identity, zoe.account.id)
      for (query, few) in zip(queries, few) {
        let many = try await steps(identity, query, for: zoe.account.id)
        #expect(many <= few * 2, "\(query ?? "all"): \(few) steps, then \(many)")
      }
    }
  }

  /// Lets the account be the friend of all others.
  private func befriendAll(_ identity: RunningIdentity, _ account: AccountID) async throws {
    try await identity.store.write { transaction in
      for other in try AccountID.fetchAll(transaction.database, sql: "SELECT account_id FROM accounts") where other != account {
        let event = RelationChanged(
          accountID: account, otherAccountID: other, relation: Relation(isFriend: true), isBlockedByOther: false, revision: 1,
          at: transaction.now)
        try RelationStore.keep(event, transaction)
      }
    }
  }

  /// The steps of SQLite's machine for the first page: a measure of work that nothing else on the machine changes.
  private func steps(_ identity: RunningIdentity, _ query: String?, for searcher: AccountID) async throws -> Int {
    try await identity.store.read { database in
      let search = DirectoryText(query ?? "")
      let statement = try database.cachedStatement(sql: DirectoryStore.searchSQL).sqliteStatement
      sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)
      let hits = try DirectoryStore.search(
        search, behind: .start(DirectoryNames.key(search.scalars)), limit: 50, for: searcher, now: .now, in: database)
      #expect(hits.count == (query == "xyzzy" ? 0 : 50))
      return Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0))
    }
  }

  @Test(
    "The directory answers as fast among a hundred thousand accounts as among a hundred",
    .enabled(if: ProcessInfo.processInfo.environment["RACHA_MEASURE"] == "1", "RACHA_MEASURE is not set"))
  func speed() async throws {
    try await RunningIdentity.run { identity in
      let zoe = try await join(identity, "zoe")
      var from = 0
      var durations: [[Duration]] = []
      for count in [100, 100_000] {
        try await fill(identity, from: from, count)
        from = count
        try await befriendAll(identity, zoe.account.id)
        durations.append([])
        for query in ["an", "person", "son9", "maria", "ez99", "xyzzy", nil] {
          let start = ContinuousClock.now
          for _ in 0..<50 { _ = try await search(identity, query, by: zoe, limit: 50) }
          durations[durations.count - 1].append((ContinuousClock.now - start) / 50)
          print("\(count) accounts, \(query ?? "all"): \(durations.last?.last ?? .zero)")
        }
      }
      // A page of a hundred accounts is not full, so that one of many takes up to twice as long.
      for (few, many) in zip(durations[0], durations[1]) { #expect(many < few * 4) }
      let size = try await identity.count("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
      print("\(size / 1_000_000) MB")
    }
  }

  /// Makes listed accounts, all in a few transactions.
  private func fill(_ identity: RunningIdentity, from first: Int = 0, _ count: Int) async throws {
    let nicknames = ["María Muñoz", "Ana", "José Fernández", "Banana Split", "Íñigo"]
    for part in stride(from: first, to: count, by: 5000) {
      try await identity.store.write { transaction in
        for number in part..<min(part + 5000, count) {
          let id = AccountID()
          try transaction.database.cachedStatement(
            sql: """
              INSERT INTO accounts (account_id, email, email_normalized, username, nickname, password_hash, time_zone, language,
                created_at, verified_at, directory_visibility)
              VALUES (?1, ?2, ?2, ?3, ?4, '$argon2id$', 'UTC', 'en', 1, 1, 'listed')
              """
          ).execute(arguments: [id, "p\(number)@example.com", "person\(number)", nicknames[number % nicknames.count]])
          try DirectoryStore.update(try #require(try AccountStore.find(id, in: transaction.database)), transaction)
        }
      }
    }
  }
}
