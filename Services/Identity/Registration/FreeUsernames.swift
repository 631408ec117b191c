import GRDB
import IdentityContract
import Operations

/// Which usernames can be had.
enum FreeUsernames {
  /// Adds to a form's problems that the username is taken, and to every problem of the username which similar ones are free.
  ///
  /// - Parameters:
  ///   - owner: who may keep the name, nil for a new account.
  ///   - others: texts to make suggestions of where the wished name gives none.
  ///   - key: of names that are reserved.
  /// - Returns: the problems, the username's first.
  static func complete(
    _ known: [FieldProblem], of username: FormField<Username>, owner: AccountID?, others: [String], now: Instant, key: SecretKey,
    in database: Database
  ) throws -> [FieldProblem] {
    var own = known.filter { $0.field == "username" }
    if let wished = username.value, try ReservedUsernameStore.isTaken(wished, now: now, key: key, for: owner, in: database) {
      own.append(FieldProblem(field: "username", FieldRule("username_taken")))
    }
    if let problem = own.first, problem.code != "required" {
      let free = try find(near: username.description, others: others, now: now, key: key, in: database).map(\.description)
      own[0] = FieldProblem(
        field: "username", FieldRule(problem.code, ["suggestions": .text(free.joined(separator: ", "))]))
    }
    return own + known.filter { $0.field != "username" }
  }

  private static func find(
    near wished: String, others: [String], now: Instant, key: SecretKey, in database: Database
  ) throws -> [Username] {
    var free: [Username] = []
    for candidate in UsernameSuggestions.candidates(near: wished, others: others)
    where try !ReservedUsernameStore.isTaken(candidate, now: now, key: key, in: database) {
      free.append(candidate)
      if free.count == UsernameSuggestions.count { break }
    }
    return free
  }
}
