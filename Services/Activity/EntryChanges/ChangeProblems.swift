import ActivityContract
import Operations

/// All that is wrong with an offline change, gathered so that none of it hides another (ACT-17).
struct ChangeProblems {
  /// What is wrong with it as a whole, in the order in which it was found.
  private var failures: [Failure] = []
  private var fields: [FieldProblem] = []

  var isEmpty: Bool { failures.isEmpty && fields.isEmpty }

  /// Whether none of these fields is at fault.
  func areRight(_ names: String...) -> Bool { !fields.contains { names.contains($0.field) } }

  mutating func add(_ problems: [FieldProblem]) { fields += problems }

  /// What the body returns; nil if it ends in a failure, which is a problem of the change. Other errors, such as the store's, are thrown.
  @discardableResult
  mutating func gather<T>(_ body: () throws -> T) throws -> T? {
    do {
      return try body()
    } catch {
      guard error is Failure || error is any FailureCode else { throw error }
      let failure = Failure(error)
      fields += failure.fields
      if failure.code != RequestFailure.invalidFields.rawValue { failures.append(failure) }
      return nil
    }
  }

  /// What the answer says to the device: its code is of the first failure, its message of each.
  func refusal(_ words: Words, _ language: Language) -> ChangeRefusal {
    let failures = failures.isEmpty ? [Failure(RequestFailure.invalidFields)] : failures
    let message = failures.flatMap { failure in
      ["failure.\(failure.code)", "failure.\(failure.code).suggestion"].compactMap {
        words.text($0, language, failure.parameters)
      }
    }.joined(separator: " ")
    let code = failures[0].code
    return ChangeRefusal(
      code: code, message: message.isEmpty ? code : message,
      fields: fields.map { problem in
        ChangeRefusal.Field(
          field: problem.field, code: problem.code,
          message: words.text("field.\(problem.code)", language, problem.parameters) ?? problem.code,
          suggestion: words.text("field.\(problem.code).suggestion", language, problem.parameters))
      })
  }
}
