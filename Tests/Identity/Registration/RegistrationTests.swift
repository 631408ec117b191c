import Foundation
import IdentityContract
import InProcess
import Operations
import Testing

@testable import IdentityService

@Suite("Registration (ID-1, ID-20; H CU-1, B UC1, S 2)")
struct RegistrationTests {
  private let words = Words([Contract.identity.words[0]])

  private func codes(_ failure: Failure, _ field: String) -> [String] { failure.fields.filter { $0.field == field }.map(\.code) }

  @Test(
    "Valid registration data create an unverified, published account and request the mail to verify it (CU-1; B UC1; E UC-01)"
  )
  func success() async throws {
    try await RunningIdentity.run { identity in
      var form = RunningIdentity.form("Ana.Ruiz", email: "Ana@Example.com")
      form.name = "Ana Ruiz"
      form.age = 34
      form.nickname = "Ani"
      form.timeZone = "Europe/Madrid"
      form.language = "es"
      let account = try await identity.ask(RegisterAccount.self, form)
      #expect(account.username.description == "ana.ruiz")
      #expect(account.email.description == "Ana@Example.com")
      #expect(account.name?.description == "Ana Ruiz")
      #expect(account.age == 34)
      #expect(account.nickname?.description == "Ani")
      #expect(account.timeZone.description == "Europe/Madrid")
      #expect(account.language == .spanish)
      #expect(!account.isVerified && !account.isAdministrator)
      #expect(account.createdAt == identity.time.now)

      let changed = try await identity.published(AccountChanged.self)
      #expect(changed.map(\.accountID) == [account.id])
      #expect(changed.first?.revision == 1 && changed.first?.isVerified == false)
      let mails = try await identity.published(VerificationMailRequested.self)
      #expect(mails.map(\.reason) == [.registered])
      #expect(mails.first?.accountID == account.id)
    }
  }

  @Test("An unknown field of a registration does not hide other faults")
  func unknownField() async throws {
    try await RunningIdentity.run { identity in
      let failure = await #expect(throws: Failure.self) {
        try await identity.ask(RegisterAccount.self, json: #"{"email":"ana","username":"a b","nickname":"\u200b","foo":1}"#)
      }
      let found = Set(failure?.fields.map { "\($0.field) \($0.code)" } ?? [])
      #expect(
        found == [
          "foo unknown_field", "email invalid_email", "username unacceptable_username", "nickname empty", "password required",
          "passwordConfirmation required",
        ])
    }
  }

  @Test("Omitted fields of a registration get defaults: UTC, the request's language")
  func defaults() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.ask(RegisterAccount.self, RunningIdentity.form(), by: .person(language: .spanish))
      #expect(account.timeZone == .utc && account.dayStartHour == 0)
      #expect(account.language == .spanish)
      #expect(account.name == nil && account.age == nil && account.nickname == nil)
    }
  }

  @Test(
    "Missing or empty required fields of a registration are all named (CU-1, 9a)",
    arguments: ["{}", #"{"email":"","username":"","password":"","passwordConfirmation":""}"#])
  func required(body: String) async throws {
    try await RunningIdentity.run { identity in
      let failure = try await failure { try await identity.ask(RegisterAccount.self, json: body) }
      #expect(failure.code == "invalid_fields" && failure.status == 422)
      #expect(failure.fields.map(\.field) == ["email", "username", "password", "passwordConfirmation"])
      #expect(failure.fields.allSatisfy { $0.code == "required" })
    }
  }

  @Test("A malformed e-mail address is refused with the right form (CU-1, 4a)")
  func invalidEmail() async throws {
    try await RunningIdentity.run { identity in
      let failure = try await failure { try await identity.ask(RegisterAccount.self, RunningIdentity.form(email: "ana@example")) }
      #expect(failure.fields == [FieldProblem(field: "email", FieldRule("invalid_email"))])
    }
  }

  @Test(
    "A registered e-mail address is refused in any case, with the hint to log in or recover (CU-1, 4b; S 2, scenario 3)"
  )
  func takenEmail() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      let failure = try await failure {
        try await identity.ask(RegisterAccount.self, RunningIdentity.form("bea", email: "ANA@Example.COM"))
      }
      #expect(failure.fields == [FieldProblem(field: "email", FieldRule("email_taken"))])
      #expect(words.text("field.email_taken.suggestion", .english)?.contains("Log in") == true)
      #expect(words.text("field.email_taken.suggestion", .spanish)?.contains("recupera") == true)
    }
  }

  @Test(
    "A malformed username is refused with similar free ones (CU-1, 5a)", arguments: ["José Ruiz", "ab", "1ana", "ana!"])
  func invalidUsername(username: String) async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("jose.ruiz")
      let failure = try await failure {
        try await identity.ask(RegisterAccount.self, RunningIdentity.form(username, email: "x@example.com"))
      }
      #expect(codes(failure, "username") == ["unacceptable_username"])
      let suggestions = try #require(failure.fields.first?.parameters["suggestions"]?.description).components(separatedBy: ", ")
      #expect(suggestions.count == 3 && !suggestions.contains("jose.ruiz"))
      let account = try await identity.ask(RegisterAccount.self, RunningIdentity.form(suggestions[0], email: "x@example.com"))
      #expect(account.username.description == suggestions[0])
    }
  }

  @Test("A taken username is refused in any case, with similar free ones (CU-1, 5b)")
  func takenUsername() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "ana1", "ana2"] { try await identity.register(name) }
      let failure = try await failure {
        try await identity.ask(RegisterAccount.self, RunningIdentity.form("ANA", email: "x@example.com"))
      }
      #expect(codes(failure, "username") == ["username_taken"])
      #expect(failure.fields.first?.parameters["suggestions"] == .text("ana7, ana_1, ana.x"))
    }
  }

  @Test(
    "A username of system operators is refused however it is disguised, with free ones that are not (CU-1, 5a)",
    arguments: [
      "admin", "Administrator", "r.o.o.t", "support_1", "adm1n", "racha", "r4cha.supp0rt", "moderador2026", "security",
      "equipo_racha", "therealracha", "rachaa", "aadmin", "admln", "rnoderator", "everyone", "www", "el.admin",
      "soporte_de_racha",
    ])
  func reservedUsername(username: String) async throws {
    try await RunningIdentity.run { identity in
      let failure = try await failure {
        try await identity.ask(RegisterAccount.self, RunningIdentity.form(username, email: "eve@example.com"))
      }
      #expect(codes(failure, "username") == ["reserved"])
      #expect(failure.fields.first?.parameters["suggestions"] == .text("eve, eve1, eve2"))
      for language in Language.allCases {
        #expect(words.text("field.reserved", language)?.contains("Racha") == true)
        #expect(words.text("field.reserved.suggestion", language, ["suggestions": .text("eve")])?.contains("eve") == true)
      }
    }
  }

  @Test(
    "A username that merely contains a reserved word is accepted",
    arguments: [
      "adminka", "supporter", "rootbeer", "mod.ana", "malcolm", "teamo", "systema", "mi_racha", "buena.racha", "mood", "mali",
      "boot", "la.mod", "realteamo", "theresa",
    ])
  func unreservedUsername(username: String) throws {
    #expect(!ReservedUsernames.embedded.contains(try Username(text: username)))
  }

  @Test("An impossible age is refused with both bounds", arguments: [12, 121])
  func impossibleAge(age: Int) async throws {
    try await RunningIdentity.run { identity in
      var form = RunningIdentity.form()
      form.age = age
      let problem = try #require(try await failure { try await identity.ask(RegisterAccount.self, form) }.fields.first)
      for language in Language.allCases {
        let text = words.text("field.\(problem.code).suggestion", language, problem.parameters)
        #expect(text?.contains("13") == true && text?.contains("120") == true)
      }
    }
  }

  @Test("A password that breaks rules is refused at registration with each of them (CU-1, 6a; ID-20)")
  func weakPassword() async throws {
    try await RunningIdentity.run { identity in
      func broken(_ password: String) async throws -> [String] {
        codes(
          try await failure { try await identity.ask(RegisterAccount.self, RunningIdentity.form(password: password)) }, "password"
        )
      }
      let short = try await broken("short")
      #expect(
        short == ["password_too_short", "password_lacks_upper_case", "password_lacks_digit", "password_lacks_special"])
      #expect(try await broken("Password1!") == ["password_common"])
    }
  }

  @Test("Two different passwords at registration are refused (CU-1, 7a)")
  func differentPasswords() async throws {
    try await RunningIdentity.run { identity in
      var form = RunningIdentity.form()
      form.passwordConfirmation = "Rio-8-lento"
      let failure = try await failure { try await identity.ask(RegisterAccount.self, form) }
      #expect(failure.fields == [FieldProblem(field: "passwordConfirmation", FieldRule("passwords_differ"))])
    }
  }

  @Test(
    "All faults of a registration are reported at once, malformed and taken fields alike, and nothing is stored (S 2, scenario 2)"
  )
  func allAtOnce() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      let form = RegisterAccount.Input(
        email: "nope", username: "ana", password: "abc", passwordConfirmation: "abd",
        name: FormField(text: String(repeating: "x", count: 81)),
        age: 12, nickname: FormField(text: String(repeating: "x", count: 31)), timeZone: "Mars/Base", language: "fr")
      let failure = try await failure { try await identity.ask(RegisterAccount.self, form) }
      #expect(
        failure.fields.map { "\($0.field) \($0.code)" } == [
          "email invalid_email", "username username_taken", "password password_too_short", "password password_lacks_upper_case",
          "password password_lacks_digit", "password password_lacks_special", "passwordConfirmation passwords_differ",
          "name too_long",
          "age impossible_age", "nickname too_long", "timeZone unknown_time_zone", "language not_a_choice",
        ])
      #expect(try await identity.count("SELECT COUNT(*) FROM accounts") == 1)
      #expect(try await identity.published(VerificationMailRequested.self).count == 1)
    }
  }

  @Test("A registration whose address and username are both taken is refused with both faults")
  func bothTaken() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      let failure = try await failure { try await identity.register("ana") }
      #expect(failure.fields.map(\.code) == ["email_taken", "username_taken"])
    }
  }

  @Test("Exactly one of twenty concurrent registrations of one e-mail address and username succeeds")
  func race() async throws {
    try await RunningIdentity.run { identity in
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<20 {
          group.addTask {
            do {
              try await identity.register("ana")
              return true
            } catch {
              #expect((error as? Failure)?.fields.map(\.code) == ["email_taken", "username_taken"])
              return false
            }
          }
        }
        return await group.reduce(into: [Bool]()) { $0.append($1) }
      }
      #expect(outcomes.filter { $0 }.count == 1)
      let accounts = try await identity.count("SELECT COUNT(*) FROM accounts")
      #expect(accounts == 1)
      #expect(try await identity.published(AccountChanged.self).count == 1)
    }
  }

  @Test(
    "Repeating a registration with its idempotency key gives the same account and sends no second mail (S 2, scenario 4)"
  )
  func repetition() async throws {
    try await RunningIdentity.run { identity in
      let first = try await identity.ask(RegisterAccount.self, RunningIdentity.form(), key: "key-1")
      let second = try await identity.ask(RegisterAccount.self, RunningIdentity.form(), key: "key-1")
      #expect(first == second)
      #expect(try await identity.published(VerificationMailRequested.self).count == 1)
      // From another network, as a phone that leaves the house.
      let elsewhere = try await identity.ask(
        RegisterAccount.self, RunningIdentity.form(), by: .person(from: "198.51.100.7"), key: "key-1")
      #expect(elsewhere == first)
      #expect(try await identity.published(VerificationMailRequested.self).count == 1)
    }
  }

  @Test("B UC1: a registration logs in at once if requested, with a known device; otherwise it gives no tokens")
  func session() async throws {
    try await RunningIdentity.run { identity in
      var form = RunningIdentity.form()
      #expect(try await identity.ask(RegisterAccount.self, RunningIdentity.form("ben")).signedIn == nil)
      (form.beginsSession, form.device) = (true, try DeviceName(text: "Ana's phone"))
      let registered = try await identity.ask(RegisterAccount.self, form)
      let signedIn = try #require(registered.signedIn)
      #expect(signedIn.account == registered.account && signedIn.session.device == "Ana's phone" && signedIn.deviceToken != nil)
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(signedIn)) == registered.account)
      let refreshed = try await identity.ask(RefreshSession.self, .init(refreshToken: signedIn.refreshToken))
      #expect(refreshed.session.id == signedIn.session.id)
      // What the form breaks is reported as ever, and nobody is logged in.
      let failure = try await failure { try await identity.ask(RegisterAccount.self, form) }
      #expect(failure.fields.map(\.code) == ["email_taken", "username_taken"])
      #expect(try await identity.count("SELECT COUNT(*) FROM sessions") == 1)
      // A wrong guess elsewhere delays nobody whose device is known.
      let login = LogIn.Input(login: "ana", password: RunningIdentity.password, deviceToken: signedIn.deviceToken)
      #expect(try await identity.ask(LogIn.self, login, by: .person()).deviceToken == signedIn.deviceToken)
    }
  }

  @Test(
    "B UC1: repeating a registration with its key gives the same session new tokens for a while, and none is stored"
  )
  func repeatedSession() async throws {
    try await RunningIdentity.run { identity in
      var form = RunningIdentity.form()
      form.beginsSession = true
      func register() async throws -> RegisteredAccount { try await identity.ask(RegisterAccount.self, form, key: "key-1") }
      let first = try #require(try await register().signedIn)
      identity.time.advance(seconds: 5)
      let again = try await register()
      let second = try #require(again.signedIn)
      #expect(second.session.id == first.session.id && second.refreshToken != first.refreshToken)
      #expect(again.account == first.account && second.deviceToken != first.deviceToken)
      #expect(try await identity.published(AccessTokensInvalidated.self).map(\.sessionID) == [first.session.id])
      #expect(try await identity.count("SELECT COUNT(*) FROM sessions") == 1)
      #expect(try await identity.count("SELECT COUNT(*) FROM device_tokens") == 1)
      // The first answer, should it come after all, is good for the same.
      let refreshed = try await identity.ask(RefreshSession.self, .init(refreshToken: first.refreshToken))
      #expect(refreshed.refreshToken == second.refreshToken)
      // After the session or the password is another's matter, and after ten minutes, it logs nobody in.
      identity.time.advance(seconds: RegisterAccount.repeatedSessionSeconds - 6)
      #expect(try await register().signedIn?.session.id == first.session.id)
      identity.time.advance(seconds: 1)
      let late = try await register()
      #expect(late.signedIn == nil && late.account == again.account)
    }
    try await RunningIdentity.run { identity in
      var form = RunningIdentity.form()
      form.beginsSession = true
      func register() async throws -> RegisteredAccount { try await identity.ask(RegisterAccount.self, form, key: "key-1") }
      let signedIn = try #require(try await register().signedIn)
      let change = ChangePassword.Input(
        currentPassword: FormField(text: RunningIdentity.password), password: FormField(text: "Mar-8-rapido"),
        passwordConfirmation: FormField(text: "Mar-8-rapido"))
      _ = try await identity.ask(ChangePassword.self, change, by: .signedIn(signedIn))
      #expect(try await register().signedIn == nil)
    }
    try await RunningIdentity.run { identity in
      var form = RunningIdentity.form()
      form.beginsSession = true
      let signedIn = try #require(try await identity.ask(RegisterAccount.self, form, key: "key-1").signedIn)
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(signedIn))
      #expect(try await identity.ask(RegisterAccount.self, form, key: "key-1").signedIn == nil)
    }
  }

  @Test("A stranger who reuses another's idempotency key neither learns of that request nor hinders it")
  func strangersKey() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.ask(RegisterAccount.self, RunningIdentity.form("ana"), key: "key-1")
      let bea = try await identity.ask(RegisterAccount.self, RunningIdentity.form("bea"), key: "key-1")
      #expect(bea.username.description == "bea")
      #expect(try await identity.ask(RegisterAccount.self, RunningIdentity.form("ana"), key: "key-1") == ana)
      // All but the password is known: that is another request too.
      let guess = RunningIdentity.form("ana", password: "Rio-8-lento")
      let failure = try await failure { try await identity.ask(RegisterAccount.self, guess, key: "key-1") }
      #expect(failure.fields.map(\.code) == ["email_taken", "username_taken"])
    }
  }

  @Test("Identity answers other services' requests for an account by id or username")
  func lookup() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register("ana")
      let byID = try await identity.askAsNotifications(LookUpAccount.self, .init(accountID: account.id))
      let byName = try await identity.askAsNotifications(LookUpAccount.self, .init(username: account.username))
      #expect(byID == byName)
      #expect([byID] == (try await identity.published(AccountChanged.self)))
      let unknown = try await failure { try await identity.askAsNotifications(LookUpAccount.self, .init(accountID: AccountID())) }
      #expect(unknown.code == "not_found")
      let stranger = try await failure { try await identity.ask(LookUpAccount.self, .init(accountID: account.id)) }
      #expect(stranger.code == "forbidden")
    }
  }
}
