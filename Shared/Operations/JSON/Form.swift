/// A document that a person fills in and whose fields the feature validates itself, since only the feature knows some of its rules.
///
/// The strict decoder refuses other invalid documents. It passes a form on together with the problems it found, so that a field of a wrong
/// type, or an unknown one, does not hide a rule that another field breaks. The feature refuses the form with both.
public protocol Form: Document {
  /// The problems that the decoder found; not a field of the JSON. If there are any, the form must be refused.
  var found: FoundProblems { get set }
}

/// The problems that the strict decoder found in a form.
public struct FoundProblems: Hashable, Sendable {
  private var all: [FieldProblem] = []

  public init() {}

  init(_ all: [FieldProblem]) { self.all = all }

  /// Whether that field has a problem, so that the form holds a placeholder for it.
  public func contains(_ field: String) -> Bool { all.contains { $0.field == field } }

  /// Whether there is no problem with those fields, or within them.
  public func areRight(_ fields: String...) -> Bool { fields.allSatisfy(isRight) }

  private func isRight(_ field: String) -> Bool { !all.contains { $0.field == field || $0.field.isWithin(field) } }

  /// Refuses the form at once if one of those fields cannot be read, without which nothing else can be validated.
  public func require(_ fields: String...) throws(Failure) {
    guard fields.allSatisfy(isRight) else { throw Failure(RequestFailure.invalidFields, fields: all) }
  }

  /// The feature's own findings and these; for a field that could not be read, only these.
  public func with(_ own: [FieldProblem]) -> [FieldProblem] { own.filter { !contains($0.field) } + all }
}
