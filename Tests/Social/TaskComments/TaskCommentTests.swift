import GRDB
import InProcess
import NotificationsContract
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Comments on tasks (TASK-2)")
struct TaskCommentTests {
  private func comments(on task: SharedTask, for person: Person) async throws -> [TaskComment] {
    try await person.send(ListTaskComments.self, .init(taskID: task.id)).items
  }

  @Test("UC5: a participant's comment is shown to all in the task and in the list, newest last")
  func create() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let first = try await ben.comment("Which colour?\nBlue?", on: task)
      let second = try await ana.comment("Green", on: task)
      #expect(first.author.accountID == ben.id && first.text?.description == "Which colour?\nBlue?" && !first.isFolded)
      for person in people {
        let details = try await person.details(of: task)
        #expect(details.comments.map(\.id) == [first.id, second.id] && !details.hasEarlierComments)
        #expect(try await comments(on: task, for: person) == details.comments)
      }
    }
  }

  @Test("UC5, alternative: a comment that failed is repeated with its idempotency key and is there once")
  func once() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let task = try await services.makeTask(by: people[0], with: [people[1]])
      let first = try await people[1].comment("Which colour?", on: task, key: "one")
      #expect(try await people[1].comment("Which colour?", on: task, key: "one") == first)
      #expect(try await comments(on: task, for: people[0]).count == 1)
      #expect(try await services.published(TaskCommentCreated.self).count == 2)
    }
  }

  @Test(
    "UC5, alternative: a comment that was not added, or may not have been, fails with a matching text in both languages",
    arguments: Language.allCases)
  func words(language: Language) throws {
    let (words, name) = (Words(Contract.social.words), CreateTaskComment.spec.name)
    let refused = language == .english ? "Your comment could not be added" : "No se ha podido añadir tu comentario"
    let unknown =
      language == .english ? "It is not known whether your comment was added" : "No se sabe si tu comentario se ha añadido"
    for code in [RequestFailure.overloaded, .storageFull, .storageReadOnly, .rateLimited] {
      #expect(words.text("failure.\(code.rawValue).\(name)", language)?.hasPrefix(refused) == true, "\(code)")
    }
    for code in [RequestFailure.unavailable, .internalError, .timedOut] {
      #expect(words.text("failure.\(code.rawValue).\(name)", language)?.hasPrefix(unknown) == true, "\(code)")
    }
  }

  @Test(
    "UC5, alternative: an invalid comment is refused with its field and rule",
    arguments: [
      ("", "empty"), (" \n ", "empty"), (String(repeating: "x", count: 2001), "too_long"), ("a\u{7}", "control_character"),
    ])
  func faults(text: String, rule: String) throws {
    let failure = #expect(throws: Failure.self) {
      _ = try CreateTaskComment.Input.decode(
        Array(#"{"taskID":"\#(ID<SharedTask>())","text":\#(JSON.string(text).text)}"#.utf8))
    }
    #expect(failure?.fields.map { "\($0.field) \($0.code)" } == ["text \(rule)"])
  }

  @Test(
    "A removed comment's notification names its author, and shows its text again when it is restored"
  )
  func restored() async throws {
    try await ServicesInProcess.withPeople(2, notified: true) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      let comment = try await ben.comment("you fool", on: task)
      let (store, name) = (services.store(of: .social), try services.usernames(of: [ben])[0])
      // As moderators do.
      try await store.write { transaction in
        let stored = try #require(try TaskStore.find(task.id, in: transaction.database))
        try TaskCommentStore.remove(comment, from: stored, transaction)
      }
      let removed = try #require(try await services.notices(of: ana).first)
      #expect(removed.kind.rawValue == "taskCommentRemoved" && removed.text == "A comment by \(name) on “Paint” was removed.")
      try await store.write { transaction in
        let stored = try #require(try TaskStore.find(task.id, in: transaction.database))
        try TaskCommentStore.restore(comment, try #require(comment.text), in: stored, transaction)
      }
      let restored = try #require(try await services.notices(of: ana).first)
      #expect(restored.kind.rawValue == "taskCommentRestored" && restored.text == "\(name) on “Paint”: you fool")
      #expect(try await services.notices(of: ana).count == 1)
      #expect(try await services.published(TaskCommentRestored.self).map(\.accountID).count == 2)
    }
  }

  @Test("The list of comments goes from the newest page to the first, each with its newest comment last")
  func pages() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let task = try await services.makeTask(by: people[0], with: [people[1]])
      for number in 0..<25 { _ = try await people[number % 2].comment("\(number)", on: task) }
      let details = try await people[0].details(of: task)
      #expect(details.comments.map(\.text?.description) == (5..<25).map { "\($0)" } && details.hasEarlierComments)
      var (texts, cursor): ([[String?]], PageCursor?) = ([], nil)
      repeat {
        let page = try await people[0].send(ListTaskComments.self, .init(taskID: task.id, limit: 10, cursor: cursor))
        texts.append(page.items.map(\.text?.description))
        cursor = page.nextCursor
      } while cursor != nil
      #expect(texts == [15..<25, 5..<15, 0..<5].map { $0.map { "\($0)" } })
    }
  }

  @Test("Each participant gets their own event for a comment, as they see it, for live delivery")
  func events() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      try await eva.block(ben)
      let comment = try await ben.comment("Which colour?", on: task)
      let events = try await services.published(TaskCommentCreated.self)
      #expect(Set(events.map(\.accountID)) == [ana.id, ben.id, eva.id] && events.allSatisfy { $0.comment.id == comment.id })
      #expect(events.filter { $0.comment.isFolded }.map(\.accountID) == [eva.id])
      #expect(TaskCommentCreated.spec.isLive && TaskCommentRemoved.spec.isLive && TaskChanged.spec.isLive)
      // Who has left has none.
      try await eva.optOut(of: task)
      _ = try await ben.comment("Blue?", on: task)
      #expect(try await services.published(TaskCommentCreated.self).suffix(2).allSatisfy { $0.accountID != eva.id })
    }
  }

  @Test("Comments by accounts that the reader has blocked are folded for that reader only")
  func folded() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      _ = try await ben.comment("Which colour?", on: task)
      _ = try await ana.comment("Blue", on: task)
      try await ana.block(ben)
      #expect(try await comments(on: task, for: ana).map(\.isFolded) == [true, false])
      #expect(try await ana.details(of: task).comments.map(\.isFolded) == [true, false])
      for person in [ben, eva] { #expect(try await comments(on: task, for: person).map(\.isFolded) == [false, false]) }
    }
  }

  @Test("Participants are notified of comments in their own language, except of those by accounts separated by a block")
  func notices() async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, leo) = (people[0], people[1], people[2])
      let eva = try await services.register(language: .spanish)
      let name = try services.usernames(of: [ben])[0]
      let task = try await services.makeTask("Paint", by: ana, with: [ben, eva, leo])
      try await leo.block(ben)
      try await services.hasReceived(.notifications, of: .social)
      let comment = try await ben.comment("Which\ncolour?", on: task)
      func texts(_ person: Person) async throws -> [String] {
        try await services.notices(of: person).filter { $0.links.taskCommentID != nil }.map(\.text)
      }
      #expect(try await texts(ana) == ["\(name) on “Paint”: Which colour?"])
      #expect(try await texts(eva) == ["\(name) en «Paint»: Which colour?"])
      for person in [ben, leo] { #expect(try await texts(person) == []) }
      let links = try #require(try await services.notices(of: ana).first).links
      #expect(links.taskID?.bytes == task.id.bytes && links.accountID == ben.id)
      // Nothing of what it said is left in the notification when it is removed.
      _ = try await ben.send(RemoveTaskComment.self, .init(taskID: task.id, commentID: comment.id))
      #expect(try await texts(ana) == ["A comment by \(name) on “Paint” was removed."])
    }
  }

  @Test("Only its author can remove a comment, repeatably: its text is gone, and its position stays")
  func remove() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      let other = try await services.makeTask(by: ben)
      let comment = try await ben.comment("PLANTED", on: task)
      let input = RemoveTaskComment.Input(taskID: task.id, commentID: comment.id)
      #expect(try await ana.failure(RemoveTaskComment.self, input) == "forbidden")
      #expect(
        try await ben.failure(RemoveTaskComment.self, .init(taskID: other.id, commentID: comment.id)) == "not_found")
      _ = try await ben.send(RemoveTaskComment.self, input)
      let events = try await services.published(TaskCommentRemoved.self)
      #expect(Set(events.map(\.accountID)) == [ana.id, ben.id])
      _ = try await ben.send(RemoveTaskComment.self, input)
      #expect(try await services.published(TaskCommentRemoved.self).count == 2)
      let left = try await comments(on: task, for: ana)
      #expect(left.map(\.id) == [comment.id] && left[0].text == nil && left[0].removedAt != nil)
    }
  }

  @Test("A completed task can be commented on, and a cancelled one not; strangers and former participants find no comments")
  func closed() async throws {
    try await ServicesInProcess.withPeople(4) { services, people in
      let (ana, ben, eva, mia) = (people[0], people[1], people[2], people[3])
      let task = try await services.makeTask(by: ana, with: [ben, eva])
      let comment = try await ana.comment("Which colour?", on: task)
      try await eva.optOut(of: task)
      for person in [eva, mia] {
        let input = CreateTaskComment.Input(taskID: task.id, text: try ChatText(text: "Me, too"))
        #expect(try await person.failure(CreateTaskComment.self, input) == "not_found")
        #expect(try await person.failure(ListTaskComments.self, .init(taskID: task.id)) == "not_found")
        let removal = RemoveTaskComment.Input(taskID: task.id, commentID: comment.id)
        #expect(try await person.failure(RemoveTaskComment.self, removal) == "not_found")
      }
      for person in [ana, ben] { try await person.confirm(task) }
      _ = try await ben.comment("Well done", on: task)
      let cancelled = try await services.makeTask(by: ana, with: [ben])
      _ = try await ana.send(CancelTask.self, .init(taskID: cancelled.id))
      let late = CreateTaskComment.Input(taskID: cancelled.id, text: try ChatText(text: "Why?"))
      #expect(try await ben.failure(CreateTaskComment.self, late) == "task_cancelled")
      let newcomer = try await services.register(isVerified: false)
      let open = try await services.makeTask(by: ana, with: [newcomer])
      let early = CreateTaskComment.Input(taskID: open.id, text: try ChatText(text: "Hello"))
      #expect(try await newcomer.failure(CreateTaskComment.self, early) == "verification_required")
    }
  }

  @Test("Comments count among their author's bytes until they are removed")
  func space() async throws {
    let text = String(repeating: "a\u{0301}\u{0302}\u{0303}", count: 2000)
    let fitting = (1 << 20) / text.utf8.count
    try await ServicesInProcess.withPeople(2, settings: ["racha.tasks.bytesPerAccount": "\(1 << 20)"]) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ben, with: [ana])
      var comments: [TaskComment] = []
      for _ in 0..<fitting { comments.append(try await ana.comment(text, on: task)) }
      let next = CreateTaskComment.Input(taskID: task.id, text: try ChatText(text: text))
      #expect(try await ana.failure(CreateTaskComment.self, next) == "task_space_full")
      _ = try await ana.send(RemoveTaskComment.self, .init(taskID: task.id, commentID: comments[0].id))
      #expect(try await ana.failure(CreateTaskComment.self, next) == nil)
    }
  }

  @Test("A deleted account's comments are hidden from others at once")
  func erasure() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      _ = try await ben.comment("PLANTED", on: task)
      let own = try await ana.comment("Blue", on: task)
      try await services.delete(ben, receivedBy: .social)
      #expect(try await comments(on: task, for: ana).map(\.id) == [own.id])
      let store = services.store(of: .social)
      #expect(try await store.traces(of: ben.id).filter { $0.hasPrefix("task") } == [])
      try await store.clean()
      #expect(!String(decoding: try services.storedBytes(), as: UTF8.self).contains("PLANTED"))
      #expect(try await store.erasedCounts(of: ben.id).contains("taskComments 1"))
    }
  }

  @Test("The list of comments reads along an index, and its first page takes at most 10 ms among 10,000 as among 1,000")
  func speed() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let task = try await services.makeTask(by: ana, with: [ben])
      let sql = TaskCommentStore.listSQL.replacing(/:[a-z]+/, with: "'a'")
      let steps = try await services.store(of: .social).read {
        try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
      }
      #expect(!steps.contains { $0.hasPrefix("SCAN c") || $0.hasPrefix("SCAN a") || $0.contains("TEMP B-TREE") }, "\(steps)")
      let (id, account) = (task.id, ben.id)
      var times: [Duration] = []
      for count in [1000, 9000] {
        try await services.store(of: .social).write {
          try $0.database.execute(
            sql: """
              WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
              INSERT INTO task_comments (comment_id, task_id, account_id, text, created_at)
              SELECT randomblob(16), ?, ?, 'Comment ' || i, 0 FROM n
              """, arguments: [count, id, account])
        }
        let reader = ana.id
        var best = Duration.seconds(60)
        for _ in 0..<5 {
          let time = try await services.store(of: .social).read { database in
            try ContinuousClock().measure { _ = try TaskCommentStore.latest(of: id, for: reader, in: database) }
          }
          best = min(best, time)
        }
        times.append(best)
      }
      #expect(times[1] < .milliseconds(10) && times[1] < times[0] * 3 + .milliseconds(1), "\(times)")
    }
  }
}
