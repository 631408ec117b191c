/// Names a request of a caller, so that its repetition has no further effect.
public struct IdempotencyKey: Sendable {
  let caller: String
  let owner: String
  let key: String
  let operation: String
  let payload: [UInt8]

  /// - Parameters:
  ///   - caller: in whose name: one caller's keys are nothing to another.
  ///   - owner: on whose allowance of kept bytes the record draws, see ``StoreLimits/idempotencyBytes``; the caller's if nil.
  ///   - key: what the caller chose.
  ///   - operation: the operation asked for.
  ///   - payload: all that the request's effect depends on.
  public init(caller: String, owner: String? = nil, key: String, operation: String, payload: [UInt8]) {
    self.caller = caller
    self.owner = owner ?? caller
    self.key = key
    self.operation = operation
    self.payload = payload
  }
}
