/// A document that a person fills in, whose fields the feature validates itself, since some of its rules only it can know.
///
/// The strict decoder refuses other documents with what is wrong with them; a form it hands on, together with what it found, so that a
/// field of a wrong type, or one that nobody knows, hides no rule that another field breaks. The feature refuses the form with both.
public protocol Form: Document {
  /// What the decoder found; no field of the JSON. Where this is not empty, the form must be refused.
  var found: FoundProblems { get set }
}

/// What the strict decoder found wrong with a form.
public struct FoundProblems: Hashable, Sendable {
  private var all: [FieldProblem] = []

  public init() {}

  init(_ all: [FieldProblem]) { self.all = all }

  /// Whether something is wrong with that field, for which the form has a placeholder.
  public func contains(_ field: String) -> Bool { all.contains { $0.field == field } }

  /// Whether nothing is wrong with those fields, nor within them.
  public func areRight(_ fields: String...) -> Bool { fields.allSatisfy(isRight) }

  private func isRight(_ field: String) -> Bool { !all.contains { $0.field == field || $0.field.isWithin(field) } }

  /// Refuses the form at once where those fields cannot be read, without which nothing else can be validated.
  public func require(_ fields: String...) throws(Failure) {
    guard fields.allSatisfy(isRight) else { throw Failure(RequestFailure.invalidFields, fields: all) }
  }

  /// The feature's own findings and these; of a field that could not be read only these.
  public func with(_ own: [FieldProblem]) -> [FieldProblem] { own.filter { !contains($0.field) } + all }
}
