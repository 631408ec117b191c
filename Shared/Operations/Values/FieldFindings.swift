/// Collects what several steps of a handler find wrong with a request's fields, so that it is refused once, with all of it.
///
///     var findings = FieldFindings()
///     let picture = try await findings.gather(awaiting: { try await processor.picture(photo.bytes, field: "photo") })
///     let progress = try findings.gather { try measure.set(before, to: input) }
///     try findings.end()
public struct FieldFindings: Sendable, Hashable {
  public private(set) var problems: [FieldProblem]

  /// - Parameter problems: the problems found so far.
  public init(_ problems: [FieldProblem] = []) { self.problems = problems }

  /// Begins with what the strict decoder found wrong with a form.
  public init(_ found: FoundProblems) { problems = found.with([]) }

  /// Records that a field breaks a rule.
  public mutating func add(_ field: String, _ rule: FieldRule) { problems.append(FieldProblem(field: field, rule)) }

  /// The step's result; nil if it finds fields at fault. Other errors are rethrown.
  @discardableResult
  public mutating func gather<T>(_ step: () throws -> T) throws -> T? {
    do {
      return try step()
    } catch let failure as Failure where failure.code == RequestFailure.invalidFields.rawValue {
      problems += failure.fields
      return nil
    }
  }

  /// The same for an asynchronous step.
  public mutating func gather<T>(awaiting step: () async throws -> T) async throws -> T? {
    do {
      return try await step()
    } catch let failure as Failure where failure.code == RequestFailure.invalidFields.rawValue {
      problems += failure.fields
      return nil
    }
  }

  /// Refuses the request if anything was found.
  public func end() throws(Failure) {
    guard problems.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: problems) }
  }
}
