import Operations
import SocialContract

/// The cursor of a page of tasks: the part of the list, and the last task in it.
struct TaskPosition: CustomStringConvertible {
  let state: TaskState
  let sequence: Int64

  init(state: TaskState, sequence: Int64) {
    self.state = state
    self.sequence = sequence
  }

  /// Reads its description.
  init(text: String) throws(FieldRule) {
    let (first, second) = try TextParts.pair(text)
    guard let state = TaskState(rawValue: first), let sequence = Int64(second) else { throw PageCursor.invalid }
    self.init(state: state, sequence: sequence)
  }

  var description: String { "\(state)/\(sequence)" }
}
