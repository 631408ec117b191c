public import Operations

/// Ties an activity to movement (MOVE-7): its days complete themselves from what was measured.
public struct MovementTie: Document, Hashable {
  /// What is measured.
  public var kind: MovementKind

  /// A tie from its parts.
  public init(kind: MovementKind) { self.kind = kind }

  public static let notes: Notes = ["kind": "What is measured: the goal is a quantity of it; of a distance in `m` or `km`."]

  /// Units in which goals of distances are given, with the millimetres of a thousandth.
  public static let distanceUnits = ["m": 1, "km": 1000]

  /// Records a goal that cannot be measured so.
  public static func check(_ tie: MovementTie?, _ goal: Goal, _ fields: inout FieldChecks) {
    guard let tie else { return }
    let isMeasured = goal.kind == .quantity && (tie.kind == .steps || goal.unit.map { distanceUnits[$0] != nil } == true)
    fields.expect(isMeasured, "tie", FieldRule("not_for_tie"))
  }
}
