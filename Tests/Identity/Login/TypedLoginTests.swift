import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Synchronization
import Testing

@testable import IdentityService

@Suite("What waiting times of logins reveal (ID-3)")
struct TypedLoginTests {
  private static let wrong = "Wrong-1-wrong"

  /// Which login is tried after Ana's was locked.
  enum Candidate: CaseIterable {
    case anas, beas, nobodys

    func login(isEmail: Bool) -> String {
      switch self {
      case .anas: isEmail ? "ana@example.com" : "ana"
      case .beas: isEmail ? "bea@example.com" : "bea"
      case .nobodys: isEmail ? "eva@example.com" : "eva"
      }
    }
  }

  /// An answer to an attempt, all of it: nil is being in.
  private func answer(_ identity: RunningIdentity, _ login: String, _ password: String = wrong, from address: String) async throws
    -> Failure?
  {
    do {
      _ = try await identity.logIn(login, password, from: address)
      return nil
    } catch let failure as Failure {
      return failure
    }
  }

  private func codes(_ answers: [Failure?]) -> [String] {
    answers.map { $0.map { "\($0.code) \($0.retryAfterSeconds ?? 0)" } ?? "in" }
  }

  /// The answers to the same attempts at each candidate, in a service of its own where Ana and Bea are.
  private func answers(_ body: (RunningIdentity, Candidate) async throws -> [Failure?]) async throws -> [[Failure?]] {
    var answers: [[Failure?]] = []
    for candidate in Candidate.allCases {
      try await RunningIdentity.run { identity in
        for name in ["ana", "bea"] { try await identity.register(name) }
        answers.append(try await body(identity, candidate))
      }
    }
    return answers
  }

  @Test(
    "While one login of an account is locked, all other logins are answered alike, whether they exist or not",
    arguments: [true, false])
  func alike(isEmail: Bool) async throws {
    let answers = try await answers { identity, candidate in
      for index in 0..<5 {
        try await identity.guess(Candidate.anas.login(isEmail: !isEmail), from: "203.0.113.\(index)")
      }
      let login = candidate.login(isEmail: isEmail)
      var answers: [Failure?] = []
      for index in 0..<7 { answers.append(try await answer(identity, login, from: "198.51.100.\(index)")) }
      for seconds in [29, 1, 59, 1, 120, 3600] {
        identity.time.advance(seconds: seconds)
        for index in 0..<2 { answers.append(try await answer(identity, login, from: "198.51.100.2\(index)")) }
      }
      return answers
    }
    #expect(answers[0] == answers[1] && answers[0] == answers[2])
    let wrong = "wrong_credentials 0"
    #expect(
      codes(answers[0]) == [
        wrong, wrong, wrong, wrong, wrong, "login_locked 30", "login_locked 30", "login_locked 1", "login_locked 1", wrong,
        "login_locked 60", "login_locked 1", "login_locked 1", wrong, "login_locked 120", wrong, "login_locked 240", wrong,
        "login_locked 480",
      ])
  }

  @Test(
    "The wait of an address does not reveal which logins exist: it counts what was typed there", arguments: [true, false])
  func address(isEmail: Bool) async throws {
    let answers = try await answers { identity, candidate in
      var answers: [Failure?] = []
      let logins = [Candidate.anas.login(isEmail: !isEmail), "x.one", "x.two", "x.three"] + [candidate.login(isEmail: isEmail)]
      for login in logins + ["x.four"] { answers.append(try await answer(identity, login, from: "203.0.113.1")) }
      return answers
    }
    #expect(answers[0] == answers[1] && answers[0] == answers[2])
    #expect(codes(answers[0]).suffix(2) == ["wrong_credentials 0", "login_locked 30"])
  }

  @Test(
    "The right password by the other login is refused during the wait, does not prolong it, and afterwards clears all counts",
    arguments: [true, false])
  func rightPassword(isEmail: Bool) async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (locked, other) = (Candidate.anas.login(isEmail: !isEmail), Candidate.anas.login(isEmail: isEmail))
      try await identity.guess(locked, times: 5)
      let sessions = try await identity.count("SELECT COUNT(*) FROM sessions")
      let refused = [
        try await answer(identity, other, from: "198.51.100.1"),
        try await answer(identity, other, RunningIdentity.password, from: "198.51.100.1"),
      ]
      #expect(refused[0] == refused[1] && codes(refused) == ["wrong_credentials 0", "wrong_credentials 0"])
      #expect(try await identity.count("SELECT COUNT(*) FROM sessions") == sessions)
      #expect(try await codes([answer(identity, locked, RunningIdentity.password, from: "198.51.100.1")]) == ["login_locked 30"])
      identity.time.advance(seconds: 30)
      _ = try await identity.logIn(other, from: "198.51.100.1")
      #expect(try await identity.count("SELECT COUNT(*) FROM login_failures") == 0)
      #expect(try await identity.guess(locked, times: 4) == Array(repeating: "wrong_credentials", count: 4))
      _ = try await identity.logIn(other)
    }
  }

  @Test("Only the allowed number of many concurrent guesses by both logins are checked")
  func concurrent() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let codes = try await withThrowingTaskGroup(of: String.self) { group in
        for index in 0..<24 {
          let login = Candidate.anas.login(isEmail: index % 2 == 0)
          group.addTask { try await answer(identity, login, from: "203.0.113.1")?.code ?? "in" }
        }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(codes.filter { $0 == "wrong_credentials" }.count == 10 && codes.filter { $0 == "login_locked" }.count == 14)
      // Five of each login, and five of the account.
      #expect(try await identity.count("SELECT SUM(failures) FROM login_failures") == 15)
      #expect(try await identity.count("SELECT MAX(failures) FROM login_failures") == 5)
    }
  }

  @Test("A restart changes nothing of what waiting times reveal")
  func restart() async throws {
    let answers = try await answers { first, candidate in
      try await first.guess("ana", times: 5, from: "203.0.113.1")
      let login = candidate.login(isEmail: true)
      var answers: [Failure?] = []
      for _ in 0..<3 { answers.append(try await answer(first, login, from: "198.51.100.1")) }
      let second = try await first.restarted()
      answers.append(
        try await answer(second, login, candidate == .anas ? RunningIdentity.password : Self.wrong, from: "198.51.100.1"))
      for _ in 0..<2 { answers.append(try await answer(second, login, from: "198.51.100.1")) }
      answers.append(try await answer(second, "ana", RunningIdentity.password, from: "198.51.100.2"))
      await second.store.close()
      return answers
    }
    #expect(answers[0] == answers[1] && answers[0] == answers[2])
    #expect(codes(answers[0]) == Array(repeating: "wrong_credentials 0", count: 5) + ["login_locked 30", "login_locked 30"])
  }

  @Test(
    "A new username and address inherit the account's wait without revealing it; the former ones keep their typed counts"
  )
  func renamed() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      _ = try await identity.askToChange(own, to: "new@example.com")
      try await identity.guess(times: 5, from: "203.0.113.1")
      _ = try await identity.follow(try await identity.emailChangeMail().token)
      _ = try await identity.ask(UpdateProfile.self, .init(username: .set("anita")), by: .signedIn(own))
      for login in ["anita", "new@example.com"] {
        #expect(
          try await codes([answer(identity, login, RunningIdentity.password, from: "198.51.100.1")]) == ["wrong_credentials 0"])
      }
      #expect(try await codes([answer(identity, "ana", from: "198.51.100.1")]) == ["login_locked 30"])
      identity.time.advance(seconds: 30)
      _ = try await identity.logIn("anita", from: "198.51.100.1")
      #expect(try await codes([answer(identity, "ana", from: "198.51.100.1")]) == ["wrong_credentials 0"])
      #expect(try await codes([answer(identity, "ana", from: "198.51.100.1")]) == ["login_locked 60"])
    }
  }

  @Test("Attempts on a waiting account by its other login count for its incident")
  func incident() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      try await identity.register()
      try await identity.guess("ana", times: 15)
      try await identity.guess("ana@example.com", times: 5)
      let incidents = try await identity.incidents(by: administrator, pattern: .accountGuessed)
      #expect(incidents.map(\.count) == [20] && incidents[0].severity == .critical)
    }
  }

  @Test("A known device is let in by either login during the wait, and recovery ends the wait of both")
  func owner() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let token = try await identity.logIn().deviceToken
      try await identity.guess("ana", times: 5, from: "203.0.113.1")
      try await identity.guess("ana@example.com", times: 5, from: "203.0.113.2")
      for login in ["ana", "ana@example.com"] {
        _ = try await identity.ask(
          LogIn.self, .init(login: login, password: RunningIdentity.password, deviceToken: token), by: .person())
        #expect(try await codes([answer(identity, login, from: "203.0.113.3")]) == ["login_locked 30"])
      }
      try await identity.askToRecover()
      try await identity.recover(try await identity.recoveryToken())
      for login in ["ana", "ana@example.com"] { _ = try await identity.logIn(login, RunningIdentity.otherPassword) }
    }
  }

  @Test("The message of a refusal fits a waiting account's other login, too, in both languages")
  func words() {
    let words = Words([Contract.identity.words[0]])
    #expect(words.text("failure.wrong_credentials", .english)?.contains("too many attempts") == true)
    #expect(words.text("failure.wrong_credentials", .spanish)?.contains("demasiados intentos") == true)
    #expect(words.text("failure.wrong_credentials.suggestion", .english)?.contains("recover") == true)
    #expect(words.text("failure.wrong_credentials.suggestion", .spanish)?.contains("recupera") == true)
  }

  private final class Statements: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func watch(_ database: Database) {
      database.trace { [self] event in
        if case .statement(let statement) = event { texts.withLock { $0.append(statement.sql) } }
      }
    }
  }

  /// What seven wrong passwords run and write, of a login that is an account's or one that is nobody's.
  private func guessing(_ login: String, isKnown: Bool) async throws -> (statements: [String], rows: [Int]) {
    try await RunningIdentity.run { identity in
      // One behind the login in each index, and one before it.
      for other in ["aaa", "zzz"] { try await identity.register(other) }
      if isKnown { try await identity.register("ana") }
      try await identity.guess("nobody.else", times: 7, from: "203.0.113.9")
      let tables = ["outbox", "security_events", "login_failures", "incidents", "security_mails"]
      func rows() async throws -> [Int] {
        var counts: [Int] = []
        for table in tables { counts.append(try await identity.count("SELECT COUNT(*) FROM \(table)")) }
        counts.append(try await identity.count("SELECT COUNT(*) FROM incidents WHERE owner_notified_at IS NOT NULL"))
        return counts
      }
      let before = try await rows()
      let statements = Statements()
      try await identity.store.write { statements.watch($0.database) }
      for _ in 0..<7 {
        try await identity.guess(login)
        identity.time.advance(seconds: 3600)
      }
      let written = zip(try await rows(), before).map { $0 - $1 }
      let typed = Login(login)
      try await identity.store.read { database in
        statements.watch(database)
        let account = try LoginAccountStore.find(typed, in: database)
        #expect((account.id != nil) == isKnown && (account.passwordHash != nil) == isKnown)
        #expect(try !account.knows(DeviceToken(), database, now: identity.time.now))
        database.trace(options: [])
      }
      return (statements.all, written)
    }
  }

  @Test(
    "An unknown login runs the same statements and writes the same rows, also when it becomes an incident",
    arguments: [
      "ana", "ana@example.com",
    ])
  func enumeration(login: String) async throws {
    let (known, unknown) = (try await guessing(login, isKnown: true), try await guessing(login, isKnown: false))
    #expect(known.statements.count > 50 && known.statements == unknown.statements)
    #expect(known.rows == unknown.rows && known.rows[0] == 1 && known.rows[3] >= 1)
  }
}
