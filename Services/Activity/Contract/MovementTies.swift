public import Operations

/// Rules for activities that movement completes automatically (MOVE-7): the goal is a quantity, and for distances in `m` or `km`.
public enum MovementTie {
  /// Units for goals of distances, each with its thousandth in millimetres.
  public static let distanceUnits = ["m": 1, "km": 1000]

  /// The rule for a goal that the kind of movement cannot measure.
  public static let notForTie = FieldRule("not_for_tie")

  /// Whether movement of that kind can complete the goal.
  public static func fits(_ kind: MovementKind?, _ goal: Goal) -> Bool {
    guard let kind else { return true }
    let isDistance = goal.unit.map { distanceUnits[$0] != nil } == true
    return goal.kind == .quantity && (kind == .steps) != isDistance
  }
}
