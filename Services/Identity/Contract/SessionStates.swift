public import Operations

extension FeatureContract {
  static let sessionStates = FeatureContract(operations: [CheckSessions.self])
}

/// Whether a session is still live.
public enum SessionState: String, Choice {
  case live
  /// It began with a suspicious login that has no answer yet.
  case inDoubt
  /// It was ended, has expired, or is not known (any more).
  case ended
}

/// Answers which sessions are still live, for data that must end with its session (NOT-5): no event reports that a session has expired, or
/// is gone after a restore.
public enum CheckSessions: OpenOperation {
  public static let maxSessions = 200

  public struct Input: Document, Hashable {
    public var sessionIDs: [SessionID]

    public init(sessionIDs: [SessionID]) { self.sessionIDs = sessionIDs }

    public static let notes: Notes = ["sessionIDs": Note("The sessions.", items: 0...CheckSessions.maxSessions)]
  }

  public struct Output: Document, Hashable {
    public var states: [SessionState]

    public init(states: [SessionState]) { self.states = states }

    public static let notes: Notes = ["states": "The state of each session, in the same order."]
  }

  public static let spec = OperationSpec(
    "sessions.check", of: .identity, nil, by: .services([.notifications]), effect: .read, requirements: ["NOT-5"],
    "Returns the state of sessions: live, in doubt, or ended.")
}
