import ActivityContract
import Operations

/// Collects every problem of an offline change, so that none hides another (ACT-17).
struct ChangeProblems {
  /// Problems of the change as a whole, in the order in which they were found.
  private var failures: [Failure] = []
  private var fields: [FieldProblem] = []

  var isEmpty: Bool { failures.isEmpty && fields.isEmpty }

  /// Whether none of these fields is invalid.
  func areRight(_ names: String...) -> Bool { !fields.contains { names.contains($0.field) } }

  mutating func add(_ problems: [FieldProblem]) { fields += problems }

  /// Returns the body's result; nil if it throws a failure, which becomes a problem of the change. Other errors, such as the store's, are
  /// rethrown.
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

  /// The refusal for the reply: its code is that of the first failure, its message covers all of them.
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
