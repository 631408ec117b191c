public import Operations

/// What may complete an activity by itself (MOVE-7): a goal of a quantity, of a distance in `m` or `km`.
public enum MovementTie {
  /// Units in which goals of distances are given, with the millimetres of a thousandth.
  public static let distanceUnits = ["m": 1, "km": 1000]

  /// The rule of a goal that cannot be measured so.
  public static let notForTie = FieldRule("not_for_tie")

  /// Whether movement of that kind can complete the goal.
  public static func fits(_ kind: MovementKind?, _ goal: Goal) -> Bool {
    guard let kind else { return true }
    let isDistance = goal.unit.map { distanceUnits[$0] != nil } == true
    return goal.kind == .quantity && (kind == .steps) != isDistance
  }
}
